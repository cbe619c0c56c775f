#pragma once
// The processor's count of this thread's instructions in user space: perf_event_open(2).

#include <cstdint>

#include "io/unique_fd.h"

namespace semblance::effects {

class InstructionCounter {
 public:
  InstructionCounter();
  // False where neither kernel nor processor counts for us, as in most virtual machines.
  bool works() const { return static_cast<bool>(fd_); }
  // So far; 0 when it does not work.
  uint64_t now() const;

 private:
  UniqueFd fd_;
};

}  // namespace semblance::effects
