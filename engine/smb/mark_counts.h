#pragma once
// How often each mark (engine/smb/marks.h) was reached. Apart from their list, so that a new mark
// compiles only what marks it.

#include <array>
#include <cstddef>
#include <cstdint>

namespace semblance::smb {

inline constexpr size_t kMarksMax = 128;

// Up to 255 each.
using MarkCounts = std::array<uint8_t, kMarksMax>;

}  // namespace semblance::smb
