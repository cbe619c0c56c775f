#pragma once
// Strict conversion between UTF-8 and UTF-16LE, into a caller's buffer.
//
// Strict: overlong forms, surrogates in UTF-8, lone surrogates and odd lengths in UTF-16 and code
// points above U+10FFFF are malformed. So both directions are each other's inverse.

#include <expected>

#include "engine/base/bytes.h"

namespace semblance {

enum class Utf16Error : uint8_t {
  kMalformed,
  kNoRoom,  // `out` is too small; what it holds is unspecified
};

// Bytes written to `out`. At most 2 * utf8.size().
std::expected<size_t, Utf16Error> utf8_to_utf16le(std::string_view utf8, MutableBytes out);

// Bytes written to `out`. At most 3 * (utf16le.size() / 2).
std::expected<size_t, Utf16Error> utf16le_to_utf8(Bytes utf16le, MutableBytes out);

constexpr size_t utf16le_size_max(size_t utf8_size) { return 2 * utf8_size; }
constexpr size_t utf8_size_max(size_t utf16le_size) { return utf16le_size / 2 * 3; }

}  // namespace semblance
