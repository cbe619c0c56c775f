#include "engine/share/lock_table.h"
#include "engine/base/planted.h"

#include <algorithm>

namespace semblance::share {

bool ByteRange::overlaps(const ByteRange& other) const {
  if (length == 0 && other.length == 0) return false;
  uint64_t last = length == 0 ? offset : offset + (length - 1);
  uint64_t other_last = other.length == 0 ? other.offset : other.offset + (other.length - 1);
  if (length == 0) return other.offset < offset && offset <= other_last;
  if (other.length == 0) return offset < other.offset && other.offset <= last;
  return offset <= other_last && other.offset <= last;
}

NtStatus LockTable::lock(LockOwner owner, ByteRange range, LockKind kind) {
  if (!range.valid()) return NtStatus::kInvalidLockRange;
  for (const Lock& held : locks_) {
    if (held.kind == LockKind::kShared && kind == LockKind::kShared) continue;
    if (held.range.overlaps(range) && !PLANTED(kLockOverlapMissed))
      return NtStatus::kLockNotGranted;
  }
  locks_.push_back({range, kind, owner});
  return NtStatus::kSuccess;
}

NtStatus LockTable::unlock(LockOwner owner, ByteRange range) {
  auto found = std::ranges::find_if(locks_, [&](const Lock& held) {
    return (held.owner == owner || PLANTED(kUnlockAnyone)) && held.range == range;
  });
  if (found == locks_.end()) return NtStatus::kRangeNotLocked;
  locks_.erase(found);
  return NtStatus::kSuccess;
}

uint32_t LockTable::release(LockOwner owner) {
  if (PLANTED(kLocksOutliveHandle)) return 0;
  return static_cast<uint32_t>(
      std::erase_if(locks_, [&](const Lock& held) { return held.owner == owner; }));
}

bool LockTable::bars(LockOwner owner, ByteRange range, IoKind io) const {
  if (range.length == 0) return false;
  for (const Lock& held : locks_) {
    if (!held.range.overlaps(range)) continue;
    bool own = held.owner == owner;
    if (held.kind == LockKind::kExclusive && !own) return true;
    if (held.kind == LockKind::kShared && io == IoKind::kWrite) return true;
  }
  return false;
}

}  // namespace semblance::share
