// Acceptor and initiator against each other, and the acceptor against everybody else.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/auth/acceptor.h"
#include "engine/auth/initiator.h"
#include "engine/wire/spnego.h"

namespace semblance::auth {
namespace {

using Outcome = AcceptorStep::Outcome;

struct Exchange {
  InitiatorOptions options;
  std::string user = "Zo\xc3\xab", domain = "WORKGROUP", password = "pass word";
  NtHash server_hash = *nt_hash_of("pass word");

  Acceptor acceptor;
  std::vector<uint8_t> token, reply = std::vector<uint8_t>(Acceptor::kReplySizeMax);
  AcceptorStep step;
  int legs = 0;

  static AcceptorContext context() {
    AcceptorContext context{.server_name = "SEMBLANCE",
                            .domain = "WORKGROUP",
                            .dns_name = "semblance.example",
                            .dns_domain = "example"};
    context.challenge = {1, 2, 3, 4, 5, 6, 7, 8};
    context.now = {133'000'000'000'000'000};
    return context;
  }

  static InitiatorEntropy entropy() {
    InitiatorEntropy entropy;
    entropy.challenge.fill(0x5A);
    for (size_t i = 0; i < 16; ++i) entropy.exported_key[i] = static_cast<uint8_t>(i * 17 + 3);
    return entropy;
  }

  // Until the acceptor needs the account or fails. `tamper` may change each client token.
  template <typename Tamper>
  AcceptorStep run(Initiator& initiator, Tamper tamper) {
    token.resize(Initiator::kTokenSizeMax);
    auto size = initiator.start(token);
    for (legs = 1; size && legs < 5; ++legs) {
      token.resize(*size);
      tamper(legs, token);
      // The acceptor's view of the token goes away, as a receive buffer does.
      std::vector<uint8_t> fleeting = token;
      step = acceptor.accept(fleeting, context(), reply);
      std::ranges::fill(fleeting, uint8_t{0xDD});
      if (step.outcome != Outcome::kContinue) return step;
      token.resize(Initiator::kTokenSizeMax);
      size = initiator.step(Bytes(reply).first(step.reply_size), entropy(), {42}, token);
    }
    ADD_FAILURE() << "the exchange does not end";
    return step;
  }

  Initiator client() const {
    return Initiator({user, domain, "CLIENT", *nt_hash_of(password)}, options);
  }
};

constexpr auto kHonest = [](int, std::vector<uint8_t>&) {};

InitiatorOptions options_of(uint8_t bits) {
  return {.spnego = (bits & 1) != 0,
          .kerberos_first = (bits & 2) != 0,
          .optimistic_token = (bits & 4) != 0,
          .key_exchange = (bits & 8) != 0,
          .mic = (bits & 16) != 0,
          .mech_list_mic = (bits & 32) != 0};
}

TEST(Exchange, EveryHonestVariantAgreesOnTheKey) {
  for (int bits = 0; bits < 64; ++bits) {
    Exchange exchange{.options = options_of(static_cast<uint8_t>(bits))};
    Initiator client = exchange.client();
    const AcceptorStep step = exchange.run(client, kHonest);
    ASSERT_EQ(step.outcome, Outcome::kNeedAccount) << bits;
    EXPECT_EQ(step.user, exchange.user);
    EXPECT_EQ(step.domain, "WORKGROUP");
    EXPECT_FALSE(step.is_anonymous);
    const auto result = exchange.acceptor.finish({exchange.server_hash}, exchange.reply);
    ASSERT_TRUE(result) << bits;
    EXPECT_EQ(result->session_key, client.session_key());
    const Bytes last = Bytes(exchange.reply).first(result->reply_size);
    EXPECT_EQ(client.finish(last), NtStatus::kSuccess) << bits;
    if (exchange.options.spnego) {
      const auto resp = wire::NegTokenResp::parse(last);
      ASSERT_TRUE(resp);
      const bool asked = exchange.options.mech_list_mic || exchange.options.kerberos_first;
      EXPECT_EQ(resp->mech_list_mic.has_value(), asked) << "a MIC answers a MIC, nothing else";
    } else {
      EXPECT_TRUE(last.empty());
    }
  }
}

TEST(Exchange, NtlmBehindKerberosIsSelectedWithoutAToken) {
  Exchange exchange{.options = {.kerberos_first = true}};
  Initiator client = exchange.client();
  std::vector<uint8_t> token(4096);
  token.resize(*client.start(token));
  const AcceptorStep step = exchange.acceptor.accept(token, Exchange::context(), exchange.reply);
  ASSERT_EQ(step.outcome, Outcome::kContinue);
  const auto resp = wire::NegTokenResp::parse(Bytes(exchange.reply).first(step.reply_size));
  ASSERT_TRUE(resp);
  EXPECT_EQ(resp->state, wire::NegState::kRequestMic);
  EXPECT_EQ(resp->supported_mech, wire::Mech::kNtlmssp);
  EXPECT_FALSE(resp->response_token);
  EXPECT_FALSE(resp->mech_list_mic);
}

TEST(Exchange, WrongPasswordIsALogonFailureAndGuestHasNoKey) {
  Exchange exchange;
  exchange.password = "other";
  Initiator client = exchange.client();
  ASSERT_EQ(exchange.run(client, kHonest).outcome, Outcome::kNeedAccount);
  Acceptor copy = exchange.acceptor;
  const auto result = exchange.acceptor.finish({exchange.server_hash}, exchange.reply);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), NtStatus::kLogonFailure);
  const auto guest = copy.finish_guest(exchange.reply);
  ASSERT_TRUE(guest);
  EXPECT_FALSE(guest->session_key);
  const auto resp = wire::NegTokenResp::parse(Bytes(exchange.reply).first(guest->reply_size));
  EXPECT_EQ(resp->state, wire::NegState::kAcceptCompleted);
  EXPECT_FALSE(resp->mech_list_mic);
}

TEST(Exchange, AnonymousHasNoUserAndNoKey) {
  for (int bits = 0; bits < 64; ++bits) {
    Exchange exchange{.options = options_of(static_cast<uint8_t>(bits))};
    exchange.options.anonymous = true;
    Initiator client = exchange.client();
    const AcceptorStep step = exchange.run(client, kHonest);
    ASSERT_EQ(step.outcome, Outcome::kNeedAccount);
    EXPECT_TRUE(step.is_anonymous);
    EXPECT_TRUE(step.user.empty());
    const auto result = exchange.acceptor.finish_anonymous(exchange.reply);
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->session_key);
    EXPECT_EQ(client.finish(Bytes(exchange.reply).first(result->reply_size)), NtStatus::kSuccess);
  }
}

// A user's exchange may not be finished as if it had no password to check.
TEST(Exchange, AnonymousNeverPassesForAnAccount) {
  Exchange exchange{.options = {.anonymous = true}};
  Initiator client = exchange.client();
  ASSERT_EQ(exchange.run(client, kHonest).outcome, Outcome::kNeedAccount);
  EXPECT_FALSE(exchange.acceptor.finish({}, exchange.reply));
}

TEST(Exchange, NtlmV1IsALogonFailure) {
  std::vector<uint8_t> v1(24, 7), token(512);
  Exchange exchange{.options = {.spnego = false}};
  Initiator client = exchange.client();
  token.resize(*client.start(token));
  ASSERT_EQ(exchange.acceptor.accept(token, Exchange::context(), exchange.reply).outcome,
            Outcome::kContinue);
  std::vector<uint8_t> space(512);
  wire::Builder out(space);
  const uint8_t user[] = {'u', 0};
  wire::NtlmAuthenticate{
      .flags = wire::ntlm_flag::kUnicode, .lm_response = v1, .nt_response = v1, .user = user}
      .build(out);
  const auto step = exchange.acceptor.accept(out.written(), Exchange::context(), exchange.reply);
  EXPECT_EQ(step.outcome, Outcome::kFailed);
  EXPECT_EQ(step.status, NtStatus::kLogonFailure);
}

// The verdict when byte `where(token)` of the client's leg `leg` arrives with a bit turned.
template <typename Where>
NtStatus verdict_after(InitiatorOptions options, int leg, Where where) {
  Exchange exchange{.options = options};
  Initiator client = exchange.client();
  const AcceptorStep step = exchange.run(client, [&](int now, std::vector<uint8_t>& token) {
    if (now == leg) token[where(token)] ^= 0x10;
  });
  EXPECT_EQ(step.outcome, Outcome::kNeedAccount);
  const auto result = exchange.acceptor.finish({exchange.server_hash}, exchange.reply);
  return result ? NtStatus::kSuccess : result.error();
}

TEST(Exchange, TheMicProtectsAllThreeMessages) {
  const auto mic = [](const auto&) { return wire::NtlmAuthenticate::kMicAt; };
  const auto last = [](const auto& token) { return token.size() - 1; };
  const auto version = [](const auto&) { return size_t{34}; };  // of NEGOTIATE: means nothing
  const InitiatorOptions with{.spnego = false, .mic = true};
  EXPECT_EQ(verdict_after(with, 2, mic), NtStatus::kLogonFailure);
  EXPECT_EQ(verdict_after(with, 2, last), NtStatus::kLogonFailure) << "the encrypted session key";
  EXPECT_EQ(verdict_after(with, 1, version), NtStatus::kLogonFailure);
  const InitiatorOptions without{.spnego = false, .mic = false};
  EXPECT_EQ(verdict_after(without, 1, version), NtStatus::kSuccess);
}

TEST(Exchange, TheMechListMicProtectsTheOffer) {
  const auto last = [](const auto& token) { return token.size() - 6; };  // in its checksum
  const InitiatorOptions with{.mic = false, .mech_list_mic = true};
  EXPECT_EQ(verdict_after(with, 2, last), NtStatus::kLogonFailure);
  // Leg 1 offers Kerberos, then NTLM: another OID there is another list.
  const auto kerberos = [](const auto&) { return size_t{28}; };
  const InitiatorOptions offer{.kerberos_first = true, .mic = false};
  EXPECT_EQ(verdict_after(offer, 1, kerberos), NtStatus::kLogonFailure);
}

// With the MIC on, every bit that the client sends is protected, or changes nothing that counts.
RC_GTEST_PROP(Exchange, TamperingNeverYieldsAnotherKey,
              (uint8_t bits, uint16_t where, uint8_t flip)) {
  Exchange exchange{.options = options_of(bits)};
  exchange.options.mic = true;
  Initiator client = exchange.client();
  const int leg = *rc::gen::inRange(1, 4);
  const AcceptorStep step = exchange.run(client, [&](int now, std::vector<uint8_t>& token) {
    if (now == leg) token[where % token.size()] ^= static_cast<uint8_t>(1 << (flip % 8));
  });
  if (step.outcome != Outcome::kNeedAccount || step.is_anonymous) return;
  const auto result = exchange.acceptor.finish({exchange.server_hash}, exchange.reply);
  if (!result) return;
  RC_ASSERT(result->session_key == client.session_key());
}

RC_GTEST_PROP(Acceptor, ArbitraryTokensEndInAStatus, (std::vector<std::vector<uint8_t>> tokens)) {
  Acceptor acceptor;
  std::vector<uint8_t> reply(Acceptor::kReplySizeMax);
  for (auto& token : tokens) {
    static constexpr uint8_t kStart[] = {'N', 'T', 'L', 'M', 'S', 'S', 'P', 0, 1, 0, 0, 0, 1};
    if (*rc::gen::arbitrary<bool>()) token.insert(token.begin(), kStart, std::end(kStart));
    const auto step = acceptor.accept(token, Exchange::context(), reply);
    RC_ASSERT(step.reply_size <= reply.size());
  }
}

RC_GTEST_PROP(Acceptor, SmallReplyBuffersFailCleanly, (uint8_t bits, uint16_t room)) {
  Exchange exchange{.options = options_of(bits)};
  Initiator client = exchange.client();
  std::vector<uint8_t> token(4096), reply(room % 300);
  token.resize(*client.start(token));
  const auto step = exchange.acceptor.accept(token, Exchange::context(), reply);
  if (step.outcome == Outcome::kFailed) RC_ASSERT(step.status == NtStatus::kBufferTooSmall);
  RC_ASSERT(step.reply_size <= reply.size());
}

TEST(Acceptor, NothingFollowsAFailure) {
  Exchange exchange;
  EXPECT_EQ(exchange.acceptor.accept({}, Exchange::context(), exchange.reply).outcome,
            Outcome::kFailed);
  Initiator client = exchange.client();
  std::vector<uint8_t> token(4096);
  token.resize(*client.start(token));
  EXPECT_EQ(exchange.acceptor.accept(token, Exchange::context(), exchange.reply).outcome,
            Outcome::kFailed);
}

}  // namespace
}  // namespace semblance::auth
