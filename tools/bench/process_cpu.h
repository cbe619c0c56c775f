#pragma once
// The processor time of a server: a process, its threads, its children and what it has waited for.

#include <sys/types.h>

#include <optional>

namespace semblance::bench {

struct CpuTime {
  double user_s = 0, system_s = 0;

  double total_s() const { return user_s + system_s; }
  CpuTime operator-(const CpuTime& from) const {
    return {user_s - from.user_s, system_s - from.system_s};
  }
};

// Since it started, from /proc/PID/stat of the whole tree below `root`; in the kernel's ticks of
// 10 ms. Children that were reaped still count, so differences are right even while some end.
// None when there is no such process.
std::optional<CpuTime> cpu_of_tree(pid_t root);

// This process's own.
CpuTime cpu_of_self();

}  // namespace semblance::bench
