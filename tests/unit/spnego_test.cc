#include "engine/wire/spnego.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace semblance::wire {
namespace {

template <typename Token>
std::vector<uint8_t> built(const Token& token) {
  std::vector<uint8_t> space(200'000);
  Builder out(space);
  token.build(out);
  EXPECT_TRUE(out.ok());
  space.resize(out.size());
  return space;
}

bool same(const std::optional<Bytes>& a, const std::optional<Bytes>& b) {
  return a.has_value() == b.has_value() && (!a || std::ranges::equal(*a, *b));
}

std::optional<Bytes> maybe(bool has, const std::vector<uint8_t>& bytes) {
  return has ? std::optional<Bytes>(bytes) : std::nullopt;
}

// Lengths around each size of a DER length field.
std::vector<uint8_t> blob() {
  return std::vector<uint8_t>(
      *rc::gen::element<size_t>(0, 1, 16, 90, 127, 128, 200, 255, 256, 65'400, 65'536, 70'000), 7);
}

RC_GTEST_PROP(NegTokenInit, RoundTrips, (std::vector<uint8_t> picks, uint8_t bits)) {
  const auto token = blob(), mic = blob();
  NegTokenInit init;
  init.mech_token = maybe(bits & 1, token);
  init.mech_list_mic = maybe(bits & 2, mic);
  init.hint = bits & 4;
  for (uint8_t pick : picks) {
    if (init.mech_count < kMechsMax) init.mechs[init.mech_count++] = Mech(1 + pick % 3);
  }
  const auto bytes = built(init);
  const auto parsed = NegTokenInit::parse(bytes);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(parsed->mech_count == init.mech_count && parsed->mechs == init.mechs);
  RC_ASSERT(same(parsed->mech_token, init.mech_token));
  RC_ASSERT(same(parsed->mech_list_mic, init.mech_list_mic));
  std::vector<uint8_t> space(512);
  Builder list(space);
  put_mech_list(list, std::span(init.mechs).first(init.mech_count));
  RC_ASSERT(std::ranges::equal(parsed->mech_list, list.written()));
}

RC_GTEST_PROP(NegTokenResp, RoundTrips, (uint8_t bits)) {
  const auto token = blob(), mic = blob();
  NegTokenResp resp;
  if (bits & 1) resp.state = NegState(bits >> 6);
  if (bits & 2) resp.supported_mech = Mech(1 + (bits >> 4) % 3);
  resp.response_token = maybe(bits & 4, token);
  resp.mech_list_mic = maybe(bits & 8, mic);
  const auto bytes = built(resp);
  const auto parsed = NegTokenResp::parse(bytes);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(parsed->state == resp.state && parsed->supported_mech == resp.supported_mech);
  RC_ASSERT(same(parsed->response_token, resp.response_token));
  RC_ASSERT(same(parsed->mech_list_mic, resp.mech_list_mic));
}

TEST(Spnego, ServerHintIsTheKnownToken) {
  std::vector<uint8_t> space(256);
  Builder out(space);
  put_server_hint(out);
  ASSERT_TRUE(out.ok());
  const uint8_t start[] = {0x60, 0x48, 0x06, 0x06, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x02,
                           0xa0, 0x3e, 0x30, 0x3c, 0xa0, 0x0e, 0x30, 0x0c, 0x06, 0x0a,
                           0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x0a,
                           0xa3, 0x2a, 0x30, 0x28, 0xa0, 0x26, 0x1b, 0x24};
  ASSERT_EQ(out.size(), sizeof start + 36);
  EXPECT_TRUE(std::ranges::equal(out.written().first(sizeof start), start));
}

TEST(Spnego, IndefiniteLengthsAreRefused) {
  std::vector<uint8_t> space(256);
  Builder out(space);
  put_server_hint(out);
  space.resize(out.size() + 2);
  space[1] = 0x80;
  EXPECT_FALSE(NegTokenInit::parse(space));
}

RC_GTEST_PROP(Spnego, HostileTokensAreJudgedNotFollowed, (std::vector<uint8_t> noise)) {
  (void)NegTokenInit::parse(noise);
  (void)NegTokenResp::parse(noise);
  NegTokenInit init;
  init.mechs[init.mech_count++] = Mech::kNtlmssp;
  init.mech_token = noise;
  init.hint = true;
  auto bytes = built(init);
  const size_t at = *rc::gen::inRange<size_t>(0, bytes.size());
  bytes[at] = *rc::gen::arbitrary<uint8_t>();
  const auto parsed = NegTokenInit::parse(bytes);
  if (parsed && parsed->mech_token) {
    const auto* begin = parsed->mech_token->data();
    RC_ASSERT(parsed->mech_token->empty() ||
              (begin >= bytes.data() &&
               begin + parsed->mech_token->size() <= bytes.data() + bytes.size()));
  }
  (void)NegTokenInit::parse(Bytes(bytes).first(at));
}

}  // namespace
}  // namespace semblance::wire
