#pragma once
// Memory for received bytes: buffers in a few size classes, bounded by a total.
//
// What a connection costs here: an idle one holds one buffer of the smallest class (8 KiB; with its
// slot in the loop about 8.3 KiB in all; 32 KiB if it fell idle after a burst), one in the middle
// of a large message a buffer of that message's class. Buffers go back to the free list of their
// class; spare ones are bounded too, so that a burst does not stay allocated for ever.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/ids.h"

namespace semblance {

class ReceiveBuffers {
 public:
  static constexpr size_t kSmallest = 8 << 10;

  // `largest` is the longest message that must fit, in bytes; `total` bounds everything handed out.
  ReceiveBuffers(size_t largest, size_t total);

  // A buffer of at least `size` bytes; kNone when `size` exceeds the largest or the total is used
  // up. The smallest class is always granted: its number is bounded by that of the connections.
  BufferId acquire(size_t size);
  void release(BufferId id);

  MutableBytes bytes(BufferId id);
  size_t largest() const { return class_bytes_.back(); }
  size_t used() const { return used_; }

  // While requests refer to it, nobody writes into it. `detached` is one that its connection has
  // left behind: it is released as soon as it is not pinned any more.
  struct State {
    bool pinned = false;
    bool detached = false;
  };
  State& state(BufferId id) { return entries_[static_cast<size_t>(id)].state; }

 private:
  struct Entry {
    std::unique_ptr<uint8_t[]> memory;
    uint8_t size_class = 0;
    State state;
  };
  static constexpr size_t kSpareBytes = 64 << 20;  // kept over all classes

  std::vector<size_t> class_bytes_;
  size_t total_;
  size_t used_ = 0;
  size_t spare_bytes_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_entries_;
  std::vector<std::vector<std::unique_ptr<uint8_t[]>>> spare_;  // by class
};

}  // namespace semblance
