#pragma once
// What every information class has in common: a buffer too short is INFO_LENGTH_MISMATCH, bytes
// behind the structure are ignored.

#include "engine/wire/body.h"

namespace semblance::wire {

template <typename T>
Result<T> finish_info(const Reader& r, const T& value) {
  if (!r.ok()) return fail(NtStatus::kInfoLengthMismatch);
  return value;
}

}  // namespace semblance::wire
