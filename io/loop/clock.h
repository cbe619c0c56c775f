#pragma once
// The two clocks, read through the vDSO: no system call.

#include <ctime>

#include "engine/base/time.h"

namespace semblance {

inline Instant monotonic_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
}

inline FileTime wall_now() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return FileTime::from_unix(now.tv_sec, now.tv_nsec);
}

}  // namespace semblance
