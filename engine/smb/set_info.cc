// MS-SMB2 3.3.5.21 Receiving an SMB2 SET_INFO Request.

#include "engine/wire/set_info.h"

#include "engine/base/planted.h"
#include "engine/share/attributes.h"
#include "engine/smb/chain.h"
#include "engine/smb/commands.h"
#include "engine/smb/rename.h"
#include "engine/smb/security_info.h"
#include "engine/wire/access_mask.h"
#include "engine/wire/file_attributes.h"
#include "engine/wire/file_info.h"

namespace semblance::smb {
namespace {

using wire::FileInfoClass;

Step set_done(Call call, const StoreResult& result) {
  if (!result.ok()) return share::status_of(result.error);
  return call.reply(wire::SetInfoResponse{});
}

// ---- FileBasicInformation: MS-FSA 2.1.5.15.2, MS-FSCC 2.4.7 -------------------------------------

// 0 leaves a time alone; -1 stops, -2 resumes implicit updates through this handle; others below 0
// are nonsense.
constexpr uint64_t kStop = UINT64_MAX, kResume = UINT64_MAX - 1;
bool is_date(FileTime time) { return time.ticks != 0 && time.ticks < kResume; }
bool is_legal(FileTime time) {
  return time.ticks >= kResume || static_cast<int64_t>(time.ticks) >= 0;
}

NtStatus check_basic(const Open& open, const wire::FileBasicInformation& info) {
  for (FileTime time :
       {info.creation_time, info.last_access_time, info.last_write_time, info.change_time})
    if (!is_legal(time)) return NtStatus::kInvalidParameter;
  bool directory = info.file_attributes & wire::kFileAttributeDirectory;
  if (directory && !open.is_directory) return NtStatus::kInvalidParameter;
  if ((info.file_attributes & wire::kFileAttributeTemporary) && open.is_directory)
    return NtStatus::kInvalidParameter;
  return NtStatus::kSuccess;
}

Task<Outcome> set_basic(Call call, OpenSlot slot, wire::FileBasicInformation info) {
  EngineState& e = call.engine();
  Open* open = &e.opens.get(slot);
  StoreSetAttributes set{open->handle};
  if (is_date(info.last_access_time)) set.accessed = info.last_access_time;
  if (is_date(info.last_write_time)) set.modified = info.last_write_time;
  bool pins_write_time = is_date(info.last_write_time) || info.last_write_time.ticks == kStop;
  set.set_dos = info.file_attributes != 0 || is_date(info.creation_time);
  if (set.set_dos || info.last_write_time.ticks == kStop) {
    // What is not given stays as it is.
    StoreResult stat = co_await call.store(StoreStat{open->handle});
    if (!stat.ok()) co_return share::status_of(stat.error);
    const FileStat& now = std::get<FileStat>(stat.value);
    set.dos = now.dos;
    if (!now.dos.present) set.dos.attributes = share::default_attributes(now.kind);
    set.dos.present = true;
    if (info.file_attributes != 0)
      set.dos.attributes = info.file_attributes & share::kStorableAttributes;
    if (is_date(info.creation_time)) set.dos.created = info.creation_time;
    if (info.last_write_time.ticks == kStop) info.last_write_time = now.modified;
  }
  if (set.set_dos || set.accessed.ticks != 0 || set.modified.ticks != 0) {
    StoreResult done = co_await call.store(set);
    if (!done.ok()) co_return share::status_of(done.error);
  }
  open = call.open(slot);
  if (open == nullptr) co_return NtStatus::kFileClosed;
  if (pins_write_time) {
    open->sticky_write_time = info.last_write_time;
    open->wrote = false;
  } else if (info.last_write_time.ticks == kResume) {
    open->sticky_write_time = {};
  }
  co_return call.reply(wire::SetInfoResponse{});
}

Step basic(Call call, Open& open, Bytes buffer) {
  auto info = wire::FileBasicInformation::parse(buffer);
  if (!info) return info.error();
  if (!(open.granted_access & wire::kFileWriteAttributes)) return NtStatus::kAccessDenied;
  if (NtStatus status = check_basic(open, *info); status != NtStatus::kSuccess) return status;
  return spawn(call, set_basic(call, open.id, *info));
}

// ---- FileDispositionInformation: MS-FSA 2.1.5.15.3 ----------------------------------------------

// Only an empty directory can be marked. The handle at hand may not be allowed to list, so it is
// opened anew.
Task<NtStatus> check_empty(Call call, ShareId share, std::string path) {
  StoreResult opened = co_await call.store(StoreOpen{share, path, OpenWhat::kExisting, kOpenRead});
  if (!opened.ok()) co_return share::status_of(opened.error);
  StoreHandle handle = std::get<StoreOpened>(opened.value).handle;
  std::array<uint8_t, 512> batch;
  StoreResult read = co_await call.store(StoreReadDirectory{handle, 0, batch});
  call.forget(handle);
  if (!read.ok()) co_return share::status_of(read.error);
  bool empty = std::get<StoreCount>(read.value).count == 0;
  co_return empty ? NtStatus::kSuccess : NtStatus::kDirectoryNotEmpty;
}

Task<Outcome> mark_deleted(Call call, OpenSlot slot, bool ignore_read_only) {
  EngineState& e = call.engine();
  Open* open = &e.opens.get(slot);
  bool directory = open->is_directory;
  if (open->path.empty()) co_return NtStatus::kCannotDelete;  // the share's root
  StoreResult stat = co_await call.store(StoreStat{open->handle});
  if (!stat.ok()) co_return share::status_of(stat.error);
  uint32_t attributes = share::file_attributes(std::get<FileStat>(stat.value));
  if ((attributes & wire::kFileAttributeReadonly) && !ignore_read_only)
    co_return NtStatus::kCannotDelete;
  open = call.open(slot);
  if (open == nullptr) co_return NtStatus::kFileClosed;
  if (directory) {
    NtStatus status = co_await check_empty(call, open->share, open->path);
    if (status != NtStatus::kSuccess) co_return status;
    open = call.open(slot);
    if (open == nullptr) co_return NtStatus::kFileClosed;
  }
  share::FileNode* node = e.files.find(open->node);
  if (node == nullptr) co_return NtStatus::kFileClosed;
  node->mark_deleted(open->path);
  co_return call.reply(wire::SetInfoResponse{});
}

Step set_disposition(Call call, Open& open, bool deletes, bool ignore_read_only) {
  if (!(open.granted_access & wire::kDelete)) return NtStatus::kAccessDenied;
  share::FileNode* node = call.engine().files.find(open.node);
  if (node == nullptr) return NtStatus::kFileClosed;
  if (deletes) return spawn(call, mark_deleted(call, open.id, ignore_read_only));
  node->mark_kept();
  return call.reply(wire::SetInfoResponse{});
}

Step disposition(Call call, Open& open, Bytes buffer) {
  auto info = wire::FileDispositionInformation::parse(buffer);
  if (!info) return info.error();
  return set_disposition(call, open, info->delete_pending, false);
}

// POSIX semantics would unlink at once; without them a request for it is refused rather than bent.
Step disposition_ex(Call call, Open& open, Bytes buffer) {
  auto info = wire::FileDispositionInformationEx::parse(buffer);
  if (!info) return info.error();
  constexpr uint32_t kKnown = wire::kFileDispositionDelete |
                              wire::kFileDispositionForceImageSectionCheck |
                              wire::kFileDispositionIgnoreReadonlyAttribute;
  if (info->flags & ~kKnown) return NtStatus::kNotSupported;
  return set_disposition(call, open, info->flags & wire::kFileDispositionDelete,
                         info->flags & wire::kFileDispositionIgnoreReadonlyAttribute);
}

// ---- Sizes: MS-FSA 2.1.5.15.1, 2.1.5.15.4 -------------------------------------------------------

Step end_of_file(Call call, Open& open, Bytes buffer) {
  auto info = wire::FileEndOfFileInformation::parse(buffer);
  if (!info) return info.error();
  if (open.is_directory || info->end_of_file > INT64_MAX) return NtStatus::kInvalidParameter;
  if (!(open.granted_access & wire::kFileWriteData)) return NtStatus::kAccessDenied;
  open.wrote = true;
  if (PLANTED(kEndOfFileIgnored)) return call.reply(wire::SetInfoResponse{});
  return call.run(StoreTruncate{open.handle, info->end_of_file}, set_done);
}

// Less than the end of the file cuts it off; more reserves storage.
Task<Outcome> set_allocation(Call call, OpenSlot slot, uint64_t size) {
  StoreHandle handle = call.engine().opens.get(slot).handle;
  StoreResult stat = co_await call.store(StoreStat{handle, false});
  if (!stat.ok()) co_return share::status_of(stat.error);
  bool cuts = size < std::get<FileStat>(stat.value).size;
  StoreOperation what = StoreAllocate{handle, size};
  if (cuts) what = StoreTruncate{handle, size};
  StoreResult done = co_await call.store(what);
  // Reserving is advice where the file system below can't do it.
  if (!done.ok() && !(done.error == StoreError::kNotSupported && !cuts))
    co_return share::status_of(done.error);
  co_return call.reply(wire::SetInfoResponse{});
}

Step allocation(Call call, Open& open, Bytes buffer) {
  auto info = wire::FileAllocationInformation::parse(buffer);
  if (!info) return info.error();
  if (open.is_directory || info->allocation_size > INT64_MAX) return NtStatus::kInvalidParameter;
  if (!(open.granted_access & wire::kFileWriteData)) return NtStatus::kAccessDenied;
  return spawn(call, set_allocation(call, open.id, info->allocation_size));
}

// ---- What stays with the handle -----------------------------------------------------------------

Step position(Call call, Open& open, Bytes buffer) {
  auto info = wire::FilePositionInformation::parse(buffer);
  if (!info) return info.error();
  if (info->current_byte_offset > INT64_MAX) return NtStatus::kInvalidParameter;
  open.position = info->current_byte_offset;
  return call.reply(wire::SetInfoResponse{});
}

Step mode(Call call, Open& open, Bytes buffer) {
  auto info = wire::FileModeInformation::parse(buffer);
  if (!info) return info.error();
  constexpr uint32_t kKnown = 0x0000103E;
  if (info->mode & ~kKnown) return NtStatus::kInvalidParameter;
  open.mode = info->mode;
  return call.reply(wire::SetInfoResponse{});
}

Step set_file(Call call, Open& open, FileInfoClass info_class, Bytes buffer) {
  switch (info_class) {
    case FileInfoClass::kBasic:
      return basic(call, open, buffer);
    case FileInfoClass::kRename:
      return rename(call, open, buffer);
    case FileInfoClass::kLink:
      return hard_link(call, open, buffer);
    case FileInfoClass::kDisposition:
      return disposition(call, open, buffer);
    case FileInfoClass::kDispositionEx:
      return disposition_ex(call, open, buffer);
    case FileInfoClass::kEndOfFile:
      return end_of_file(call, open, buffer);
    case FileInfoClass::kAllocation:
      return allocation(call, open, buffer);
    case FileInfoClass::kPosition:
      return position(call, open, buffer);
    case FileInfoClass::kMode:
      return mode(call, open, buffer);
    case FileInfoClass::kFullEa:
      return NtStatus::kEasNotSupported;
    default:
      return NtStatus::kInvalidInfoClass;
  }
}

}  // namespace

Step set_info(Call call) {
  auto request = wire::SetInfoRequest::parse(call.element());
  if (!request) return request.error();
  Open* open = call.open(request->file_id);
  if (open == nullptr) return call.no_open();
  if (request->buffer.size() > call.connection()->max_transact) return NtStatus::kInvalidParameter;
  if (open->is_pipe()) return NtStatus::kNotSupported;
  auto info_class = static_cast<FileInfoClass>(request->file_info_class);
  bool handle_only = info_class == FileInfoClass::kPosition || info_class == FileInfoClass::kMode;
  if (call.tree()->read_only && !(request->info_type == wire::InfoType::kFile && handle_only))
    return NtStatus::kAccessDenied;
  switch (request->info_type) {
    case wire::InfoType::kFile:
      call.shape(Shape::kSetInfo);
      return set_file(call, *open, info_class, request->buffer);
    case wire::InfoType::kSecurity:
      return set_security(call, *open, *request);
    case wire::InfoType::kFileSystem:
    case wire::InfoType::kQuota:
      return NtStatus::kNotSupported;
  }
  return NtStatus::kInvalidParameter;
}

}  // namespace semblance::smb
