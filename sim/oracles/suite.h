#pragma once
// All oracles of a run, and the witness that feeds them.

#include <memory>
#include <vector>

#include "sim/oracles/witness.h"

namespace semblance::sim {

class OracleSuite {
 public:
  // Everything outlives the suite.
  OracleSuite(Failures& failures, const Scheduler& scheduler, const Disk& disk);

  Witness& witness() { return witness_; }

 private:
  template <typename One, typename... Arguments>
  One& add(Arguments&&... arguments) {
    auto one = std::make_unique<One>(std::forward<Arguments>(arguments)...);
    One& added = *one;
    oracles_.push_back(std::move(one));
    witness_.add(added);
    return added;
  }

  Witness witness_;
  std::vector<std::unique_ptr<Oracle>> oracles_;
};

}  // namespace semblance::sim
