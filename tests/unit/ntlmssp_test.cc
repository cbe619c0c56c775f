#include "engine/wire/ntlmssp.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace semblance::wire {
namespace {

template <typename Message>
std::vector<uint8_t> built(const Message& message) {
  std::vector<uint8_t> space(20'000);
  Builder out(space);
  message.build(out);
  EXPECT_TRUE(out.ok());
  space.resize(out.size());
  return space;
}

using Blob = std::vector<uint8_t>;

RC_GTEST_PROP(Ntlmssp, MessagesRoundTrip, (Blob a, Blob b, Blob c, Blob d, uint32_t flags)) {
  const auto negotiate_bytes = built(NtlmNegotiate{flags, a, b});
  const auto negotiate = NtlmNegotiate::parse(negotiate_bytes);
  RC_ASSERT(negotiate && negotiate->flags == flags);
  RC_ASSERT(std::ranges::equal(negotiate->domain, a));
  RC_ASSERT(std::ranges::equal(negotiate->workstation, b));

  const auto challenge_bytes = built(NtlmChallenge{flags, {1, 2, 3}, c, d});
  const auto challenge = NtlmChallenge::parse(challenge_bytes);
  RC_ASSERT(challenge && challenge->flags == flags && challenge->server_challenge[2] == 3);
  RC_ASSERT(std::ranges::equal(challenge->target_name, c));
  RC_ASSERT(std::ranges::equal(challenge->target_info, d));

  const auto bytes = built(NtlmAuthenticate{flags, a, b, c, d, a, b, {{9, 8}}});
  const auto authenticate = NtlmAuthenticate::parse(bytes);
  RC_ASSERT(authenticate && authenticate->flags == flags);
  RC_ASSERT(std::ranges::equal(authenticate->lm_response, a));
  RC_ASSERT(std::ranges::equal(authenticate->nt_response, b));
  RC_ASSERT(std::ranges::equal(authenticate->domain, c));
  RC_ASSERT(std::ranges::equal(authenticate->user, d));
  RC_ASSERT(std::ranges::equal(authenticate->workstation, a));
  RC_ASSERT(std::ranges::equal(authenticate->session_key, b));
  RC_ASSERT(authenticate->mic && authenticate->mic->at(1) == 8);
}

TEST(Ntlmssp, AFieldMayNotWrapAroundTheMessage) {
  auto bytes = built(NtlmAuthenticate{.flags = 1, .user = Bytes()});
  store<uint16_t>(bytes.data() + 36, 8);           // user: length
  store<uint32_t>(bytes.data() + 40, 0xFFFFFFFC);  // offset: past 4 GiB
  EXPECT_FALSE(NtlmAuthenticate::parse(bytes));
}

TEST(Ntlmssp, AvPairsEndAtTheirMarkOnly) {
  Blob space(64);
  Builder out(space);
  const uint8_t value[] = {1, 2, 3, 4};
  put_av_pair(out, AvId::kFlags, value);
  const Bytes open_ended = out.written();
  EXPECT_TRUE(find_av_pair(open_ended, AvId::kFlags));
  EXPECT_FALSE(av_pairs_of(open_ended)) << "no MsvAvEOL";
  put_av_pair(out, AvId::kEol, {});
  put_av_pair(out, AvId::kTimestamp, value);
  EXPECT_EQ(av_pairs_of(out.written())->size(), 8u);
  EXPECT_FALSE(find_av_pair(out.written(), AvId::kTimestamp)) << "behind the end";
}

RC_GTEST_PROP(Ntlmssp, HostileMessagesStayInside, (Blob noise, uint8_t type)) {
  Blob bytes = {'N', 'T', 'L', 'M', 'S', 'S', 'P', 0, static_cast<uint8_t>(1 + type % 3), 0, 0, 0};
  bytes.insert(bytes.end(), noise.begin(), noise.end());
  const auto inside = [&](Bytes view) {
    return view.empty() || (view.data() >= bytes.data() &&
                            view.data() + view.size() <= bytes.data() + bytes.size());
  };
  if (const auto m = NtlmNegotiate::parse(bytes)) {
    RC_ASSERT(inside(m->domain) && inside(m->workstation));
  }
  if (const auto m = NtlmChallenge::parse(bytes)) {
    RC_ASSERT(inside(m->target_name) && inside(m->target_info));
  }
  if (const auto m = NtlmAuthenticate::parse(bytes)) {
    RC_ASSERT(inside(m->lm_response) && inside(m->nt_response) && inside(m->domain) &&
              inside(m->user) && inside(m->workstation) && inside(m->session_key));
  }
  (void)NtlmV2Response::parse(noise);
  (void)find_av_pair(noise, AvId::kFlags);
  (void)av_pairs_of(noise);
}

}  // namespace
}  // namespace semblance::wire
