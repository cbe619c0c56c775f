#include "sim/world/scheduler.h"

#include <algorithm>

namespace semblance::sim {

void Scheduler::wake(Actor& actor, Instant when, uint64_t token) {
  queue_.push({std::max(when, now_), order_++, &actor, token});
}

bool Scheduler::run_one(Instant end) {
  if (queue_.empty() || queue_.top().when > end) return false;
  Wake next = queue_.top();
  queue_.pop();
  now_ = next.when;
  ++wakes_;
  next.actor->woken(next.token);
  return true;
}

}  // namespace semblance::sim
