#pragma once
// What kind of work the clients of a run do: weights of commands, pauses, how deep they queue.

#include <array>
#include <string_view>

#include "sim/clients/commands.h"

namespace semblance::sim {

struct Workload {
  std::string_view name;
  std::array<uint32_t, kCommandKinds> weights{};  // by CommandKind
  uint32_t think_ms = 20;                         // at most, between two commands
  uint32_t depth = 4;                             // commands of one client under way, at most
  uint32_t bytes_max = 70'000;                    // of one READ or WRITE
  uint32_t hang_up_ppm = 0;                       // beside the fault of that name
};

// All of them; the first is everything at once.
std::span<const Workload> workloads();

}  // namespace semblance::sim
