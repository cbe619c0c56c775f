#pragma once
// Virtual time: who is woken next, and when that is. Nothing here waits.

#include <cstdint>
#include <queue>
#include <vector>

#include "engine/base/time.h"

namespace semblance::sim {

// Something in the world that acts at points in time.
class Actor {
 public:
  virtual ~Actor() = default;
  // `token` is what was given to Scheduler::wake.
  virtual void woken(uint64_t token) = 0;
};

class Scheduler {
 public:
  Instant now() const { return now_; }
  // Wakes `actor`, which outlives the scheduler, at `when` or now if that is past. Those of one
  // instant are woken in the order in which they asked.
  void wake(Actor& actor, Instant when, uint64_t token = 0);
  void wake(Actor& actor, Duration after, uint64_t token = 0) { wake(actor, now_ + after, token); }
  // Advances to the next wake-up, at most to `end`, and carries it out; false when there is none.
  bool run_one(Instant end = Instant::never());
  uint64_t wakes() const { return wakes_; }

 private:
  struct Wake {
    Instant when;
    uint64_t order;
    Actor* actor;
    uint64_t token;
    // The queue gives out its largest.
    bool operator<(const Wake& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };
  Instant now_{1'000'000'000};
  uint64_t order_ = 0, wakes_ = 0;
  std::priority_queue<Wake> queue_;
};

}  // namespace semblance::sim
