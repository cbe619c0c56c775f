#pragma once
// Made from the compiler's headers by a rule in tools/BUILD.

#include <cstdint>
#include <string_view>

namespace semblance::effects {

// "read", "openat", ...; nothing for a number that the headers do not know.
std::string_view system_call_name(uint64_t number);

}  // namespace semblance::effects
