#pragma once
// CHECK: what cannot be. Always on, aborts. Never used on anything that a peer sent.
//
// A broken invariant of ours inside one connection is `BUG` (engine/base/bug.h): fatal in tests, in
// production it costs that connection only. A peer's error is neither: it has an NtStatus.

namespace semblance {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace semblance

#define CHECK(condition)                                         \
  do {                                                           \
    if (!(condition)) [[unlikely]]                               \
      ::semblance::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
