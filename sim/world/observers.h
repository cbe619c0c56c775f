#pragma once
// The list of observers, told in its order.

#include <vector>

#include "sim/world/observer.h"

namespace semblance::sim {

class Observers {
 public:
  // `observer` outlives the run.
  void add(Observer& observer) { all_.push_back(&observer); }
  template <typename... Parameters, typename... Arguments>
  void tell(void (Observer::*what)(Parameters...), const Arguments&... arguments) {
    for (Observer* one : all_) (one->*what)(arguments...);
  }

 private:
  std::vector<Observer*> all_;
};

}  // namespace semblance::sim
