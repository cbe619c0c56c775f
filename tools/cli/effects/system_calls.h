#pragma once
// The system calls of a piece of code, by name: it runs in a child process that this one traces, as
// strace does.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/cli/effects/server.h"

namespace semblance::effects {

using SystemCallCounts = std::map<std::string, uint64_t>;

// In the child: counts while it is on, into the row that was chosen. Other threads count until the
// next choice.
class SystemCallMeter : public Meter {
 public:
  static constexpr uint32_t kNoRow = UINT32_MAX;
  void choose(uint32_t row);
  void on() override;
  void off() override;
};

// Runs `code` in the child; what it counted, by row. Empty where
// the kernel lets nobody trace; nothing has run then. `code` exits by returning, or by a CHECK,
// which ends this process as well.
std::vector<SystemCallCounts> system_calls_of(uint32_t rows,
                                              const std::function<void(SystemCallMeter&)>& code);

}  // namespace semblance::effects
