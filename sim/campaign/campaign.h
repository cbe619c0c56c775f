#pragma once
// Many seeds: run, counted, and for each kind of failure a minimised tape.

#include <functional>
#include <string>
#include <vector>

#include "sim/campaign/isolated.h"

namespace semblance::sim {

struct CampaignOptions {
  uint64_t first = 1, last = 100;
  double minutes = 0;       // not 0: stops then, whatever `last` says
  uint32_t jobs = 1;        // processes
  RunOptions run;           // for every seed
  std::string planted;      // the planted fault of this build; empty: none
  std::string tapes = ".";  // directory of the tapes of failures; empty: none are written
  uint32_t minimise_runs = 4000;
  uint32_t failures_max = 10;  // stops at so many
};

struct Found {
  Outcome outcome;
  std::string tape;  // the file, if one was written
  size_t choices_before = 0, choices = 0;
};

struct CampaignResult {
  uint64_t seeds = 0, requests = 0, events = 0;
  double simulated_seconds = 0, wall_seconds = 0;
  uint64_t failures = 0;
  std::array<uint64_t, 2> hash{};     // over all seeds; the order of the jobs does not matter
  std::array<uint64_t, 128> marks{};  // runs that reached each
  std::vector<Found> found;           // one for each oracle, and what it said without its numbers
};

// `progress` hears every outcome, in no particular order.
CampaignResult run_campaign(const CampaignOptions& options,
                            const std::function<void(const Outcome&)>& progress);

// Runs a seed once more, records and minimises it. The tape has no oracle if it does not fail
// again.
Tape minimised_tape(const Outcome& failure, const RunOptions& run, uint32_t runs_max,
                    size_t* choices_before);

}  // namespace semblance::sim
