#include "tools/cli/effects/instruction_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace semblance::effects {

InstructionCounter::InstructionCounter() {
  perf_event_attr what{};
  what.type = PERF_TYPE_HARDWARE;
  what.size = sizeof what;
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  // glibc has no function for it. This thread, any processor, no group.
  fd_ = UniqueFd(
      static_cast<int>(::syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

uint64_t InstructionCounter::now() const {
  uint64_t count = 0;
  if (!works() || ::read(fd_.get(), &count, sizeof count) != sizeof count) return 0;
  return count;
}

}  // namespace semblance::effects
