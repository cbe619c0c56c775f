#pragma once
// Takes an input apart: numbers, then pieces of bytes. Reading past the end yields zeros and empty
// pieces, so every input means something.

#include <algorithm>
#include <vector>

#include "engine/base/bytes.h"

namespace semblance::fuzz {

class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }

  uint8_t u8() {
    if (rest_.empty()) return 0;
    uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  uint16_t u16() {
    uint16_t low = u8();
    return static_cast<uint16_t>(low | u8() << 8);
  }
  // At most what is there; a view of the input.
  Bytes bytes(size_t count) {
    Bytes taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  // A piece behind its length, in 16 bits.
  Bytes piece() { return bytes(u16()); }
  Bytes rest() { return bytes(rest_.size()); }

 private:
  Bytes rest_;
};

// A copy in memory of exactly its size: the sanitizer sees any step outside, which it would not
// within the whole input.
inline std::vector<uint8_t> exactly(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace semblance::fuzz
