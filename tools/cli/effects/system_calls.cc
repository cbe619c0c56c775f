#include "tools/cli/effects/system_calls.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "engine/base/check.h"
#include "tools/cli/effects/system_call_names.h"

namespace semblance::effects {
namespace {

// Calls that the kernel refuses, and the tracer knows.
constexpr unsigned long kMarkRow = 0x53454D00, kMarkOn = 0x53454D01, kMarkOff = 0x53454D02;

std::string name_of(uint64_t number) {
  // Younger than the headers of Debian 12.
  constexpr uint64_t kSetxattrat = 463, kGetxattrat = 464;
  if (const std::string_view name = system_call_name(number); !name.empty())
    return std::string(name);
  if (number == kSetxattrat) return "setxattrat";
  if (number == kGetxattrat) return "getxattrat";
  return "number " + std::to_string(number);
}

// In the child, before anything is measured; false when nobody may trace.
bool be_traced() { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }

// Follows the child and its threads to the child's end; its exit status.
int follow(pid_t child, std::vector<SystemCallCounts>& rows) {
  // The thread that the meter is on counts while it is; others from then to the end of the row, for
  // they work on when it is off.
  bool counting = false, begun = false;
  uint64_t row = rows.size();
  for (;;) {
    int status = 0;
    const pid_t thread = ::waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == EINTR) continue;
    CHECK(thread > 0);
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == child) return status;
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      signal = 0;
      __ptrace_syscall_info info{};
      ::ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
      if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        const bool is_mark = info.entry.nr == SYS_prctl;
        const uint64_t mark = info.entry.args[0];
        if (is_mark && mark == kMarkRow) {
          row = info.entry.args[1];
          begun = false;
        } else if (is_mark && (mark == kMarkOn || mark == kMarkOff)) {
          counting = mark == kMarkOn;
          begun |= counting;
        } else if ((thread == child ? counting : begun) && row < rows.size()) {
          rows[row][name_of(info.entry.nr)] += 1;
        }
      }
    } else if (signal == SIGTRAP || signal == SIGSTOP) {
      signal = 0;  // of tracing itself: a new thread
    }
    ::ptrace(PTRACE_SYSCALL, thread, nullptr, static_cast<uintptr_t>(signal));
  }
}

}  // namespace

void SystemCallMeter::choose(uint32_t row) { ::prctl(kMarkRow, row, 0, 0, 0); }
void SystemCallMeter::on() { ::prctl(kMarkOn, 0, 0, 0, 0); }
void SystemCallMeter::off() { ::prctl(kMarkOff, 0, 0, 0, 0); }

std::vector<SystemCallCounts> system_calls_of(uint32_t rows,
                                              const std::function<void(SystemCallMeter&)>& code) {
  constexpr int kMayNot = 77;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  CHECK(child >= 0);
  if (child == 0) {
    if (!be_traced()) ::_exit(kMayNot);
    ::raise(SIGSTOP);
    SystemCallMeter meter;
    code(meter);
    std::fflush(nullptr);
    ::_exit(0);
  }
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  if (!WIFSTOPPED(status)) return {};
  CHECK(::ptrace(PTRACE_SETOPTIONS, child, nullptr,
                 PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) == 0);
  ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  std::vector<SystemCallCounts> counts(rows);
  CHECK(follow(child, counts) == 0);
  return counts;
}

}  // namespace semblance::effects
