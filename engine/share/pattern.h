#pragma once
// Search patterns of QUERY_DIRECTORY: MS-FSA 2.1.4.4.

#include <string_view>

namespace semblance::share {

// Whether `name` matches `pattern` without regard to case. '*' and '?' as everywhere; DOS_STAR '<',
// DOS_QM '>' and DOS_DOT '"' as Windows clients make them of the old wildcards. Takes time
// proportional to the product of the lengths; both are at most 255 units, longer patterns match nothing.
bool matches(std::u16string_view pattern, std::u16string_view name);

// Whether the pattern can only match one spelling (case aside).
bool is_literal(std::u16string_view pattern);

}  // namespace semblance::share
