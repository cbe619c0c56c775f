// NTLMSSP messages by their type, and what lies in them: attribute pairs, the NTLMv2 response.

#include "engine/wire/ntlmssp.h"

#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using namespace wire;

void try_pairs(Bytes view) {
  std::vector<uint8_t> list = exactly(view);
  for (uint16_t id = 0; id <= static_cast<uint16_t>(AvId::kChannelBindings) + 1; ++id)
    look_at(find_av_pair(list, static_cast<AvId>(id)));
  auto pairs = av_pairs_of(list);
  CHECK(!pairs || pairs->size() <= list.size());
}

void try_response(Bytes view) {
  std::vector<uint8_t> bytes = exactly(view);
  auto first = NtlmV2Response::parse(bytes);
  if (!first) return;
  try_pairs(first->av_pairs);
  auto pairs = av_pairs_of(first->av_pairs);
  if (!pairs) return;
  std::vector<uint8_t> memory(bytes.size() + 64);
  Builder b(memory);
  b.bytes(first->proof);
  put_ntlm_v2_client_challenge(b, first->time, first->challenge, *pairs);
  CHECK(b.ok());
  auto second = NtlmV2Response::parse(b.written());
  CHECK(second && second->proof == first->proof && second->time == first->time &&
        second->challenge == first->challenge);
  auto again = av_pairs_of(second->av_pairs);
  CHECK(again && std::ranges::equal(*again, *pairs));
}

void try_authenticate(Bytes message) {
  auto first = NtlmAuthenticate::parse(message);
  if (!first) return;
  try_response(first->nt_response);
  NtlmAuthenticate value = *first;
  if (!value.mic) value.mic.emplace();  // is written as zeros
  std::vector<uint8_t> again = built(value, 0, 8 * message.size() + 256);
  auto second = NtlmAuthenticate::parse(again);
  CHECK(second && second->flags == value.flags && second->mic == value.mic &&
        equal(second->lm_response, value.lm_response) &&
        equal(second->nt_response, value.nt_response) && equal(second->domain, value.domain) &&
        equal(second->user, value.user) && equal(second->workstation, value.workstation) &&
        equal(second->session_key, value.session_key));
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  using namespace semblance::wire;
  Bytes message(data, size);
  auto type = ntlm_message_type(message);
  if (!type) return 0;
  switch (*type) {
    case NtlmMessageType::kNegotiate:
      fuzz::round_trip<NtlmNegotiate>(message);
      break;
    case NtlmMessageType::kChallenge:
      fuzz::round_trip<NtlmChallenge>(message);
      if (auto challenge = NtlmChallenge::parse(message)) fuzz::try_pairs(challenge->target_info);
      break;
    case NtlmMessageType::kAuthenticate:
      fuzz::try_authenticate(message);
      break;
  }
  return 0;
}
