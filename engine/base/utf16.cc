#include "engine/base/utf16.h"

#include <utf8proc.h>

namespace semblance {

std::optional<std::u16string> utf16_from_utf8(std::string_view text) {
  std::u16string out;
  out.reserve(text.size());
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    if (*at < 0x80) {  // most names are ASCII
      out += static_cast<char16_t>(*at++);
      continue;
    }
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t used = utf8proc_iterate(at, end - at, &point);
    if (used <= 0) return std::nullopt;
    at += used;
    if (point < 0x10000) {
      out += static_cast<char16_t>(point);
    } else {
      out += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
      out += static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
  }
  return out;
}

std::optional<std::string> utf8_from_utf16(std::u16string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    utf8proc_int32_t point = text[i];
    if (point >= 0xD800 && point <= 0xDFFF) {
      const bool paired =
          point < 0xDC00 && i + 1 < text.size() && text[i + 1] >= 0xDC00 && text[i + 1] <= 0xDFFF;
      if (!paired) return std::nullopt;
      point = 0x10000 + ((point - 0xD800) << 10) + (text[++i] - 0xDC00);
    }
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t size = utf8proc_encode_char(point, bytes);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  }
  return out;
}

std::u16string utf16_from_wire(Bytes field) {
  std::u16string text(field.size() / sizeof(char16_t), u'\0');
  if (!text.empty()) std::memcpy(text.data(), field.data(), text.size() * sizeof(char16_t));
  return text;
}

}  // namespace semblance
