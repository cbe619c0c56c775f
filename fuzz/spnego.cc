// SPNEGO tokens of both kinds, there and back.

#include "engine/wire/spnego.h"

#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using namespace wire;

bool same_bytes(const std::optional<Bytes>& a, const std::optional<Bytes>& b) {
  return a.has_value() == b.has_value() && (!a || std::ranges::equal(*a, *b));
}

void try_init(Bytes token) {
  auto first = NegTokenInit::parse(token);
  if (!first) return;
  CHECK(first->mech_count <= kMechsMax);
  // What has no name here can't be written.
  std::span<const Mech> mechs(first->mechs.data(), first->mech_count);
  if (mechs.empty() || std::ranges::find(mechs, Mech::kOther) != mechs.end()) return;
  std::vector<uint8_t> again = built(*first, 0, 3 * token.size() + 1024);
  auto second = NegTokenInit::parse(again);
  CHECK(second && second->mech_count == first->mech_count && second->mechs == first->mechs);
  CHECK(same_bytes(second->mech_token, first->mech_token) &&
        same_bytes(second->mech_list_mic, first->mech_list_mic));
}

void try_resp(Bytes token) {
  auto first = NegTokenResp::parse(token);
  if (!first || first->supported_mech == Mech::kOther) return;
  std::vector<uint8_t> again = built(*first, 0, 3 * token.size() + 1024);
  auto second = NegTokenResp::parse(again);
  CHECK(second && second->state == first->state &&
        second->supported_mech == first->supported_mech &&
        same_bytes(second->response_token, first->response_token) &&
        same_bytes(second->mech_list_mic, first->mech_list_mic));
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  semblance::fuzz::try_init({data, size});
  semblance::fuzz::try_resp({data, size});
  return 0;
}
