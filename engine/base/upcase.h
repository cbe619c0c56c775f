#pragma once
// Upper case of one UTF-16 code unit: how names are compared without case, in file names and users.

#include <string>
#include <string_view>

namespace semblance {

// Unicode's simple (one to one) upper case, O(1), the same in every locale. Surrogates are
// unchanged, so it can be applied to a UTF-16 string unit by unit. Nothing outside ASCII becomes
// ASCII: dotless i and long s stay as they are, as on Windows, and no name can pass for another
// that was checked.
char16_t upcase(char16_t unit);

std::u16string upcase(std::u16string_view text);

// Whether two strings are equal without regard to case.
bool equal_without_case(std::u16string_view a, std::u16string_view b);

}  // namespace semblance
