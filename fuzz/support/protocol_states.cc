#include "fuzz/support/protocol_states.h"

#include <algorithm>

// Where the compiler keeps a counter for each edge (-fsanitize-coverage=inline-8bit-counters).
extern "C" {
__attribute__((weak, visibility("hidden"))) extern uint8_t __start___sancov_cntrs;
__attribute__((weak, visibility("hidden"))) extern uint8_t __stop___sancov_cntrs;
}

namespace semblance::fuzz {
namespace {

constexpr size_t kCommands = 32;  // the unknown ones share the last
constexpr size_t kStatuses = 32;  // by a hash; few statuses of one command share a counter

// The section that libFuzzer looks for.
__attribute__((section("__libfuzzer_extra_counters"),
               used)) uint8_t counters[kPeerStates * kCommands * kStatuses];

}  // namespace

void note_reply(const wire::Header& reply, uint8_t state) {
  size_t command = std::min<size_t>(static_cast<size_t>(reply.command), kCommands - 1);
  size_t status = reply.status * 0x9E3779B1u >> 27;
  ++counters[(state % kPeerStates * kCommands + command) * kStatuses + status];
}

void forget_coverage() {
  if (&__start___sancov_cntrs != nullptr)
    std::fill(&__start___sancov_cntrs, &__stop___sancov_cntrs, 0);
  std::ranges::fill(counters, 0);
}

}  // namespace semblance::fuzz
