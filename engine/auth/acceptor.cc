#include "engine/auth/acceptor.h"

#include "engine/base/check.h"
#include "engine/base/utf16.h"
#include "engine/wire/spnego.h"

namespace semblance::auth {
namespace {

namespace flag = wire::ntlm_flag;
using wire::NegState;
using wire::NtlmMessageType;

// Bounds of what one exchange keeps in memory. Real messages are an order of magnitude smaller.
constexpr size_t kMechListMax = 512;
constexpr size_t kNegotiateMax = 1024;
constexpr size_t kAuthenticateMax = 8192;
constexpr size_t kNameUnitsMax = 256;
constexpr size_t kTargetInfoMax = 2048;

// What we agree to when the client asks for it.
constexpr uint32_t kEchoedFlags = flag::kUnicode | flag::kSign | flag::kSeal | flag::kAlwaysSign |
                                  flag::kExtendedSessionSecurity | flag::k128 | flag::k56 |
                                  flag::kKeyExchange | flag::kVersion;

std::vector<uint8_t> copy(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

void put_name(wire::Builder& out, wire::AvId id, std::string_view name) {
  const auto text = utf16_from_utf8(name);
  if (text) wire::put_av_pair(out, id, as_bytes(*text));
}

// TargetInfo of the CHALLENGE, MS-NLMP 3.2.5.1.1.
void put_target_info(wire::Builder& out, const AcceptorContext& context) {
  put_name(out, wire::AvId::kNbDomainName, context.domain);
  put_name(out, wire::AvId::kNbComputerName, context.server_name);
  put_name(out, wire::AvId::kDnsDomainName, context.dns_domain);
  put_name(out, wire::AvId::kDnsComputerName, context.dns_name);
  std::array<uint8_t, 8> time;
  store(time.data(), context.now.ticks);
  wire::put_av_pair(out, wire::AvId::kTimestamp, time);
  wire::put_av_pair(out, wire::AvId::kEol, {});
}

}  // namespace

AcceptorStep Acceptor::fail_with(NtStatus status) {
  state_ = State::kDone;
  return {.outcome = AcceptorStep::Outcome::kFailed, .status = status};
}

AcceptorStep Acceptor::accept(Bytes token, const AcceptorContext& context, MutableBytes reply) {
  const auto unwrapped = unwrap(token);
  if (!unwrapped) return fail_with(unwrapped.error());
  switch (state_) {
    case State::kStart:
      if (unwrapped->input == Input::kOtherMechFirst || unwrapped->input == Input::kNothing) {
        return spnego_ ? select_ntlm(unwrapped->input, reply)
                       : fail_with(NtStatus::kInvalidParameter);
      }
      [[fallthrough]];
    case State::kAwaitNegotiate:
      if (unwrapped->input != Input::kNegotiate) return fail_with(NtStatus::kInvalidParameter);
      return on_negotiate(unwrapped->ntlm, context, reply);
    case State::kAwaitAuthenticate:
      if (unwrapped->input != Input::kAuthenticate) return fail_with(NtStatus::kInvalidParameter);
      return on_authenticate(unwrapped->ntlm);
    case State::kAwaitAccount:
    case State::kDone:
      break;
  }
  return fail_with(NtStatus::kInvalidParameter);
}

// ---- Framing ------------------------------------------------------------------------------------

Result<Acceptor::Unwrapped> Acceptor::unwrap(Bytes token) {
  const uint8_t first = token.empty() ? 0 : token.front();
  if (state_ == State::kStart) {
    if (first == wire::kGssWrapperTag) return unwrap_init(token);
  } else if (spnego_) {
    if (first == wire::kNegTokenRespTag) return unwrap_resp(token);
    return fail(NtStatus::kInvalidParameter);
  }
  const auto type = wire::ntlm_message_type(token);
  if (!type) return fail(NtStatus::kInvalidParameter);
  return Unwrapped{*type == NtlmMessageType::kNegotiate      ? Input::kNegotiate
                   : *type == NtlmMessageType::kAuthenticate ? Input::kAuthenticate
                                                             : Input::kNothing,
                   token};
}

Result<Acceptor::Unwrapped> Acceptor::unwrap_init(Bytes token) {
  const auto init = wire::NegTokenInit::parse(token);
  if (!init) return fail(init.error());
  const auto position = init->position_of(wire::Mech::kNtlmssp);
  if (!position) return fail(NtStatus::kLogonFailure);  // no mechanism in common
  if (init->mech_list.size() > kMechListMax) return fail(NtStatus::kInvalidParameter);
  spnego_ = true;
  mech_list_ = copy(init->mech_list);
  // The optimistic token belongs to the first mechanism of the list, whatever it contains.
  if (*position != 0) return Unwrapped{Input::kOtherMechFirst, {}};
  if (!init->mech_token || init->mech_token->empty()) return Unwrapped{Input::kNothing, {}};
  if (wire::ntlm_message_type(*init->mech_token) != NtlmMessageType::kNegotiate) {
    return fail(NtStatus::kInvalidParameter);
  }
  return Unwrapped{Input::kNegotiate, *init->mech_token};
}

Result<Acceptor::Unwrapped> Acceptor::unwrap_resp(Bytes token) {
  const auto resp = wire::NegTokenResp::parse(token);
  if (!resp) return fail(resp.error());
  if (resp->state == NegState::kReject) return fail(NtStatus::kLogonFailure);
  if (resp->mech_list_mic) {
    if (resp->mech_list_mic->size() != sizeof(Key16)) return fail(NtStatus::kLogonFailure);
    mech_list_mic_ = copy(*resp->mech_list_mic);
  }
  const Bytes message = resp->response_token.value_or(Bytes());
  const auto type = wire::ntlm_message_type(message);
  if (type == NtlmMessageType::kNegotiate) return Unwrapped{Input::kNegotiate, message};
  if (type == NtlmMessageType::kAuthenticate) return Unwrapped{Input::kAuthenticate, message};
  return fail(NtStatus::kInvalidParameter);
}

// The client's optimistic token, if any, was for a mechanism that we don't have. RFC 4178 5: when
// the choice is not the client's first, the target asks for a mechListMIC. We check one that comes,
// and don't insist: there is no stronger mechanism here that an attacker could have hidden.
AcceptorStep Acceptor::select_ntlm(Input input, MutableBytes reply) {
  wire::Builder out(reply);
  wire::NegTokenResp resp;
  resp.state =
      input == Input::kOtherMechFirst ? NegState::kRequestMic : NegState::kAcceptIncomplete;
  resp.supported_mech = wire::Mech::kNtlmssp;
  resp.build(out);
  if (!out.ok()) return fail_with(NtStatus::kBufferTooSmall);
  first_reply_sent_ = true;
  state_ = State::kAwaitNegotiate;
  return {.outcome = AcceptorStep::Outcome::kContinue,
          .status = NtStatus::kMoreProcessingRequired,
          .reply_size = out.size()};
}

// ---- NTLM ---------------------------------------------------------------------------------------

// MS-NLMP 3.2.5.1.1 "Server Receives a NEGOTIATE_MESSAGE from the Client".
AcceptorStep Acceptor::on_negotiate(Bytes message, const AcceptorContext& context,
                                    MutableBytes reply) {
  const auto negotiate = wire::NtlmNegotiate::parse(message);
  if (!negotiate) return fail_with(negotiate.error());
  // NTLMv2 is defined over UTF-16 names; a client without it can't use it.
  if (!(negotiate->flags & flag::kUnicode) || message.size() > kNegotiateMax) {
    return fail_with(NtStatus::kInvalidParameter);
  }
  offered_flags_ = (negotiate->flags & kEchoedFlags) | flag::kNtlm | flag::kTargetInfo;
  if (negotiate->flags & flag::kRequestTarget) {
    offered_flags_ |= flag::kRequestTarget | flag::kTargetTypeServer;
  }
  negotiate_ = copy(message);
  server_challenge_ = context.challenge;

  std::array<uint8_t, kTargetInfoMax> info_space;
  wire::Builder info(info_space);
  put_target_info(info, context);
  const auto target = utf16_from_utf8(context.server_name).value_or(u"");
  std::vector<uint8_t> challenge(kReplySizeMax);
  wire::Builder built(challenge);
  wire::NtlmChallenge{offered_flags_, server_challenge_, as_bytes(target), info.written()}.build(
      built);
  if (!info.ok() || !built.ok()) return fail_with(NtStatus::kBufferTooSmall);
  challenge.resize(built.size());
  challenge_ = std::move(challenge);

  wire::Builder out(reply);
  if (spnego_) {
    wire::NegTokenResp resp;
    resp.state = NegState::kAcceptIncomplete;
    if (!first_reply_sent_) resp.supported_mech = wire::Mech::kNtlmssp;
    resp.response_token = challenge_;
    resp.build(out);
  } else {
    out.bytes(challenge_);
  }
  if (!out.ok()) return fail_with(NtStatus::kBufferTooSmall);
  first_reply_sent_ = true;
  state_ = State::kAwaitAuthenticate;
  return {.outcome = AcceptorStep::Outcome::kContinue,
          .status = NtStatus::kMoreProcessingRequired,
          .reply_size = out.size()};
}

// MS-NLMP 3.2.5.1.2 "Server Receives an AUTHENTICATE_MESSAGE from the Client", up to the point
// where the account is needed.
AcceptorStep Acceptor::on_authenticate(Bytes message) {
  if (message.size() > kAuthenticateMax) return fail_with(NtStatus::kInvalidParameter);
  const auto authenticate = wire::NtlmAuthenticate::parse(message);
  if (!authenticate) return fail_with(authenticate.error());
  flags_ = authenticate->flags & offered_flags_;
  if (authenticate->user.size() > kNameUnitsMax * sizeof(char16_t) ||
      authenticate->domain.size() > kNameUnitsMax * sizeof(char16_t)) {
    return fail_with(NtStatus::kLogonFailure);
  }
  user16_ = utf16_from_wire(authenticate->user);
  domain16_ = utf16_from_wire(authenticate->domain);
  auto user = utf8_from_utf16(user16_);
  auto domain = utf8_from_utf16(domain16_);
  if (!user || !domain) return fail_with(NtStatus::kLogonFailure);
  user_ = std::move(*user);
  domain_ = std::move(*domain);

  // An anonymous client sends one zero byte as its LM response.
  const Bytes lm = authenticate->lm_response;
  is_anonymous_ = user_.empty() && authenticate->nt_response.empty() &&
                  (lm.empty() || (lm.size() == 1 && lm.front() == 0));
  if (!is_anonymous_) {
    // NTLMv1 (24 bytes) and LM are not spoken here: whatever isn't an NTLMv2 response is a failure.
    const auto response = wire::NtlmV2Response::parse(authenticate->nt_response);
    if (!response || user_.empty()) return fail_with(NtStatus::kLogonFailure);
    proof_ = response->proof;
    client_challenge_ = copy(response->client_challenge);
    const auto av_flags = wire::find_av_pair(response->av_pairs, wire::AvId::kFlags);
    if (av_flags && av_flags->size() == sizeof(uint32_t)) {
      mic_present_ = load<uint32_t>(av_flags->data()) & wire::kAvFlagMicPresent;
    }
    if (mic_present_ && !authenticate->mic) return fail_with(NtStatus::kInvalidParameter);
  }
  // A client that exchanges no key leaves the field empty. Some exchange one without asking for
  // signing or sealing, where MS-NLMP has none: the field tells.
  const Bytes session_key = authenticate->session_key;
  if (exchanges_key(flags_) && session_key.size() != sizeof(Key16)) {
    return fail_with(NtStatus::kInvalidParameter);
  }
  if ((flags_ & flag::kKeyExchange) && session_key.size() == sizeof(Key16)) {
    encrypted_session_key_.emplace();
    std::memcpy(encrypted_session_key_->data(), session_key.data(), session_key.size());
  }
  authenticate_ = copy(message);
  state_ = State::kAwaitAccount;
  return {.outcome = AcceptorStep::Outcome::kNeedAccount,
          .status = NtStatus::kSuccess,
          .user = user_,
          .domain = domain_,
          .is_anonymous = is_anonymous_};
}

// ---- Verdict ------------------------------------------------------------------------------------

Key16 Acceptor::exported_key(const Key16& key_exchange_key) const {
  return encrypted_session_key_ ? rc4_of(key_exchange_key, *encrypted_session_key_)
                                : key_exchange_key;
}

bool Acceptor::client_mic_is_right(const Key16& key) const {
  const Bytes sent = Bytes(authenticate_).subspan(wire::NtlmAuthenticate::kMicAt, sizeof(Key16));
  return same_key(sent, message_integrity(key, negotiate_, challenge_, authenticate_));
}

bool Acceptor::mech_list_mic_is_right(const Key16& key) const {
  return (flags_ & flag::kExtendedSessionSecurity) &&
         same_key(*mech_list_mic_, first_signature(key, Sender::kClient, flags_, mech_list_));
}

Result<AcceptorResult> Acceptor::finish(const Account& account, MutableBytes reply) {
  CHECK(state_ == State::kAwaitAccount);
  state_ = State::kDone;
  if (is_anonymous_) return fail(NtStatus::kLogonFailure);
  const Key16 response_key = ntowf_v2(account.nt_hash, user16_, domain16_);
  const Key16 proof = nt_proof(response_key, server_challenge_, client_challenge_);
  if (!same_key(proof, proof_)) return fail(NtStatus::kLogonFailure);
  const Key16 key = exported_key(session_base_key(response_key, proof));
  if (mic_present_ && !client_mic_is_right(key)) return fail(NtStatus::kLogonFailure);
  if (mech_list_mic_ && !mech_list_mic_is_right(key)) return fail(NtStatus::kLogonFailure);
  const auto size = write_last_reply(key, reply);
  if (!size) return fail(size.error());
  return AcceptorResult{*size, key};
}

Result<AcceptorResult> Acceptor::finish_anonymous(MutableBytes reply) {
  CHECK(state_ == State::kAwaitAccount && is_anonymous_);
  state_ = State::kDone;
  // MS-NLMP 3.2.5.1.2: an anonymous client's base key is zero. Everybody knows the key that
  // follows, but a client that sent a mechListMIC under it expects ours.
  const Key16 key = exported_key({});
  const bool answer_mic = mech_list_mic_ && mech_list_mic_is_right(key);
  const auto size = write_last_reply(answer_mic ? std::optional(key) : std::nullopt, reply);
  if (!size) return fail(size.error());
  return AcceptorResult{*size, std::nullopt};
}

Result<AcceptorResult> Acceptor::finish_guest(MutableBytes reply) {
  CHECK(state_ == State::kAwaitAccount);
  state_ = State::kDone;
  const auto size = write_last_reply(std::nullopt, reply);
  if (!size) return fail(size.error());
  return AcceptorResult{*size, std::nullopt};
}

Result<size_t> Acceptor::write_last_reply(const std::optional<Key16>& key, MutableBytes reply) {
  if (!spnego_) return 0;
  wire::NegTokenResp resp;
  resp.state = NegState::kAcceptCompleted;
  Key16 mic;
  // Only an answer: Windows clients drop the connection on a mechListMIC that they didn't ask for.
  if (mech_list_mic_ && key) {
    mic = first_signature(*key, Sender::kServer, flags_, mech_list_);
    resp.mech_list_mic = mic;
  }
  wire::Builder out(reply);
  resp.build(out);
  if (!out.ok()) return fail(NtStatus::kBufferTooSmall);
  return out.size();
}

}  // namespace semblance::auth
