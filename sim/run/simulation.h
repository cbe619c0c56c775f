#pragma once
// One run: a world made of what the chooser says, driven until all clients are done, healed, and
// laid to rest.

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/choice/chooser.h"
#include "sim/clients/actor.h"
#include "sim/world/failure.h"
#include "sim/world/observer.h"
#include "sim/world/swarm.h"

namespace semblance::sim {

// The wall clock of every run at instant 0, in seconds since 1970; it may jump later.
inline constexpr int64_t kFirstWallSecond = 1'700'000'000;

struct RunOptions {
  uint64_t seed = 1;                              // of entropy; the choices come from the chooser
  uint32_t requests = 100;                        // about that many in all
  std::optional<std::vector<FaultClass>> faults;  // instead of drawn ones
  // One honest client of the share "data" that sends this, `requests` times; empty: drawn clients.
  Script script;
  // Instead of drawn ones; their numbers are their places. Their workloads outlive the run.
  std::optional<std::vector<ActorOptions>> clients;
  std::optional<Requirement> signing;  // of the server, instead of a drawn one
  // Dies at the effect of this number (see ServerOptions); 0: only when a fault says so.
  uint64_t crash_at_effect = 0;
  CrashKind crash_kind = CrashKind::kKill;
  // Watch, and change nothing; told after the oracles.
  std::vector<Observer*> watchers;
  // Memory that the next run may use again: see ServerOptions. Null: the run has its own.
  EffectQueue* effects = nullptr;
  // Writes a line for everything that happens; null: does not.
  FILE* trace = nullptr;
};

struct RunResult {
  uint64_t requests = 0;  // that arrived at the server
  uint64_t events = 0;    // wake-ups of the world
  uint64_t effects = 0;
  Duration simulated{0};
  std::array<uint64_t, 2> hash{};    // over all events, effects and bytes sent
  std::string swarm;                 // the faults of this run
  std::string shape;                 // workload, clients, dialects
  std::array<uint8_t, 128> marks{};  // smb::MarkCounts: SOMETIMES points reached
  std::optional<Failure> failure;
  std::vector<Choice> choices;
};

// `chooser` is fresh. The same answers give the same result, everywhere.
RunResult simulate(Chooser& chooser, const RunOptions& options);

}  // namespace semblance::sim
