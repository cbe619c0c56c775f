#include "engine/smb/create/open_file.h"
#include "engine/base/planted.h"
#include "engine/smb/marks.h"

#include "engine/share/access.h"
#include "engine/share/attributes.h"
#include "engine/share/names.h"
#include "engine/smb/chain.h"
#include "engine/smb/create/resolve.h"
#include "engine/smb/name_claims.h"
#include "engine/smb/protection.h"
#include "engine/wire/file_attributes.h"

namespace semblance::smb {
namespace {

// How often a name may change between existing and missing under our hands.
constexpr int kTries = 4;

constexpr uint32_t kChangesData = wire::kFileWriteData | wire::kFileAppendData;
constexpr uint32_t kReadsData = wire::kFileReadData | wire::kFileExecute;

uint8_t store_access(const CreateWish& wish) {
  uint32_t access = wish.desired_access;
  if (access & wire::kMaximumAllowed) access |= wish.maximal_access;
  uint8_t store = 0;
  if (access & kReadsData) store |= kOpenRead;
  if ((access & kChangesData) || wish.overwrites()) store |= kOpenWrite;
  return store;
}

// With MAXIMUM_ALLOWED less will do, down to what was named.
uint8_t named_access(const CreateWish& wish) {
  uint8_t store = 0;
  if (wish.desired_access & kReadsData) store |= kOpenRead;
  if ((wish.desired_access & kChangesData) || wish.overwrites()) store |= kOpenWrite;
  return store;
}

uint32_t lost_rights(uint8_t wanted, uint8_t got) {
  uint32_t lost = 0;
  if ((wanted & kOpenRead) && !(got & kOpenRead)) lost |= kReadsData;
  if ((wanted & kOpenWrite) && !(got & kOpenWrite)) lost |= kChangesData;
  return lost;
}

// Whether the attributes of an existing object allow the wish: MS-FSA 2.1.5.1.2.
NtStatus check_existing(const CreateWish& wish, const FileStat& stat) {
  bool directory = stat.kind == FileKind::kDirectory;
  if (stat.kind != FileKind::kFile && !directory) return NtStatus::kAccessDenied;
  if (directory && wish.has(wire::kFileNonDirectoryFile)) return NtStatus::kFileIsADirectory;
  if (!directory && wish.has(wire::kFileDirectoryFile)) return NtStatus::kNotADirectory;
  if (directory && wish.overwrites()) return NtStatus::kObjectNameCollision;
  uint32_t attributes = share::file_attributes(stat);
  bool read_only = (attributes & wire::kFileAttributeReadonly) && !directory;
  if (read_only && wish.has(wire::kFileDeleteOnClose)) return NtStatus::kCannotDelete;
  if (read_only && ((wish.desired_access & kChangesData) || wish.overwrites()))
    return NtStatus::kAccessDenied;
  constexpr uint32_t kMustMatch = wire::kFileAttributeHidden | wire::kFileAttributeSystem;
  if (wish.overwrites() && (attributes & kMustMatch & ~wish.file_attributes))
    return NtStatus::kAccessDenied;
  return NtStatus::kSuccess;
}

// The rights that a disposition takes on an existing object, over what the handle is to have:
// MS-FSA 2.1.5.1.2.
uint32_t taken_by_disposition(const CreateWish& wish) {
  if (wish.disposition == wire::CreateDisposition::kSupersede)
    return wire::kDelete | wire::kFileWriteData;
  if (!wish.overwrites()) return 0;
  return wire::kFileWriteData | wire::kFileWriteEa | wire::kFileWriteAttributes;
}

// What the handle on an existing object may do, of what it is allowed.
Result<uint32_t> granted_on(const CreateWish& wish, const FileStat& stat, uint32_t maximal) {
  if (taken_by_disposition(wish) & ~maximal) return fail(NtStatus::kAccessDenied);
  bool read_only = share::file_attributes(stat) & wire::kFileAttributeReadonly;
  if (read_only && stat.kind == FileKind::kFile) maximal &= ~kChangesData;
  return share::grant(wish.desired_access, maximal);
}

// The rights whose being granted matters to the answer.
uint32_t rights_of_interest(const CreateWish& wish) {
  bool all = (wish.desired_access & wire::kMaximumAllowed) || wish.wants_maximal_access;
  return all ? wire::kFileAllAccess : wish.desired_access | taken_by_disposition(wish);
}

Task<Held> hold_existing(Call call, ShareId share, CreateWish wish, std::string path) {
  Held held;
  uint64_t unlinks = call.engine().unlinks;
  uint8_t wanted = store_access(wish), access = wanted;
  StoreResult opened = co_await call.store(StoreOpen{share, path, OpenWhat::kExisting, access});
  while (opened.error == StoreError::kAccess && access != named_access(wish)) {
    SOMETIMES(call.engine(), kLessAccess);
    call.ledger().reopens += 1;
    access = (access & kOpenWrite) && !(named_access(wish) & kOpenWrite)
                 ? static_cast<uint8_t>(access & ~kOpenWrite)
                 : named_access(wish);
    opened = co_await call.store(StoreOpen{share, path, OpenWhat::kExisting, access});
  }
  held.status = share::status_of(opened.error);
  if (!opened.ok()) co_return held;
  held.handle = std::get<StoreOpened>(opened.value).handle;
  StoreResult stat = co_await call.store(StoreStat{held.handle});
  if (!stat.ok()) {
    call.forget(held.handle);
    held.status = share::status_of(stat.error);
    co_return held;
  }
  held.stat = std::get<FileStat>(stat.value);
  held.path = std::move(path);
  held.maximal = wish.maximal_access;
  held.status = wish.must_not_exist() && !PLANTED(kCollisionMissed)
                    ? NtStatus::kObjectNameCollision
                    : check_existing(wish, held.stat);
  if (held.status == NtStatus::kSuccess && held.stat.has_descriptor) {
    Rights rights =
        co_await rights_on(call, {held.handle, share, held.path}, rights_of_interest(wish));
    held.status = rights.status;
    held.maximal &= rights.granted;
  }
  if (held.status == NtStatus::kSuccess) {
    auto granted = granted_on(wish, held.stat, held.maximal);
    if (granted) held.granted = *granted & ~lost_rights(wanted, access);
    if (!granted) held.status = granted.error();
  }
  // Files were deleted meanwhile: was it this one? A handle on it would be on nothing.
  while (held.status == NtStatus::kSuccess && unlinks != call.engine().unlinks) {
    unlinks = call.engine().unlinks;
    call.ledger().retries += 1;
    StoreResult again = co_await call.store(StoreStat{held.handle, false});
    const auto* now = std::get_if<FileStat>(&again.value);
    if (now == nullptr || now->links == 0) held.status = NtStatus::kObjectNameNotFound;
  }
  if (held.status != NtStatus::kSuccess) call.forget(held.handle);
  co_return held;
}

// What protects a new object from the start, if anything does, and what it leaves its creator.
struct NewProtection {
  NtStatus status = NtStatus::kSuccess;
  std::vector<uint8_t> descriptor;
  uint32_t maximal = 0;

  static NewProtection out_of_frames() { return {NtStatus::kInsufficientResources, {}, 0}; }
};

NtStatus protect(NewProtection& made, const CreateWish& wish, const Protection& parent,
                 FileKind kind, const share::Token& token) {
  std::optional<share::SecurityDescriptor> given;
  if (!wish.descriptor.empty()) given = *share::SecurityDescriptor::parse(wish.descriptor);
  auto descriptor =
      share::descriptor_of_new(given ? &*given : nullptr, parent.descriptor.get(), kind, token);
  if (!descriptor) return descriptor.error();
  if (!*descriptor) return NtStatus::kSuccess;
  made.maximal &= share::granted(**descriptor, token);
  auto blob = encoded(**descriptor);
  if (!blob) return NtStatus::kInvalidParameter;
  made.descriptor = std::move(*blob);
  return NtStatus::kSuccess;
}

Task<NewProtection> protection_of_new(Call call, ShareId share, const CreateWish& wish,
                                      const Resolution& where, FileKind kind) {
  NewProtection made{NtStatus::kSuccess, {}, wish.maximal_access};
  if (wish.descriptor.empty() && !where.parent_has_descriptor) co_return made;
  Protection parent{NtStatus::kSuccess, nullptr};
  if (where.parent_has_descriptor) {
    std::string directory(share::parent_path(where.path));
    parent = co_await read_protection(call, {StoreHandle::kNone, share, directory});
  }
  auto token = token_of(call);
  made.status = token ? check_addition(parent, kind, *token) : token.error();
  if (made.status != NtStatus::kSuccess) co_return made;
  made.status = protect(made, wish, parent, kind, *token);
  co_return made;
}

// The attributes that a new object gets beyond what it has by itself.
bool attributes_to_set(const CreateWish& wish, FileKind kind, DosAttributes& dos) {
  uint32_t wanted = wish.file_attributes | share::default_attributes(kind);
  dos.present = true;
  dos.attributes = wanted;
  return wanted != share::default_attributes(kind);
}

Task<Held> hold_new(Call call, ShareId share, CreateWish wish, Resolution where) {
  EngineState& e = call.engine();
  Held held;
  share::FileNode* parent = e.files.find(where.change.directory);
  if (parent != nullptr && parent->delete_pending) {
    SOMETIMES(e, kCreateInDeletePending);
    held.status = NtStatus::kDeletePending;
    co_return held;
  }
  bool directory = wish.has(wire::kFileDirectoryFile);
  // What is read-only from its first moment can't be deleted at its last.
  bool read_only = (wish.file_attributes & wire::kFileAttributeReadonly) && !directory;
  if (read_only && wish.has(wire::kFileDeleteOnClose)) {
    held.status = NtStatus::kCannotDelete;
    co_return held;
  }
  OpenWhat what = directory ? OpenWhat::kNewDirectory : OpenWhat::kNewFile;
  NewProtection protection = co_await protection_of_new(
      call, share, wish, where, directory ? FileKind::kDirectory : FileKind::kFile);
  held.status = protection.status;
  if (held.status != NtStatus::kSuccess) co_return held;
  StoreResult opened = co_await call.store(
      StoreOpen{share, where.path, what, static_cast<uint8_t>(store_access(wish) | kOpenRead),
                protection.descriptor});
  held.status = share::status_of(opened.error);
  if (!opened.ok()) co_return held;
  note_created(e, where.change, where.path);
  held.handle = std::get<StoreOpened>(opened.value).handle;
  held.path = where.path;
  held.created = true;
  if (!protection.descriptor.empty()) SOMETIMES(e, kNewProtected);
  DosAttributes dos;
  if (attributes_to_set(wish, directory ? FileKind::kDirectory : FileKind::kFile, dos)) {
    StoreSetAttributes set{held.handle};
    set.set_dos = true;
    set.dos = dos;
    co_await call.store(set);
  }
  if (wish.allocation_size > 0 && !directory)
    co_await call.store(StoreAllocate{held.handle, wish.allocation_size});
  StoreResult stat = co_await call.store(StoreStat{held.handle});
  if (!stat.ok()) {
    call.forget(held.handle);
    held.status = share::status_of(stat.error);
    co_return held;
  }
  held.stat = std::get<FileStat>(stat.value);
  held.maximal = protection.maximal;
  // Its creator gets what was asked for, whatever the object's own descriptor says: MS-FSA
  // 2.1.5.1.1. Only MAXIMUM_ALLOWED is measured by it.
  uint32_t named = wish.desired_access & ~wire::kMaximumAllowed;
  bool wants_all = wish.desired_access & wire::kMaximumAllowed;
  if (wants_all) SOMETIMES(e, kMaximumAllowed);
  held.granted = named | (wants_all ? held.maximal : 0);
  co_return held;
}

}  // namespace

Task<Held> hold(Call call, ShareId share, CreateWish wish) {
  Held held;
  std::string path = wish.path;
  FileKey directory;
  while (!enter_paths(call)) {
    if (co_await claims_released(call) == Wake::kReady) continue;
    held.status = NtStatus::kCancelled;
    co_return held;
  }
  for (int tries = 0; tries < kTries; ++tries) {
    held = co_await hold_existing(call, share, wish, path);
    call.shape(path == wish.path ? Shape::kOpenExact : Shape::kOpenFolded);
    bool missing = held.status == NtStatus::kObjectNameNotFound ||
                   held.status == NtStatus::kObjectPathNotFound;
    if (!missing) co_return held;
    if (tries > 0) {
      call.ledger().retries += 1;
      call.engine().names.forget(directory);  // what it told was not so
    }
    if (!wish.must_exist() && !claim_name(call, share, wish.path)) {
      if (co_await claims_released(call) != Wake::kReady) {
        held.status = NtStatus::kCancelled;
        co_return held;
      }
      call.ledger().retries += 1;
      --tries;
      continue;  // what the other has made may be there now
    }
    Resolution where = co_await resolve(
        call, share, wish.path, wish.must_exist() ? ResolveFor::kLooking : ResolveFor::kCreating);
    directory = where.change.directory;
    if (where.status == NtStatus::kSuccess) {
      if (where.path == path) call.ledger().retries += 1;  // made by somebody else meanwhile
      if (where.path != wish.path) SOMETIMES(call.engine(), kCreateFolded);
      release_name(call);
      path = where.path;
      continue;
    }
    held.status = where.status;
    call.shape(Shape::kOpenMissing);
    SOMETIMES(call.engine(), kCreateMissing);
    if (where.status != NtStatus::kObjectNameNotFound || wish.must_exist()) co_return held;
    if (TreeConnect* tree = call.tree();
        tree == nullptr || (tree->read_only && !PLANTED(kReadOnlyShareWritten))) {
      SOMETIMES(call.engine(), kCreateReadOnlyShare);
      held.status = NtStatus::kAccessDenied;
      co_return held;
    }
    call.shape(Shape::kCreateNew);
    held = co_await hold_new(call, share, wish, where);
    if (held.status != NtStatus::kObjectNameCollision || wish.must_not_exist()) co_return held;
    path = where.path;  // somebody was faster: open theirs
    release_name(call);
    SOMETIMES(call.engine(), kCreateRaced);
    call.ledger().retries += 1;
  }
  co_return held;
}

Result<OpenSlot> admit(Call call, ShareId share, const CreateWish& wish, const Held& held) {
  EngineState& e = call.engine();
  TreeConnect* tree = call.tree();
  auto refuse = [&](NtStatus status) -> Result<OpenSlot> {
    if (!PLANTED(kStoreHandleLeaked)) call.forget(held.handle);
    return fail(status);
  };
  if (tree == nullptr || call.session() == nullptr) {
    SOMETIMES(e, kCreateLostTree);
    return refuse(NtStatus::kNetworkNameDeleted);
  }
  OpenSlot slot = e.opens.acquire();
  if (!slot) {
    SOMETIMES(e, kCreateNoSlot);
    return refuse(NtStatus::kTooManyOpenedFiles);
  }
  // Overwriting needs the others' consent to writing, whatever the handle may do afterwards.
  share::ShareMode mode{held.granted, wish.share_access};
  if (wish.overwrites()) mode.access |= wire::kFileWriteData;
  auto node = e.files.join(held.stat.key, slot.packed(), mode);
  if (!node) {
    e.opens.release(slot);
    if (node.error() == NtStatus::kSharingViolation) SOMETIMES(e, kSharingViolation);
    if (node.error() == NtStatus::kDeletePending) SOMETIMES(e, kDeletePendingRefused);
    return refuse(node.error());
  }
  for (share::FileNode::Member& member : e.files.find(*node)->members)
    if (member.owner == slot.packed()) member.mode.access = held.granted;
  Open& open = e.opens.get(slot);
  open.id = slot;
  open.tree = tree->id;
  open.session = tree->session;
  open.granted_access = held.granted;
  open.share_access = wish.share_access;
  open.create_options = wish.options;
  open.handle = held.handle;
  open.node = *node;
  open.share = share;
  open.path = held.path;
  open.is_directory = held.stat.kind == FileKind::kDirectory;
  open.delete_on_close = wish.has(wire::kFileDeleteOnClose);
  open.mode = wish.options & (wire::kFileWriteThrough | wire::kFileSequentialOnly |
                              wire::kFileNoIntermediateBuffering | wire::kFileSynchronousIoAlert |
                              wire::kFileSynchronousIoNonalert);
  tree->opens.add(e.opens, slot);
  return slot;
}

}  // namespace semblance::smb
