#pragma once
// Choices of the mutators and of the seed maker: SplitMix64, the same everywhere.

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace semblance::fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // Below `count`, which is not 0.
  size_t below(size_t count) { return static_cast<size_t>(next() % count); }
  bool one_in(size_t count) { return below(count) == 0; }
  template <typename Choices>
  auto pick(const Choices& choices) {
    return *(std::begin(choices) + below(std::size(choices)));
  }

 private:
  uint64_t state_;
};

}  // namespace semblance::fuzz
