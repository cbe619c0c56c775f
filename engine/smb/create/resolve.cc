#include <algorithm>

#include "engine/smb/create/resolve.h"
#include "engine/smb/marks.h"

#include <vector>

#include "engine/base/utf16.h"
#include "engine/share/names.h"

namespace semblance::smb {
namespace {

constexpr size_t kBatchBytes = 32 << 10;

// The stored name in a directory that equals the wanted one without regard to case; empty if none.
struct Spelling {
  NtStatus status = NtStatus::kSuccess;
  std::string name;

  static Spelling out_of_frames() { return {NtStatus::kInsufficientResources, {}}; }
};

// Keeps the better of two spellings: the exact one, else the smallest.
void prefer(std::string& best, std::string_view candidate, std::string_view wanted) {
  if (best == wanted) return;
  if (best.empty() || candidate == wanted || candidate < best) best = candidate;
}

// Of a directory that was there a moment ago: what is missing now is the way, not the name.
NtStatus way_status(StoreError error) {
  return error == StoreError::kNotFound ? NtStatus::kObjectPathNotFound : share::status_of(error);
}

// Reads the whole directory: into its index, and for this one name, in case the index has no room.
Task<Spelling> enumerate(Call call, ShareId share, std::string directory, FileStat stat,
                         std::string wanted) {
  EngineState& e = call.engine();
  Spelling found;
  auto wire = share::wire_name(wanted);
  if (!wire) co_return Spelling{NtStatus::kObjectNameInvalid, {}};
  std::u16string key = share::folded(*wire);
  call.ledger().indexings += 1;
  StoreResult opened =
      co_await call.store(StoreOpen{share, directory, OpenWhat::kExisting, kOpenRead});
  if (!opened.ok()) {
    co_return Spelling{way_status(opened.error), {}};
  }
  StoreHandle handle = std::get<StoreOpened>(opened.value).handle;
  std::vector<uint8_t> batch(kBatchBytes);
  uint64_t position = 0;
  std::vector<std::string> names;
  for (;;) {
    StoreResult read = co_await call.store(StoreReadDirectory{handle, position, batch});
    call.ledger().batches += 1;
    if (!read.ok()) {
      found.status = way_status(read.error);
      break;
    }
    size_t used = std::get<StoreCount>(read.value).count;
    if (used == 0) {
      // An index with no room for all of the names would be worse than none.
      if (names.size() < e.limits.index_entries) {
        SOMETIMES(e, kIndexBuilt);
        e.names.publish(stat, std::move(names));
      }
      break;
    }
    for (size_t at = 0; at + sizeof(DirectoryRecord) <= used;) {
      auto record = load<DirectoryRecord>(batch.data() + at);
      std::string_view name(reinterpret_cast<const char*>(batch.data()) + at + sizeof record,
                            record.name_length);
      if (names.size() < e.limits.index_entries) names.emplace_back(name);
      auto shown = share::wire_name(name);
      if (shown && share::folded(*shown) == key) prefer(found.name, name, wanted);
      position = record.next;
      at = align_up(at + sizeof record + record.name_length, 8);
    }
  }
  call.forget(handle);
  co_return found;
}

Task<Spelling> spelling_in(Call call, ShareId share, std::string directory, FileStat stat,
                           std::string wanted) {
  EngineState& e = call.engine();
  bool known = e.names.has(stat.key);
  if (e.names.validate(stat) == share::IndexState::kValid)
    co_return Spelling{NtStatus::kSuccess, std::string(e.names.find(stat.key, wanted))};
  if (known) SOMETIMES(e, kIndexOutdated);
  co_return co_await enumerate(call, share, directory, stat, wanted);
}

}  // namespace

Task<Resolution> resolve(Call call, ShareId share, std::string path, ResolveFor purpose) {
  bool ask = purpose == ResolveFor::kCreating;
  EngineState& e = call.engine();
  Resolution r;
  r.change.began = e.wall;
  std::string directory(share::parent_path(path));
  StoreResult parent = co_await call.store(StoreStatPath{share, directory, ask});
  std::string rest(share::last_component(path));
  if (!parent.ok()) {
    if (directory.empty()) co_return Resolution{share::status_of(parent.error), {}, {}, false};
    directory.clear();
    rest = path;
    parent = co_await call.store(StoreStatPath{share, directory, ask});
  }
  for (;;) {
    const FileStat* stat = std::get_if<FileStat>(&parent.value);
    if (stat == nullptr || stat->kind != FileKind::kDirectory) {
      r.status = parent.error == StoreError::kAccess ? NtStatus::kAccessDenied
                                                     : NtStatus::kObjectPathNotFound;
      co_return r;
    }
    FileStat known = *stat;
    size_t end = std::min(rest.find('/'), rest.size());
    std::string component = rest.substr(0, end);
    bool is_last = end == rest.size();
    Spelling spelling = co_await spelling_in(call, share, directory, known, component);
    if (spelling.status != NtStatus::kSuccess) {
      r.status = spelling.status;
      co_return r;
    }
    if (is_last) {
      r.path = share::joined(directory, spelling.name.empty() ? component : spelling.name);
      r.status = spelling.name.empty() ? NtStatus::kObjectNameNotFound : NtStatus::kSuccess;
      r.change.directory = known.key;
      r.parent_has_descriptor = known.has_descriptor;
      r.change.indexed = e.names.has(known.key);
      r.change.began = e.wall;
      r.change.changes_before = e.names.changes();
      co_return r;
    }
    if (spelling.name.empty()) {
      r.status = NtStatus::kObjectPathNotFound;
      co_return r;
    }
    directory = share::joined(directory, spelling.name);
    rest.erase(0, end + 1);
    parent = co_await call.store(StoreStatPath{share, directory, ask});
  }
}

}  // namespace semblance::smb
