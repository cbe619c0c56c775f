#pragma once
// errno to StoreError: the only place that knows.

#include "engine/store.h"

namespace semblance {

// EXDEV means something else to a resolver (the path leaves the share) than to rename and link.
enum class ErrnoFrom : uint8_t { kResolve, kOther };

StoreError store_error(int error, ErrnoFrom from = ErrnoFrom::kOther);

// A failed completion.
inline StoreResult failed(StoreError error) { return {error, {}}; }

}  // namespace semblance
