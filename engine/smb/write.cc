// MS-SMB2 3.3.5.13 Receiving an SMB2 WRITE Request, 3.3.5.11 Receiving an SMB2 FLUSH Request.

#include "engine/wire/write.h"
#include "engine/base/planted.h"

#include "engine/smb/commands.h"
#include "engine/smb/marks.h"
#include "engine/smb/pipes.h"
#include "engine/wire/access_mask.h"
#include "engine/wire/create.h"
#include "engine/wire/flush.h"

namespace semblance::smb {
namespace {

constexpr uint32_t kMayWrite = wire::kFileWriteData | wire::kFileAppendData;

Step write_done(Call call, const StoreResult& result) {
  if (!result.ok()) return share::status_of(result.error);
  auto request = wire::WriteRequest::parse(call.element());
  if (Open* open = call.open(request->file_id)) {
    open->position = request->offset + request->data.size();
    open->wrote = true;
  }
  call.engine().counters.bytes_written += request->data.size();
  return call.reply(wire::WriteResponse{static_cast<uint32_t>(request->data.size()), 0});
}

Step flush_done(Call call, const StoreResult& result) {
  if (!result.ok()) return share::status_of(result.error);
  return call.reply(wire::FlushResponse{});
}

}  // namespace

Step write(Call call) {
  auto request = wire::WriteRequest::parse(call.element());
  if (!request) return request.error();
  Open* open = call.open(request->file_id);
  if (open == nullptr) return call.no_open();
  if (request->data.size() > call.connection()->max_write) return NtStatus::kInvalidParameter;
  if (request->channel != wire::kChannelNone) return NtStatus::kInvalidParameter;
  if (open->is_pipe()) return write_pipe(call, *open, request->data);
  if (open->is_directory) return NtStatus::kInvalidDeviceRequest;
  if (!(open->granted_access & kMayWrite)) return NtStatus::kAccessDenied;
  uint64_t size = request->data.size();
  if (request->offset > INT64_MAX || request->offset + size > INT64_MAX)
    return NtStatus::kInvalidParameter;
  share::FileNode* node = call.engine().files.find(open->node);
  if (node != nullptr && !node->locks.empty() && !PLANTED(kWriteLockSkipped) &&
      node->locks.bars(open->id.packed(), {request->offset, size}, share::IoKind::kWrite)) {
    SOMETIMES(call.engine(), kWriteLocked);
    return NtStatus::kFileLockConflict;
  }
  if (size == 0) return call.reply(wire::WriteResponse{});
  call.shape(Shape::kWrite);
  bool through =
      (request->flags & wire::kWriteFlagWriteThrough) || (open->mode & wire::kFileWriteThrough);
  if (PLANTED(kWriteThroughIgnored)) through = false;
  if (PLANTED(kSetattrPerWrite)) {
    StoreSetAttributes set{open->handle};
    set.modified = call.engine().wall;
    return call.run(set, [](Call again, const StoreResult&) -> Step {
      auto whole = wire::WriteRequest::parse(again.element());
      Open* written = again.open(whole->file_id);
      if (written == nullptr) return NtStatus::kFileClosed;
      return again.run(StoreWrite{written->handle, whole->offset, whole->data}, write_done);
    });
  }
  if (PLANTED(kWriteShifted)) request->offset += 1;
  if (PLANTED(kWriteShort)) request->data = request->data.first(size - 1);
  if (through) SOMETIMES(call.engine(), kWriteThrough);
  return call.run(StoreWrite{open->handle, request->offset, request->data, through}, write_done);
}

Step flush(Call call) {
  auto request = wire::FlushRequest::parse(call.element());
  if (!request) return request.error();
  Open* open = call.open(request->file_id);
  if (open == nullptr) return call.no_open();
  if (open->is_pipe()) return call.reply(wire::FlushResponse{});
  // A directory is flushed by whoever may add to it, a file by whoever may write it.
  if (!(open->granted_access & kMayWrite)) return NtStatus::kAccessDenied;
  call.shape(Shape::kFlush);
  if (PLANTED(kFlushEarly)) return call.reply(wire::FlushResponse{});
  return call.run(StoreFlush{open->handle}, flush_done);
}

}  // namespace semblance::smb
