#pragma once
// Share modes: which opens of one file may exist together. MS-FSA 2.1.5.1.2.2.

#include <cstdint>

namespace semblance::share {

// What one open may do, and what it lets others do. Values as in MS-SMB2 2.2.13.
struct ShareMode {
  uint32_t access = 0;
  uint32_t share = 0;
};

// The one place that decides. Symmetric. Opens that neither read, write, execute nor delete never
// conflict.
bool conflict(const ShareMode& a, const ShareMode& b);

}  // namespace semblance::share
