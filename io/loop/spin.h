#pragma once
// Whether to look again for a little while before sleeping.
//
// On a virtual machine a sleep costs the pair of threads 50-100 us of latency and some 35 us of
// CPU, so when answers have been coming quickly it is cheaper to yield and look again, for at most
// kBudget. Spinning is earned by sleeps that turned out to be short and lost by spins that found
// nothing, each loss doubling the price: an idle server, or one with slow clients, never spins.

#include <sched.h>

#include <algorithm>

#include "io/loop/clock.h"

namespace semblance {

class Spin {
 public:
  static constexpr Duration kBudget = {200'000};

  bool likely() const { return short_sleeps_ >= price_; }

  // If likely, calls `ready` until it is true (returned) or the budget, or `limit`, is used up.
  template <typename Ready>
  bool until(Ready ready, Duration limit) {
    if (!likely()) return false;
    const Instant start = monotonic_now();
    const Duration budget = limit.ns < 0 ? kBudget : std::min(limit, kBudget);
    do {
      if (ready()) {
        price_ = std::max(kPriceMin, price_ - 1);
        return true;
      }
      ::sched_yield();
    } while (monotonic_now() - start < budget);
    short_sleeps_ = 0;
    price_ = std::min(kPriceMax, price_ * 2);
    return false;
  }

  // What a sleep that really happened took, waking up included: twice the budget counts as short
  // because waking is half of it.
  void slept(Duration time) { short_sleeps_ = time.ns < 2 * kBudget.ns ? short_sleeps_ + 1 : 0; }

 private:
  static constexpr int kPriceMin = 2, kPriceMax = 64;
  int short_sleeps_ = 0;
  int price_ = kPriceMin;
};

}  // namespace semblance
