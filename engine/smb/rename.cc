#include "engine/smb/rename.h"

#include <algorithm>

#include "engine/base/planted.h"
#include "engine/smb/marks.h"

#include "engine/share/names.h"
#include "engine/smb/chain.h"
#include "engine/smb/create/resolve.h"
#include "engine/smb/name_claims.h"
#include "engine/smb/protection.h"
#include "engine/wire/access_mask.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/set_info.h"

namespace semblance::smb {
namespace {

struct Target {
  std::string path;
  bool replace = false;
};

// MS-FSCC 2.4.42.2: a root directory means nothing over the network, and the name is from the
// share's root, with or without a leading backslash.
template <typename Information>
Result<Target> read_target(Bytes buffer) {
  auto info = Information::parse(buffer);
  if (!info)
    return fail(info.error() == NtStatus::kInfoLengthMismatch ? NtStatus::kInvalidParameter
                                                              : info.error());
  if (info->root_directory != 0 || info->file_name.empty())
    return fail(NtStatus::kInvalidParameter);
  Bytes name = info->file_name;
  if (name[0] == '\\' && name[1] == 0) name = name.subspan(2);
  auto path = share::store_path(name);
  if (!path) return fail(path.error());
  if (path->empty()) return fail(NtStatus::kObjectNameInvalid);
  return Target{std::move(*path), info->replace_if_exists};
}

// Where the new name leads: as spelled if its directory exists so, with an existing object's stored
// spelling in `existing`.
struct Place {
  NtStatus status = NtStatus::kSuccess;
  std::string path;      // where the object goes
  std::string existing;  // what is there now; empty if nothing
  FileStat stat;         // of what is there
  DirectoryChange change;
  bool in_protected = true;  // its directory has a descriptor, or may have one

  static Place out_of_frames() {
    Place place;
    place.status = NtStatus::kInsufficientResources;
    return place;
  }
};

Task<Place> find_place(Call call, ShareId share, std::string wanted) {
  Place place;
  StoreResult stat = co_await call.store(StoreStatPath{share, wanted});
  if (!stat.ok()) {
    Resolution where = co_await resolve(call, share, wanted, ResolveFor::kCreating);
    place.in_protected = where.parent_has_descriptor;
    place.change = where.change;
    place.path = where.path;
    if (where.status == NtStatus::kObjectNameNotFound) co_return place;
    place.status = where.status;
    if (where.status != NtStatus::kSuccess) co_return place;
    place.existing = where.path;
    // The new spelling is what the client wrote, in the directory as it is stored.
    place.path = share::joined(share::parent_path(where.path), share::last_component(wanted));
    stat = co_await call.store(StoreStatPath{share, place.existing});
    if (!stat.ok()) {
      place.status = share::status_of(stat.error);
      co_return place;
    }
  } else {
    place.path = wanted;
    place.existing = wanted;
    place.change = co_await begin_directory_change(call, share, wanted);
  }
  place.stat = std::get<FileStat>(stat.value);
  co_return place;
}

// Whether any open lies beneath the directory. Opens are few; a rename of a directory is rare.
bool has_open_descendants(EngineState& e, ShareId share, const std::string& directory) {
  bool found = false;
  e.opens.for_each([&](OpenSlot, Open& open) {
    found = found || (open.share == share && share::is_beneath(open.path, directory));
  });
  return found;
}

// Whether two stored paths differ in the case of letters at the most.
bool is_respelling(const std::string& a, const std::string& b) {
  auto wire_a = share::wire_name(share::last_component(a));
  auto wire_b = share::wire_name(share::last_component(b));
  return share::parent_path(a) == share::parent_path(b) && wire_a && wire_b &&
         share::folded(*wire_a) == share::folded(*wire_b);
}

// What a rename onto an existing object requires.
NtStatus check_replace(EngineState& e, const Place& place, bool replace, FileKey self,
                       const std::string& from) {
  if (place.existing.empty()) return NtStatus::kSuccess;
  // The object itself in another spelling. Otherwise it is the object under another name, through
  // a link: moving the one over the other would lose it.
  bool respelled = place.stat.key == self && is_respelling(place.existing, from);
  if (place.existing == from || respelled) return NtStatus::kSuccess;
  if (!replace && !PLANTED(kRenamedOverOpen)) return NtStatus::kObjectNameCollision;
  if (place.stat.kind == FileKind::kDirectory) return NtStatus::kAccessDenied;
  return e.files.find(place.stat.key) != nullptr ? NtStatus::kAccessDenied : NtStatus::kSuccess;
}

// Whether the session may make the name there, and remove what has it now. MS-FSA 2.1.5.15.11.
Task<NtStatus> check_rights(Call call, ShareId share, const Place& place, FileKind kind,
                            FileKey self) {
  auto token = token_of(call);
  if (!token) co_return token.error();
  if (place.in_protected) {
    std::string directory(share::parent_path(place.path));
    Protection above = co_await find_protection(call, {StoreHandle::kNone, share, directory});
    NtStatus status = check_addition(above, kind, *token);
    if (status != NtStatus::kSuccess) co_return status;
  }
  if (place.existing.empty() || place.stat.key == self) co_return NtStatus::kSuccess;
  Protected target{StoreHandle::kNone, share, place.existing};
  Protection own = co_await find_protection(call, target);
  if (own.status != NtStatus::kSuccess || !own.descriptor) co_return own.status;
  Rights rights = co_await rights_on(call, target, wire::kDelete);
  if (rights.status != NtStatus::kSuccess) co_return rights.status;
  co_return rights.granted& wire::kDelete ? NtStatus::kSuccess : NtStatus::kAccessDenied;
}

// All opens of the object under its old name go by the new one.
void follow(EngineState& e, ShareId share, FileKey key, const std::string& from,
            const std::string& to) {
  share::FileNode* node = e.files.find(key);
  if (node == nullptr) return;
  std::ranges::replace(node->delete_paths, from, to);
  for (const share::FileNode::Member& member : node->members) {
    Open* open = e.opens.find(OpenSlot::unpack(member.owner));
    if (open != nullptr && open->share == share && open->path == from) open->path = to;
  }
}

Task<Outcome> rename_open(Call call, OpenSlot slot, Target target) {
  EngineState& e = call.engine();
  call.shape(Shape::kRename);
  call.request().components = share::component_count(target.path);
  Open* open = &e.opens.get(slot);
  ShareId share = open->share;
  bool directory = open->is_directory;
  while ((directory && !claim_paths(call)) || !claim_name(call, share, target.path))
    if (co_await claims_released(call) != Wake::kReady) co_return NtStatus::kCancelled;
  open = call.open(slot);
  if (open == nullptr) co_return NtStatus::kFileClosed;
  std::string from = open->path;
  Place place = co_await find_place(call, share, target.path);
  if (place.status != NtStatus::kSuccess) co_return place.status;
  open = call.open(slot);
  share::FileNode* node = open != nullptr ? e.files.find(open->node) : nullptr;
  if (node == nullptr) co_return NtStatus::kFileClosed;
  FileKey key = node->key;
  if (open->is_directory && (share::is_beneath(place.path, from)))
    co_return NtStatus::kInvalidParameter;
  if (open->is_directory && has_open_descendants(e, share, from)) {
    SOMETIMES(e, kRenameBusy);
    co_return NtStatus::kAccessDenied;
  }
  NtStatus status = check_replace(e, place, target.replace, key, from);
  if (status != NtStatus::kSuccess) co_return status;
  // Its own name, if it still has that: beside the server it may have gone to another object.
  if (place.path == from && !place.existing.empty() && place.stat.key == key)
    co_return call.reply(wire::SetInfoResponse{});
  FileKind kind = open->is_directory ? FileKind::kDirectory : FileKind::kFile;
  status = co_await check_rights(call, share, place, kind, key);
  if (status != NtStatus::kSuccess) co_return status;
  DirectoryChange left = co_await begin_directory_change(call, share, from);
  // Its own other spelling is no other object; who takes that name meanwhile keeps it.
  bool replaces = !place.existing.empty() && place.stat.key != key;
  // What is replaced goes under the name that it is stored by; only then is the new spelling given,
  // or both would be there.
  std::string to = replaces ? place.existing : place.path;
  StoreResult done = co_await call.store(StoreRename{share, from, to, replaces, key});
  if (!done.ok()) co_return share::status_of(done.error);
  if (to != place.path) {
    StoreResult spelled = co_await call.store(StoreRename{share, to, place.path});
    if (spelled.ok()) to = place.path;
  }
  note_removed(e, left, from);
  SOMETIMES(e, kRenamed);
  if (replaces) SOMETIMES(e, kRenamedOver);
  if (!place.existing.empty() && place.existing != from)
    note_removed(e, place.change, place.existing);
  note_created(e, place.change, to);
  follow(e, share, key, from, to);
  co_return call.reply(wire::SetInfoResponse{});
}

Task<Outcome> link_open(Call call, OpenSlot slot, Target target) {
  EngineState& e = call.engine();
  call.shape(Shape::kRename);
  call.request().components = share::component_count(target.path);
  ShareId share = e.opens.get(slot).share;
  while (!claim_name(call, share, target.path))
    if (co_await claims_released(call) != Wake::kReady) co_return NtStatus::kCancelled;
  Place place = co_await find_place(call, share, target.path);
  if (place.status != NtStatus::kSuccess) co_return place.status;
  if (!place.existing.empty())
    co_return target.replace ? NtStatus::kAccessDenied : NtStatus::kObjectNameCollision;
  NtStatus status = co_await check_rights(call, share, place, FileKind::kFile, {});
  if (status != NtStatus::kSuccess) co_return status;
  Open* open = call.open(slot);
  if (open == nullptr) co_return NtStatus::kFileClosed;
  StoreResult done = co_await call.store(StoreLink{open->handle, share, place.path});
  if (!done.ok()) co_return share::status_of(done.error);
  note_created(e, place.change, place.path);
  co_return call.reply(wire::SetInfoResponse{});
}

}  // namespace

Step rename(Call call, Open& open, Bytes buffer) {
  auto target = read_target<wire::FileRenameInformation>(buffer);
  if (!target) return target.error();
  if (!(open.granted_access & wire::kDelete)) return NtStatus::kAccessDenied;
  if (open.path.empty()) return NtStatus::kAccessDenied;  // the share's root
  return spawn(call, rename_open(call, open.id, std::move(*target)));
}

Step hard_link(Call call, Open& open, Bytes buffer) {
  auto target = read_target<wire::FileLinkInformation>(buffer);
  if (!target) return target.error();
  if (open.is_directory) return NtStatus::kFileIsADirectory;
  return spawn(call, link_open(call, open.id, std::move(*target)));
}

}  // namespace semblance::smb
