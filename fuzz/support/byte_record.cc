#include "fuzz/support/byte_record.h"

#include <algorithm>

namespace semblance::fuzz {

namespace {

uint32_t decode(const sim::Decision& decision, uint32_t bound, std::span<const uint32_t> weights,
                Bytes bytes) {
  return sim::BytesSource(bytes).decide(decision, bound, weights);
}

}  // namespace

uint32_t ByteRecord::decide(const sim::Decision& decision, uint32_t bound,
                            std::span<const uint32_t> weights) {
  uint32_t value = source_.decide(decision, bound, weights);
  if (weights.empty()) {
    // Big-endian, as many bytes as the bound takes.
    std::vector<uint8_t> digits;
    for (uint64_t reach = 1, rest = value; reach < bound; reach <<= 8, rest >>= 8)
      digits.insert(digits.begin(), static_cast<uint8_t>(rest));
    bytes_.insert(bytes_.end(), digits.begin(), digits.end());
    return value;
  }
  // Answers grow with the byte, but for the last byte, which stands for the last answer.
  uint8_t byte = 0;
  if (value + 1 == bound) {
    byte = UINT8_MAX;
  } else {
    uint8_t low = 0, high = UINT8_MAX - 1;
    while (low < high) {
      auto middle = static_cast<uint8_t>((low + high) / 2);
      if (decode(decision, bound, weights, {&middle, 1}) < value)
        low = static_cast<uint8_t>(middle + 1);
      else
        high = middle;
    }
    byte = low;
  }
  bytes_.push_back(byte);
  return decode(decision, bound, weights, {&byte, 1});
}

}  // namespace semblance::fuzz
