#pragma once
// What scenarios cost, and how that is written down: tests/cost/effects.txt.

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/effects/counters.h"
#include "tools/cli/effects/scenario.h"

namespace semblance::effects {

// Of so many requests together.
struct Cost {
  std::string_view name;
  uint64_t requests = 0;
  OperationCounts operations{};
  uint64_t budget = 0;  // store operations that they may take
  Counts counts;
  int64_t instructions = -1;  // in user space; -1: they can't be counted here
};

// Plays the scenario in a world of its own. All but the instructions is always the same.
Cost cost_of(const Scenario& scenario);

// Store operations of all kinds.
uint64_t operations_of(const Cost& cost);

// What the requests of a server may take: engine/smb/ledger.h.
uint64_t budget_of(const Server& server, uint32_t components, uint32_t entries);

// A line for each; all numbers are per request.
enum class Instructions : uint8_t { kLeaveOut, kShow };
std::string table_of(const std::vector<Cost>& costs, Instructions instructions);

// "2", "0.5", "0.03": what each of `requests` had of `total`; "-" of nothing known.
std::string per_request(int64_t total, uint64_t requests);

}  // namespace semblance::effects
