#include "engine/base/check.h"

namespace semblance {

// The engine may not write to a stream; the condition stays readable in the core file's frame.
void check_failed(const char* condition, const char* file, int line) {
  [[maybe_unused]] volatile const char* keep_condition = condition;
  [[maybe_unused]] volatile const char* keep_file = file;
  [[maybe_unused]] volatile int keep_line = line;
  __builtin_trap();
}

}  // namespace semblance
