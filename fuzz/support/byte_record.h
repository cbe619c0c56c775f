#pragma once
// A run of any source as the bytes that make BytesSource give the same answers: a seed of the
// simulator, as a fuzzer's input.

#include <vector>

#include "sim/choice/sources.h"

namespace semblance::fuzz {

// Answers as `source` does, or with the nearest answer that the bytes can say: of weights that a
// byte does not resolve, the likeliest.
class ByteRecord : public sim::Source {
 public:
  // `source` outlives the record.
  explicit ByteRecord(sim::Source& source) : source_(source) {}
  uint32_t decide(const sim::Decision& decision, uint32_t bound,
                  std::span<const uint32_t> weights) override;
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  sim::Source& source_;
  std::vector<uint8_t> bytes_;
};

}  // namespace semblance::fuzz
