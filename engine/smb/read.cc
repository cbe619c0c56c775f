// MS-SMB2 3.3.5.12 Receiving an SMB2 READ Request.

#include "engine/wire/read.h"
#include "engine/base/planted.h"

#include "engine/smb/commands.h"
#include "engine/smb/marks.h"
#include "engine/smb/pipes.h"
#include "engine/wire/access_mask.h"

namespace semblance::smb {
namespace {

// The data lies behind the header already: what is left is to say how much.
Step read_done(Call call, const StoreResult& result) {
  if (!result.ok()) return share::status_of(result.error);
  auto request = wire::ReadRequest::parse(call.element());
  size_t count = std::get<StoreCount>(result.value).count;
  if (count == 0 && request->length > 0) {
    SOMETIMES(call.engine(), kReadAtEnd);
    return NtStatus::kEndOfFile;
  }
  if (count < request->minimum_count) return NtStatus::kEndOfFile;
  if (Open* open = call.open(request->file_id)) open->position = request->offset + count;
  call.engine().counters.bytes_read += count;
  wire::Builder b = call.body();
  wire::ReadResponse::build_fixed(b, static_cast<uint32_t>(count));
  b.reserve(count);
  return Call::done(b);
}

}  // namespace

Step read(Call call) {
  auto request = wire::ReadRequest::parse(call.element());
  if (!request) return request.error();
  Open* open = call.open(request->file_id);
  if (open == nullptr) return call.no_open();
  if (request->length > call.connection()->max_read) return NtStatus::kInvalidParameter;
  if (request->channel != wire::kChannelNone) return NtStatus::kInvalidParameter;
  if (open->is_pipe()) return read_pipe(call, *open, request->length);
  if (open->is_directory) return NtStatus::kInvalidDeviceRequest;
  if (!(open->granted_access & (wire::kFileReadData | wire::kFileExecute)))
    return NtStatus::kAccessDenied;
  if (request->offset + request->length > INT64_MAX || request->offset > INT64_MAX)
    return NtStatus::kInvalidParameter;
  share::FileNode* node = call.engine().files.find(open->node);
  share::ByteRange range{request->offset, request->length};
  if (node != nullptr && !node->locks.empty() && !PLANTED(kReadLockSkipped) &&
      node->locks.bars(open->id.packed(), range, share::IoKind::kRead)) {
    SOMETIMES(call.engine(), kReadLocked);
    return NtStatus::kFileLockConflict;
  }
  call.shape(Shape::kRead);
  wire::Builder b = call.body();
  b.reserve(wire::ReadResponse::kDataOffset - wire::kHeaderSize);
  MutableBytes into = b.reserve(request->length);
  if (!b.ok()) return NtStatus::kInsufficientResources;
  if (PLANTED(kReadShifted)) request->offset += 1;
  return call.run(StoreRead{open->handle, request->offset, into}, read_done);
}

}  // namespace semblance::smb
