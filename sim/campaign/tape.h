#pragma once
// A run as a file: its seed, what was chosen, what it found. Text (cereal's JSON), so that it can
// be committed and read. Choices are named by site, entity and occurrence: a tape survives changes
// of the code around them, and what it does not mention is 0.

#include <expected>
#include <string>
#include <vector>

#include "sim/run/simulation.h"

namespace semblance::sim {

struct Tape {
  uint64_t seed = 0;
  uint32_t requests = 100;
  std::string oracle, what;  // the failure that it shows; empty: none any more
  std::string planted;       // the planted fault that it needs; empty: none
  std::vector<Choice> choices;
};

// An error says which file and why.
std::expected<Tape, std::string> read_tape(const std::string& path);
std::expected<void, std::string> write_tape(const Tape& tape, const std::string& path);

// Runs what is on it.
RunResult replay(const Tape& tape, const RunOptions& options = {});

}  // namespace semblance::sim
