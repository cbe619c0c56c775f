#pragma once
// A large file, copied to the real driver and back: `semblance effects --copy MIB`.

#include <string>
#include <vector>

#include "tools/cli/effects/cost.h"
#include "tools/cli/effects/system_calls.h"

namespace semblance::effects {

inline constexpr uint32_t kCopyRows = 2;  // in, out
// WRITEs, or READs, of so many MiB: 64 KiB each, and the CREATE and CLOSE around them.
constexpr uint64_t copy_requests(unsigned mib) { return uint64_t{mib} * 16 + 2; }

// Copies a file into and out of a server on `directory`; the meter's row is 0 in, 1 out.
std::vector<Cost> copy(const std::string& directory, unsigned mib, SystemCallMeter& meter);

}  // namespace semblance::effects
