#include "engine/base/utf16.h"

namespace semblance {

namespace {

constexpr uint32_t kMalformedCodePoint = UINT32_MAX;

struct Decoded {
  uint32_t code_point;  // kMalformedCodePoint
  size_t size;
};

constexpr bool is_surrogate(uint32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

// The code point at the start of `bytes`, which is not empty.
Decoded decode_utf8(Bytes bytes) {
  constexpr Decoded kMalformed = {kMalformedCodePoint, 0};
  uint8_t lead = bytes[0];
  if (lead < 0x80) return {lead, 1};
  size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < size) return kMalformed;
  uint32_t c = lead & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((bytes[i] & 0xC0) != 0x80) return kMalformed;
    c = c << 6 | (bytes[i] & 0x3Fu);
  }
  bool overlong = (size == 3 && c < 0x800) || (size == 4 && c < 0x10000);
  if (overlong || is_surrogate(c) || c > 0x10FFFF) return kMalformed;
  return {c, size};
}

// The code point at the start of `bytes`, which has at least 2.
Decoded decode_utf16le(Bytes bytes) {
  constexpr Decoded kMalformed = {kMalformedCodePoint, 0};
  uint32_t unit = load<uint16_t>(bytes.data());
  if (!is_surrogate(unit)) return {unit, 2};
  if (unit >= 0xDC00 || bytes.size() < 4) return kMalformed;
  uint32_t low = load<uint16_t>(bytes.data() + 2);
  if (low < 0xDC00 || low > 0xDFFF) return kMalformed;
  return {0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), 4};
}

// Encodes into at least `size` bytes.
void encode_utf8(uint32_t c, size_t size, uint8_t* to) {
  if (size == 1) {
    to[0] = static_cast<uint8_t>(c);
    return;
  }
  for (size_t i = size - 1; i > 0; --i, c >>= 6) to[i] = static_cast<uint8_t>(0x80 | (c & 0x3F));
  to[0] = static_cast<uint8_t>((0xF00u >> size) | c);
}

constexpr size_t utf8_size(uint32_t c) {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

}  // namespace

std::expected<size_t, Utf16Error> utf8_to_utf16le(std::string_view utf8, MutableBytes out) {
  Bytes in = as_bytes(utf8);
  size_t written = 0;
  while (!in.empty()) {
    auto [c, size] = decode_utf8(in);
    if (c == kMalformedCodePoint) return std::unexpected(Utf16Error::kMalformed);
    in = in.subspan(size);
    size_t needed = c < 0x10000 ? 2 : 4;
    if (out.size() - written < needed) return std::unexpected(Utf16Error::kNoRoom);
    uint8_t* to = out.data() + written;
    if (needed == 2) {
      store(to, static_cast<uint16_t>(c));
    } else {
      store(to, static_cast<uint16_t>(0xD800 + ((c - 0x10000) >> 10)));
      store(to + 2, static_cast<uint16_t>(0xDC00 + (c & 0x3FF)));
    }
    written += needed;
  }
  return written;
}

std::expected<size_t, Utf16Error> utf16le_to_utf8(Bytes utf16le, MutableBytes out) {
  if (utf16le.size() % 2 != 0) return std::unexpected(Utf16Error::kMalformed);
  size_t written = 0;
  while (!utf16le.empty()) {
    auto [c, size] = decode_utf16le(utf16le);
    if (c == kMalformedCodePoint) return std::unexpected(Utf16Error::kMalformed);
    utf16le = utf16le.subspan(size);
    size_t needed = utf8_size(c);
    if (out.size() - written < needed) return std::unexpected(Utf16Error::kNoRoom);
    encode_utf8(c, needed, out.data() + written);
    written += needed;
  }
  return written;
}

}  // namespace semblance
