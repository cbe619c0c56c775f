#include "engine/base/upcase.h"

#include <utf8proc.h>

#include <algorithm>

namespace semblance {

char16_t upcase(char16_t unit) {
  if (unit < 0x80) return unit >= u'a' && unit <= u'z' ? static_cast<char16_t>(unit - 32) : unit;
  if (unit >= 0xD800 && unit <= 0xDFFF) return unit;
  // Unicode gives sharp s no simple upper case; utf8proc adds one.
  if (unit == 0x00DF) return unit;
  const utf8proc_int32_t upper = utf8proc_toupper(unit);
  return upper < 0x80 || upper > 0xFFFF ? unit : static_cast<char16_t>(upper);
}

std::u16string upcase(std::u16string_view text) {
  std::u16string upper(text);
  for (char16_t& unit : upper) unit = upcase(unit);
  return upper;
}

bool equal_without_case(std::u16string_view a, std::u16string_view b) {
  return std::ranges::equal(a, b, [](char16_t x, char16_t y) { return upcase(x) == upcase(y); });
}

}  // namespace semblance
