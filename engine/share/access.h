#pragma once
// Access masks: MS-SMB2 2.2.13.1, 3.3.5.9; MS-FSA 2.1.5.1.2.1.

#include "engine/base/status.h"

namespace semblance::share {

// Replaces the generic rights by what they mean for files. MAXIMUM_ALLOWED stays.
uint32_t expand_generic(uint32_t access);

// What is granted of `desired`, when `maximal` is all that the tree and the file allow: everything or
// ACCESS_DENIED; with MAXIMUM_ALLOWED, `maximal` and everything asked for besides.
Result<uint32_t> grant(uint32_t desired, uint32_t maximal);

}  // namespace semblance::share
