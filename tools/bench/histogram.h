#pragma once
// Latencies in a log-linear histogram: 64 buckets for every power of two, so that a percentile is
// off by less than 2 %, whatever its size, and recording one costs a shift and an addition.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace semblance::bench {

class Histogram {
 public:
  void record(uint64_t ns) {
    ++counts_[bucket_of(ns)];
    ++count_;
    sum_ns_ += ns;
    max_ns_ = std::max(max_ns_, ns);
  }

  uint64_t count() const { return count_; }
  uint64_t max_ns() const { return max_ns_; }
  double mean_ns() const { return count_ == 0 ? 0 : static_cast<double>(sum_ns_) / count_; }

  // What `percent` of the values do not exceed: the upper end of their bucket. 0 when empty.
  uint64_t percentile_ns(double percent) const {
    const double wanted = static_cast<double>(count_) * percent / 100;
    uint64_t seen = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen != 0 && static_cast<double>(seen) >= wanted) return std::min(end_of(i), max_ns_);
    }
    return 0;
  }

 private:
  static constexpr int kSubBits = 6;
  static constexpr uint64_t kSub = 1 << kSubBits;

  // Below kSub a bucket for each value; above, the top bit's place and the kSubBits behind it.
  static size_t bucket_of(uint64_t ns) {
    if (ns < kSub) return ns;
    const int shift = std::bit_width(ns) - kSubBits - 1;
    return kSub * shift + (ns >> shift);
  }
  static uint64_t end_of(size_t bucket) {
    if (bucket < kSub) return bucket;
    const size_t shift = bucket / kSub - 1;
    return ((bucket - kSub * shift + 1) << shift) - 1;
  }

  std::array<uint64_t, kSub * (64 - kSubBits + 1)> counts_{};
  uint64_t count_ = 0, sum_ns_ = 0, max_ns_ = 0;
};

}  // namespace semblance::bench
