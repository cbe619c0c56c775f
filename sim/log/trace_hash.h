#pragma once
// A running 128-bit hash (XXH3) over everything that passes between the engine and the world. Two
// runs with the same digest saw the same events and effects and sent the same bytes, in the same
// order. Content counts: never padding, never an address. Bytes behind spans and views are content;
// what a read put into its destination counts when its StoreDone comes, the destination of a read
// under way by its size only.
//
//   for (const Event& event : events) hash.event(now, event);     before the step: the engine
//   engine.step(now, events, effects);                            deciphers messages in place
//   for (const Effect& effect : effects.all()) hash.effect(effect);    before they are carried out
//   hash.sent(connection, bytes);                                 what left, in the order it leaves
//
// Costs some 100 ns an event or effect, plus the bytes at memory speed. Not thread-safe.

#include <array>
#include <cstdint>

#include "engine/engine.h"
#include "sim/log/content_hash.h"
#include "sim/log/read_targets.h"

namespace semblance::log {

class TraceHash {
 public:
  void event(Instant now, const Event& event);
  void effect(const Effect& effect);
  void sent(ConnectionId connection, Bytes bytes);

  // Of everything so far; going on afterwards is fine. {low, high}.
  std::array<uint64_t, 2> digest() const { return hash_.digest(); }

 private:
  ContentHash hash_;
  ReadTargets reads_;
};

}  // namespace semblance::log

namespace semblance {
using log::TraceHash;
}
