#pragma once
// Byte-range locks of one file: MS-FSA 2.1.4.10, 2.1.5.8, 2.1.5.9; MS-SMB2 3.3.5.14.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/status.h"

namespace semblance::share {

// Who holds a lock: one open. Opaque here.
using LockOwner = uint64_t;

struct ByteRange {
  uint64_t offset = 0;
  uint64_t length = 0;

  // The last byte must be addressable; an empty range always is.
  bool valid() const { return length == 0 || offset + (length - 1) >= offset; }
  // Whether the two ranges share a byte. An empty range overlaps what strictly encloses its offset.
  bool overlaps(const ByteRange& other) const;
  bool operator==(const ByteRange&) const = default;
};

enum class LockKind : uint8_t { kShared, kExclusive };
enum class IoKind : uint8_t { kRead, kWrite };

class LockTable {
 public:
  bool empty() const { return locks_.empty(); }
  size_t size() const { return locks_.size(); }

  // Takes the lock, or says kLockNotGranted / kInvalidLockRange. A lock conflicts with an
  // overlapping one of any owner, the same one included, unless both are shared.
  NtStatus lock(LockOwner owner, ByteRange range, LockKind kind);
  // Releases the oldest lock of exactly that range, or says kRangeNotLocked.
  NtStatus unlock(LockOwner owner, ByteRange range);
  // Releases all that the owner holds, and returns how many.
  uint32_t release(LockOwner owner);
  // Takes back the latest `count` that lock() granted.
  void take_back(size_t count) {
    locks_.erase(locks_.end() - static_cast<std::ptrdiff_t>(count), locks_.end());
  }

  // Whether plain I/O of the owner is barred. Empty I/O never is. Reads are barred by exclusive
  // locks of others; writes by any lock of others and by shared locks of the owner itself.
  bool bars(LockOwner owner, ByteRange range, IoKind io) const;

 private:
  struct Lock {
    ByteRange range;
    LockKind kind;
    LockOwner owner;
  };
  std::vector<Lock> locks_;  // in the order they were granted
};

}  // namespace semblance::share
