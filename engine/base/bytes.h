#pragma once
// Byte spans and unaligned little-endian access: the one place that casts.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace semblance {

using Bytes = std::span<const uint8_t>;
using MutableBytes = std::span<uint8_t>;

static_assert(std::endian::native == std::endian::little, "SMB2 is little-endian and so are we");

// Reads a T from possibly unaligned memory. The caller has checked the bounds.
template <typename T>
inline T load(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Writes a T to possibly unaligned memory. The caller has checked the bounds.
template <typename T>
inline void store(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr size_t align_up(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace semblance
