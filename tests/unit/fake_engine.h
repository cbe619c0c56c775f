#pragma once
// An Engine for testing the loop: the contract of engine/engine.h with a protocol of no meaning.
//
// A message is a u32 length (of what follows) and its bytes; the first byte says what to do:
//   E  echo it             W  store the rest through share 0's file "w" (pins), answer "stored N"
//   X  answer "bye", close  P  answer "paused", then take no messages for 20 ms
// Every reply is framed alike. At most kPerEvent messages are taken from one event.

#include <cstdint>
#include <cstdlib>

namespace semblance::fake {

inline constexpr size_t kPerEvent = 3;

struct Seen {
  uint64_t opened = 0, closed = 0, messages = 0, bytes_events = 0;
  uint64_t pinned = 0, released = 0;
  uint64_t entropy = 0;
  uint64_t partial_events = 0;  // delivered although less than `wanted` was there
};
// Of the engine that was made last.
const Seen& seen();

}  // namespace semblance::fake
