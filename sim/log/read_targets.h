#pragma once
// Where the store operations under way put what they read: the bytes of a read come with its
// completion, so whoever hashes, records or replays a StoreDone has to remember the destination.

#include <vector>

#include "engine/engine.h"

namespace semblance::log {

class ReadTargets {
 public:
  // To be told of every RunStore; remembers those that have a destination.
  void note(const RunStore& effect);

  // The whole destination of the operation that `done` answers, and forgets it; empty when it has
  // none, failed, or is not under way (a late or repeated answer). Valid until the engine steps.
  MutableBytes take(const StoreDone& done);
  // The front of it that the operation has filled, by its StoreCount.
  MutableBytes take_filled(const StoreDone& done);

 private:
  struct Target {
    uint32_t generation = 0;
    MutableBytes into;
  };
  std::vector<Target> targets_;  // by OperationId::index, which the engine's pool bounds
};

}  // namespace semblance::log
