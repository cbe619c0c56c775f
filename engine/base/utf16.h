#pragma once
// UTF-8 inside, UTF-16LE on the wire. Conversions are strict: ill-formed text yields none, never a
// replacement character that would make two names equal.

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/bytes.h"

namespace semblance {

// None for ill-formed UTF-8: overlong forms, surrogates, above U+10FFFF, truncated.
std::optional<std::u16string> utf16_from_utf8(std::string_view text);

// None for an unpaired surrogate.
std::optional<std::string> utf8_from_utf16(std::u16string_view text);

// The units of a little-endian wire field, copied because the field may be unaligned. A trailing
// odd byte is dropped; a caller that minds checks the size first.
std::u16string utf16_from_wire(Bytes field);

// The wire form of a UTF-16 string: a view of it.
inline Bytes as_bytes(std::u16string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size() * sizeof(char16_t)};
}

}  // namespace semblance
