#pragma once
// A counted array of 16-bit ids inside a message: dialects, ciphers, hash algorithms.

#include "engine/wire/reader.h"

namespace semblance::wire {

// A view. `raw` holds size() * 2 bytes and need not be aligned.
struct U16List {
  Bytes raw;

  // The caller keeps `values` alive.
  static U16List of(std::span<const uint16_t> values) {
    return {{reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()}};
  }

  size_t size() const { return raw.size() / 2; }
  uint16_t operator[](size_t i) const { return load<uint16_t>(raw.data() + 2 * i); }
  bool contains(uint16_t value) const {
    for (size_t i = 0; i < size(); ++i)
      if ((*this)[i] == value) return true;
    return false;
  }
};

}  // namespace semblance::wire
