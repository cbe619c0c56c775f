#pragma once
// What of one file a power loss can take back: old images of its sectors, its old sizes, its old
// extended attributes.
//
// An undo log, so that keeping it costs what a change costs: each change remembers what it
// replaced, rounded to sectors. A file that grows at its end replaces nothing.

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/store.h"

namespace semblance::sim {

// Answers with one of [0, bound), bound at least 1. Always 0 is the kindest world.
using Pick = std::function<uint32_t(uint32_t bound)>;

inline constexpr uint64_t kSector = 512;

class Unsaved {
 public:
  // Before bytes [begin, end) of `data` are overwritten, or cut off, or added behind the end.
  void before_change(const std::vector<uint8_t>& data, uint64_t begin, uint64_t end);
  void before_resize(uint64_t old_size);
  void before_dos(const DosAttributes& old);
  void before_descriptor(const std::vector<uint8_t>& old);

  // fsync: all of it is stored, but for what a failed fsync let the kernel forget.
  void flushed(uint64_t size);
  // A write-through of [begin, end) is done: these bytes and the size are stored.
  void stored(uint64_t begin, uint64_t end, uint64_t size);
  // fsync failed: each change is still to be written (0), or taken for clean without being stored
  // (1), or stored all the same (2).
  void flush_failed(const Pick& pick);

  // Nothing here can be lost any more.
  bool empty() const {
    return pieces_.empty() && sizes_.empty() && dos_.empty() && descriptors_.empty();
  }

  // The power is gone: turns what the page cache held into what is found on the disk.
  void lose_power(std::vector<uint8_t>& data, DosAttributes& dos, std::vector<uint8_t>& descriptor,
                  const Pick& pick) const;

 private:
  // Sectors [begin, end) in bytes, as they were before one change. `old` may be shorter: zeroes.
  struct Piece {
    uint64_t begin, end;
    std::vector<uint8_t> old;
    bool forgotten = false;  // the kernel thinks it is stored
  };

  // Cuts [begin, end) out of the first `count` pieces; multiples of kSector.
  void cut(uint64_t begin, uint64_t end, size_t count);
  // The sectors of one piece reach the disk, as they are after it.
  void written(size_t index);
  // The bytes that it had replaced.
  size_t write_back_oldest();
  void lose_data(std::vector<uint8_t>& data, const Pick& pick) const;

  std::vector<Piece> pieces_;  // oldest first
  std::vector<uint64_t> sizes_;
  std::vector<DosAttributes> dos_;
  std::vector<std::vector<uint8_t>> descriptors_;
};

}  // namespace semblance::sim
