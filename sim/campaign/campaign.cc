#include "sim/campaign/campaign.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>

#include "sim/campaign/minimise.h"
#include "sim/choice/sources.h"

namespace semblance::sim {

namespace {

double now_seconds() {
  auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// What a failure says, without its numbers: of the same kind or not.
std::string kind_of(const Outcome& outcome) {
  std::string kind = outcome.oracle + ": ";
  for (char c : outcome.what.substr(0, outcome.what.find('[')))
    if (c < '0' || c > '9') kind += c;
  return kind;
}

void count(CampaignResult& result, const Outcome& outcome) {
  ++result.seeds;
  result.requests += outcome.requests;
  result.events += outcome.events;
  result.simulated_seconds += static_cast<double>(outcome.simulated_ns) / 1e9;
  // A sum of scrambled pairs: in any order the same.
  for (size_t i = 0; i < 2; ++i)
    result.hash[i] += scramble(outcome.hash[i] + outcome.seed * 0x9E3779B97F4A7C15);
  for (size_t i = 0; i < outcome.marks.size(); ++i) result.marks[i] += outcome.marks[i] != 0;
}

}  // namespace

Tape minimised_tape(const Outcome& failure, const RunOptions& run, uint32_t runs_max,
                    size_t* choices_before) {
  Tape tape;
  tape.seed = failure.seed;
  tape.requests = run.requests;
  tape.choices = choices_of(failure.seed, run);
  *choices_before = tape.choices.size();
  // The swarm is on the tape: it is not drawn again, nor given.
  auto fails = [&](const std::vector<Choice>& choices) {
    Tape smaller = tape;
    smaller.choices = choices;
    return replay_isolated(smaller, run).oracle == failure.oracle;
  };
  if (!fails(tape.choices)) return tape;
  tape.choices = minimise(std::move(tape.choices), fails, runs_max);
  Outcome last = replay_isolated(tape, run);
  tape.oracle = last.oracle;
  tape.what = last.what;
  return tape;
}

CampaignResult run_campaign(const CampaignOptions& options,
                            const std::function<void(const Outcome&)>& progress) {
  CampaignResult result;
  double start = now_seconds();
  auto run = [&](uint64_t seed) {
    HashSource source(seed);
    Chooser chooser(source);
    RunOptions own = options.run;
    own.seed = seed;
    return outcome_of(seed, simulate(chooser, own));
  };
  std::vector<std::unique_ptr<Worker>> workers;
  uint64_t last = options.minutes > 0 ? UINT64_MAX - options.jobs : options.last;
  for (uint32_t i = 0; i < options.jobs; ++i)
    workers.push_back(std::make_unique<Worker>(run, options.first + i, last, options.jobs));
  std::vector<Outcome> failed;
  std::set<std::string> kinds;
  auto time_is_up = [&] {
    return options.minutes > 0 && now_seconds() - start >= options.minutes * 60;
  };
  while (result.failures < options.failures_max && !time_is_up()) {
    std::vector<pollfd> ready;
    for (auto& worker : workers)
      if (int fd = worker->descriptor(); fd >= 0) ready.push_back({fd, POLLIN, 0});
    if (ready.empty()) break;
    ::poll(ready.data(), ready.size(), 1000);
    for (auto& worker : workers) {
      int fd = worker->descriptor();
      bool speaks = std::ranges::any_of(
          ready, [&](const pollfd& one) { return one.fd == fd && one.revents != 0; });
      if (!speaks) continue;
      std::optional<Outcome> outcome = worker->next();
      if (!outcome) continue;
      count(result, *outcome);
      progress(*outcome);
      if (outcome->oracle.empty()) continue;
      ++result.failures;
      if (kinds.insert(kind_of(*outcome)).second) failed.push_back(*outcome);
    }
  }
  workers.clear();
  result.wall_seconds = now_seconds() - start;
  for (const Outcome& outcome : failed) {
    Found found{outcome, "", 0, 0};
    if (!options.tapes.empty()) {
      Tape tape =
          minimised_tape(outcome, options.run, options.minimise_runs, &found.choices_before);
      tape.planted = options.planted;
      found.choices = tape.choices.size();
      std::string path = options.tapes + "/failure-" + std::to_string(outcome.seed) + ".tape";
      if (write_tape(tape, path)) found.tape = path;
    }
    result.found.push_back(std::move(found));
  }
  return result;
}

}  // namespace semblance::sim
