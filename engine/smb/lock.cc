// MS-SMB2 3.3.5.14 Receiving an SMB2 LOCK Request. No lock waits yet: one that conflicts is refused
// at once, whatever the request says of waiting.

#include "engine/wire/lock.h"

#include "engine/smb/commands.h"
#include "engine/smb/marks.h"

namespace semblance::smb {
namespace {

constexpr uint32_t kKinds =
    wire::kLockFlagSharedLock | wire::kLockFlagExclusiveLock | wire::kLockFlagUnlock;

// 3.3.5.14: the first element decides what the request is; each must be one of the legal
// combinations.
NtStatus check_elements(const wire::LockRequest& request) {
  bool unlocks = request.lock(0).flags & wire::kLockFlagUnlock;
  for (size_t i = 0; i < request.lock_count(); ++i) {
    uint32_t flags = request.lock(i).flags;
    uint32_t kind = flags & kKinds;
    if (flags & ~(kKinds | wire::kLockFlagFailImmediately)) return NtStatus::kInvalidParameter;
    if (unlocks ? flags != wire::kLockFlagUnlock
                : (kind != wire::kLockFlagSharedLock && kind != wire::kLockFlagExclusiveLock))
      return NtStatus::kInvalidParameter;
    // Several locks in one request may not wait.
    if (!unlocks && request.lock_count() > 1 && !(flags & wire::kLockFlagFailImmediately))
      return NtStatus::kInvalidParameter;
  }
  return NtStatus::kSuccess;
}

share::ByteRange range_of(const wire::LockElement& element) {
  return {element.offset, element.length};
}

// 3.3.5.14.1: stops at the first that is not held; what was unlocked before stays so.
NtStatus unlock_all(share::FileNode& node, Open& open, const wire::LockRequest& request) {
  for (size_t i = 0; i < request.lock_count(); ++i) {
    share::ByteRange range = range_of(request.lock(i));
    if (!range.valid()) return NtStatus::kInvalidLockRange;
    NtStatus status = node.locks.unlock(open.id.packed(), range);
    if (status != NtStatus::kSuccess) return status;
    --open.locks;
  }
  return NtStatus::kSuccess;
}

// 3.3.5.14.2: all or nothing.
NtStatus lock_all(EngineState& e, share::FileNode& node, Open& open,
                  const wire::LockRequest& request) {
  uint32_t locks_max = e.limits.locks_per_open;
  NtStatus status = NtStatus::kSuccess;
  size_t taken = 0;
  for (; taken < request.lock_count() && status == NtStatus::kSuccess; ++taken) {
    wire::LockElement element = request.lock(taken);
    auto kind = element.flags & wire::kLockFlagExclusiveLock ? share::LockKind::kExclusive
                                                             : share::LockKind::kShared;
    status = open.locks >= locks_max ? NtStatus::kInsufficientResources
                                     : node.locks.lock(open.id.packed(), range_of(element), kind);
    if (status != NtStatus::kSuccess) break;
    ++open.locks;
  }
  if (status == NtStatus::kSuccess) return status;
  if (taken > 0) SOMETIMES(e, kLockRolledBack);
  // Not by their ranges: the handle may have held the same ones before.
  node.locks.take_back(taken);
  open.locks -= static_cast<uint32_t>(taken);
  return status;
}

}  // namespace

Step lock(Call call) {
  auto request = wire::LockRequest::parse(call.element());
  if (!request) return request.error();
  Open* open = call.open(request->file_id);
  if (open == nullptr) return call.no_open();
  if (open->is_pipe() || open->is_directory) return NtStatus::kInvalidDeviceRequest;
  if (NtStatus status = check_elements(*request); status != NtStatus::kSuccess) return status;
  share::FileNode* node = call.engine().files.find(open->node);
  if (node == nullptr) return NtStatus::kFileClosed;
  bool unlocks = request->lock(0).flags & wire::kLockFlagUnlock;
  NtStatus status = unlocks ? unlock_all(*node, *open, *request)
                            : lock_all(call.engine(), *node, *open, *request);
  if (status == NtStatus::kRangeNotLocked) SOMETIMES(call.engine(), kUnlockedNothing);
  if (status == NtStatus::kLockNotGranted) SOMETIMES(call.engine(), kLockConflict);
  if (status != NtStatus::kSuccess) return status;
  return call.reply(wire::LockResponse{});
}

}  // namespace semblance::smb
