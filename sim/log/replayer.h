#pragma once
// Replays an event log: drives a fresh engine with the recorded events and compares what comes out,
// effect by effect, and what is sent, until the first difference.

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>

namespace semblance::log {

enum class ReplayOutcome : uint8_t {
  kAgrees,
  kDiffers,
  kUnreadable,  // no log, of another version, cut off in its header, or damaged
};

struct ReplayReport {
  ReplayOutcome outcome = ReplayOutcome::kUnreadable;
  // Unless all agrees: what is wrong, and where; lines, each with its end. May also tell that a log
  // that agrees ends within a record.
  std::string account;
  std::string build;  // what recorded it
  uint64_t steps = 0, events = 0, effects = 0;
  uint64_t bytes = 0;  // received, read and sent
};

// With `trace`, every step's events and effects are written there, a line each, before the next
// step begins: what an engine that aborts was doing stands at its end.
ReplayReport replay(std::istream& log, std::ostream* trace = nullptr);

}  // namespace semblance::log
