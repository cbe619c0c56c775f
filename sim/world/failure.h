#pragma once
// What an oracle found. The first failure ends a run.

#include <optional>
#include <string>
#include <string_view>

#include "sim/world/scheduler.h"

namespace semblance::sim {

struct Failure {
  std::string oracle;  // its name, as in SIMULATOR.md
  std::string what;
  Instant when;
};

class Failures {
 public:
  explicit Failures(const Scheduler& scheduler) : scheduler_(scheduler) {}
  void add(std::string_view oracle, std::string what) {
    if (!first_) first_ = {std::string(oracle), std::move(what), scheduler_.now()};
  }
  const std::optional<Failure>& first() const { return first_; }

 private:
  const Scheduler& scheduler_;
  std::optional<Failure> first_;
};

}  // namespace semblance::sim
