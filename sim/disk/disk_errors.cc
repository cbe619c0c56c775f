// Disk: what may go wrong, and what has happened when it did.

#include <algorithm>

#include "engine/base/check.h"
#include "io/store/store_error.h"
#include "sim/disk/disk.h"

namespace semblance::sim {
namespace {

using enum StoreError;

// By kind, in the order in which they are likely. Errors that say something about names (missing,
// existing, ...) are not here: the outside actor makes them true.
constexpr StoreError kOpenErrors[] = {kIo, kTooManyOpen, kNoMemory, kAccess, kStale, kBusy};
constexpr StoreError kOpenToWriteErrors[] = {kIo,    kTooManyOpen, kNoMemory, kAccess,
                                             kStale, kBusy,        kReadOnly};
constexpr StoreError kMakeErrors[] = {kIo,          kNoSpace,  kQuota,    kReadOnly, kAccess,
                                      kTooManyOpen, kTooLarge, kNoMemory, kStale,    kBusy};
constexpr StoreError kHandleErrors[] = {kIo, kNoMemory, kStale};
constexpr StoreError kPathErrors[] = {kIo, kNoMemory, kStale, kAccess, kBusy, kTooManyOpen};
constexpr StoreError kNameErrors[] = {kIo, kNoMemory, kStale, kAccess, kBusy};
constexpr StoreError kWriteErrors[] = {kIo,       kNoSpace, kQuota,    kTooLarge,
                                       kNoMemory, kStale,   kReadOnly, kAccess};
constexpr StoreError kFlushErrors[] = {kIo, kNoSpace, kQuota, kStale, kReadOnly};
constexpr StoreError kTruncateErrors[] = {kIo,    kNoSpace,  kQuota,  kTooLarge, kNoMemory,
                                          kStale, kReadOnly, kAccess, kBusy};
constexpr StoreError kAllocateErrors[] = {kIo,       kNoSpace, kQuota,    kNotSupported, kTooLarge,
                                          kNoMemory, kStale,   kReadOnly, kAccess,       kBusy};
constexpr StoreError kAttributeErrors[] = {kIo,    kNoSpace,  kQuota,  kNotSupported,
                                           kStale, kReadOnly, kAccess, kNoMemory};
constexpr StoreError kRenameErrors[] = {kIo,       kNoSpace,  kQuota,      kAccess,
                                        kBusy,     kStale,    kReadOnly,   kCrossDevice,
                                        kTooLarge, kNoMemory, kTooManyOpen};
constexpr StoreError kUnlinkErrors[] = {kIo,    kNoSpace,  kQuota,    kAccess,     kBusy,
                                        kStale, kReadOnly, kNoMemory, kTooManyOpen};

using Errors = std::span<const StoreError>;

struct ErrorsOf {
  Errors operator()(const StoreOpen& op) const {
    if (op.what != OpenWhat::kExisting) return kMakeErrors;
    return (op.access & kOpenWrite) != 0 ? Errors(kOpenToWriteErrors) : Errors(kOpenErrors);
  }
  Errors operator()(const StoreClose&) const { return {}; }
  Errors operator()(const StoreStat&) const { return kHandleErrors; }
  Errors operator()(const StoreStatAt&) const { return kNameErrors; }
  Errors operator()(const StoreStatPath&) const { return kPathErrors; }
  Errors operator()(const StoreRead&) const { return kHandleErrors; }
  Errors operator()(const StoreWrite&) const { return kWriteErrors; }
  Errors operator()(const StoreFlush&) const { return kFlushErrors; }
  Errors operator()(const StoreTruncate&) const { return kTruncateErrors; }
  Errors operator()(const StoreAllocate&) const { return kAllocateErrors; }
  Errors operator()(const StoreSetAttributes&) const { return kAttributeErrors; }
  Errors operator()(const StoreReadDescriptor& op) const {
    return op.handle == StoreHandle::kNone ? Errors(kPathErrors) : Errors(kNameErrors);
  }
  Errors operator()(const StoreWriteDescriptor&) const { return kAttributeErrors; }
  Errors operator()(const StoreReadDirectory&) const { return kHandleErrors; }
  Errors operator()(const StoreRename&) const { return kRenameErrors; }
  Errors operator()(const StoreLink&) const { return kRenameErrors; }
  Errors operator()(const StoreUnlink&) const { return kUnlinkErrors; }
  Errors operator()(const StoreFsStat&) const { return kHandleErrors; }
};

}  // namespace

std::span<const StoreError> Disk::errors_of(const StoreOperation& operation) {
  return std::visit(ErrorsOf{}, operation);
}

StoreResult Disk::fail(const StoreOperation& operation, StoreError error, const Pick& pick) {
  CHECK(error != kNone && !std::holds_alternative<StoreClose>(operation));
  if (const auto* write = std::get_if<StoreWrite>(&operation))
    fail_write(*write, pick);
  else if (const auto* flush = std::get_if<StoreFlush>(&operation))
    fail_flush(inode_of(flush->handle), pick);
  return failed(error);
}

void Disk::fail_write(const StoreWrite& op, const Pick& pick) {
  const Handle* handle = find_handle(op.handle);
  if (check_file(handle, kOpenWrite) != kNone || op.data.empty()) return;
  if (op.offset > INT64_MAX - op.data.size()) return;
  const uint64_t first = op.offset / kSector;
  const auto sectors = (op.offset + op.data.size() - 1) / kSector - first + 1;
  const uint64_t done = pick(static_cast<uint32_t>(sectors) + 1);
  if (done == 0) return;
  const uint64_t bytes = std::min<uint64_t>((first + done) * kSector - op.offset, op.data.size());
  write_at(handle->inode, op.offset, op.data.first(bytes));
  if (op.write_through && done == sectors) fail_flush(handle->inode, pick);
}

void Disk::fail_flush(Inode inode, const Pick& pick) {
  if (const auto found = unsaved_.find(inode); found != unsaved_.end())
    found->second.flush_failed(pick);
}

}  // namespace semblance::sim
