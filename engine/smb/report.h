#pragma once
// What the engine counts: for metrics, `semblance status` and the effect report.

#include <array>
#include <cstdint>
#include <vector>

#include "engine/smb/ledger.h"
#include "engine/smb/mark_counts.h"

namespace semblance {

namespace smb {

struct Counters {
  uint64_t messages = 0;
  uint64_t requests = 0;  // elements of compounds one by one
  std::array<uint64_t, wire::kCommandCount> by_command{};
  uint64_t errors = 0;  // replies with an error status
  uint64_t bytes_read = 0, bytes_written = 0;
  uint64_t connections_accepted = 0, connections_refused = 0;
  uint64_t sessions_established = 0, logon_failures = 0;
  uint64_t bad_signatures = 0;
  uint64_t bugs = 0;                 // our own broken invariants: must stay 0
  uint64_t protocol_violations = 0;  // connections closed for what their peer sent
};

}  // namespace smb

// A copy of counters and gauges as of the last step.
struct EngineReport {
  smb::Counters counters;
  std::array<smb::LedgerRow, smb::kShapes> ledgers{};
  smb::MarkCounts marks{};
  uint32_t connections = 0, sessions = 0, trees = 0, opens = 0, requests = 0, files = 0;
  uint32_t frames = 0;
  uint64_t transmit_bytes = 0, indexed_names = 0;
};

}  // namespace semblance
