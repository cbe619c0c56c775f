#pragma once
// Runs in a child process, so that what aborts or hangs is a failure like any other.

#include <functional>
#include <optional>
#include <string>

#include "sim/campaign/tape.h"

namespace semblance::sim {

// The part of a result that crosses the pipe.
struct Outcome {
  uint64_t seed = 0;
  uint64_t requests = 0, events = 0;
  int64_t simulated_ns = 0;
  std::array<uint64_t, 2> hash{};
  std::string swarm, shape;
  std::string oracle, what;  // empty: held
  int64_t failed_at_ns = 0;
  std::array<uint8_t, 128> marks{};
};
Outcome outcome_of(uint64_t seed, const RunResult& result);

// Seeds first, first + step, ... up to last, in a child of this process.
class Worker {
 public:
  // `run` makes the outcome of one seed; it is called in the child.
  using Run = std::function<Outcome(uint64_t seed)>;
  Worker(Run run, uint64_t first, uint64_t last, uint64_t step);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The next outcome; none at the end. A child that died or hung is the outcome of its seed, with
  // the oracle "crash"; another child goes on behind it.
  std::optional<Outcome> next();
  // Readable when next() has something to say soon; -1 at the end.
  int descriptor();

 private:
  void spawn();
  void reap();
  Outcome lost(std::string why);

  Run run_;
  uint64_t at_, last_, step_;
  int child_ = -1, pipe_ = -1;
  std::string buffer_;
};

// The failure of a tape, found in a child; an Outcome with an empty oracle when it holds.
Outcome replay_isolated(const Tape& tape, const RunOptions& options);

// What a seed, or a fresh source, chooses, also when its run aborts.
std::vector<Choice> choices_of(uint64_t seed, const RunOptions& options);
std::vector<Choice> choices_of(Source& source, const RunOptions& options);

}  // namespace semblance::sim
