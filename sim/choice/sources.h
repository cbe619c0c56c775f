#pragma once
// What may stand behind a Chooser. rapidcheck's source is in tests/sim: it needs the library.

#include <map>

#include "engine/base/bytes.h"
#include "sim/choice/chooser.h"

namespace semblance::sim {

// Scrambles the bits of a number: a bijection of 64 bits (SplitMix64's finaliser).
constexpr uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// A keyed hash of the decision: a seed gives a site the same answers whatever other sites ask.
class HashSource : public Source {
 public:
  explicit HashSource(uint64_t seed) : seed_(scramble(seed ^ 0x53656D626C616E63)) {}
  uint32_t decide(const Decision& decision, uint32_t bound,
                  std::span<const uint32_t> weights) override;

 private:
  uint64_t seed_;
};

// What was chosen before; 0 where the tape says nothing, the largest value where it says too much.
class TapeSource : public Source {
 public:
  explicit TapeSource(std::span<const Choice> choices);
  uint32_t decide(const Decision& decision, uint32_t bound,
                  std::span<const uint32_t> weights) override;

 private:
  std::map<Decision, uint32_t> values_;
};

// The bytes of a fuzzer, taken in order, ever fewer of them for smaller bounds; 0 at their end.
class BytesSource : public Source {
 public:
  explicit BytesSource(Bytes bytes) : bytes_(bytes) {}
  uint32_t decide(const Decision& decision, uint32_t bound,
                  std::span<const uint32_t> weights) override;
  size_t left() const { return bytes_.size(); }

 private:
  Bytes bytes_;
};

// Every combination of answers, one run after the other:
//     Odometer all;
//     do { Chooser chooser(all); run(chooser); } while (all.advance());
// For worlds that ask little: the number of runs is the product of the bounds on the way.
class Odometer : public Source {
 public:
  uint32_t decide(const Decision& decision, uint32_t bound,
                  std::span<const uint32_t> weights) override;
  // To the next combination; false after the last.
  bool advance();

 private:
  struct Digit {
    uint32_t value = 0, bound = 0;
  };
  std::vector<Digit> digits_;
  size_t at_ = 0;
};

}  // namespace semblance::sim
