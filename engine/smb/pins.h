#pragma once
// Which receive buffers of a connection are still referred to by requests.

#include <vector>

#include "engine/base/ids.h"

namespace semblance::smb {

// A count per buffer. A connection refers to few buffers at a time, so a short array serves.
class Pins {
 public:
  void pin(BufferId buffer) {
    for (Entry& entry : entries_)
      if (entry.buffer == buffer) {
        ++entry.count;
        return;
      }
    entries_.push_back({buffer, 1});
  }

  // True when that was the last pin of the buffer.
  bool unpin(BufferId buffer) {
    for (Entry& entry : entries_) {
      if (entry.buffer != buffer) continue;
      if (--entry.count > 0) return false;
      entry = entries_.back();
      entries_.pop_back();
      return true;
    }
    return false;
  }

  // Takes over the pins of a connection that is gone.
  void adopt(const Pins& other) {
    entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end());
  }

  bool pinned(BufferId buffer) const {
    for (const Entry& entry : entries_)
      if (entry.buffer == buffer) return true;
    return false;
  }

 private:
  struct Entry {
    BufferId buffer;
    uint32_t count;
  };
  std::vector<Entry> entries_;
};

}  // namespace semblance::smb
