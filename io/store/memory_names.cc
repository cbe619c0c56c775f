// MemoryStore: paths, and what changes names.

#include "engine/base/check.h"
#include "engine/limits.h"
#include "io/store/memory_store.h"
#include "io/store/path.h"
#include "io/store/store_error.h"

namespace semblance {
namespace {

constexpr int kLinksFollowedMax = 40;

}  // namespace

// ---- Paths --------------------------------------------------------------------------------------

MemoryStore::Inode MemoryStore::root_of(ShareId share) const {
  const auto at = static_cast<size_t>(share);
  return at < roots_.size() ? roots_[at] : kNoInode;
}

MemoryStore::Place MemoryStore::resolve(ShareId share, std::string_view path, LastLink last) const {
  const Inode root = root_of(share);
  if (root == kNoInode) return {.error = StoreError::kStale};
  if (!valid_path(path)) return {.error = StoreError::kInvalidName};
  if (path.size() > kPathBytesMax) return {.error = StoreError::kNameTooLong};
  return resolve_from(root, root, path, last);
}

// Links put their target in front of what is left of the path, as the kernel does; only their
// targets can contain "." and "..".
MemoryStore::Place MemoryStore::resolve_from(Inode root, Inode at, std::string_view path,
                                             LastLink last) const {
  std::string with_target;  // what is left, once a link was followed
  std::string_view rest = path, last_name;
  Place place;
  place.inode = at;
  int links = 0;
  bool from_link = false;
  while (!rest.empty()) {
    const size_t slash = rest.find('/');
    const std::string_view name = rest.substr(0, slash);
    const bool is_last = slash == std::string_view::npos || slash + 1 == rest.size();
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    if (name.empty() || (from_link && name == ".")) continue;
    // A missing component before this one.
    if (place.inode == kNoInode) return {.error = StoreError::kNotDirectory};
    const Node& directory = nodes_.at(place.inode);
    if (directory.kind != FileKind::kDirectory) return {.error = StoreError::kNotDirectory};
    if (from_link && name == "..") {
      if (place.inode == root) return {.error = StoreError::kEscapes};
      place.inode = directory.parent;
      continue;
    }
    if (name.size() > kNameBytesMax) return {.error = StoreError::kNameTooLong};
    place.directory = place.inode;
    last_name = name;
    const auto found = directory.order_of.find(name);
    place.inode =
        found == directory.order_of.end() ? kNoInode : directory.entries.at(found->second).second;
    if (place.inode == kNoInode) continue;
    const Node& node = nodes_.at(place.inode);
    if (node.kind != FileKind::kSymlink || (is_last && last == LastLink::kKeep)) continue;
    if (++links > kLinksFollowedMax) return {.error = StoreError::kSymlink};
    if (node.target.starts_with('/')) return {.error = StoreError::kEscapes};
    std::string joined = node.target;
    if (!rest.empty()) joined.append(1, '/').append(rest);
    last_name = {};  // the target has another last name, or leads to a directory that has none
    with_target = std::move(joined);
    rest = with_target;
    place.inode = place.directory;
    from_link = true;
  }
  place.name = last_name;
  return place;
}

// ---- Objects and names --------------------------------------------------------------------------

MemoryStore::Inode MemoryStore::make(const Place& place, FileKind kind) {
  const Inode inode = next_inode_++;
  Node& node = nodes_[inode];
  node.kind = kind;
  node.created = node.accessed = node.modified = node.changed = now_;
  add_name(place.directory, place.name, inode);
  names_changed({.object = inode,
                 .to_directory = place.directory,
                 .to = place.name,
                 .creates = true,
                 .is_directory = kind == FileKind::kDirectory});
  return inode;
}

void MemoryStore::add_name(Inode directory, std::string_view name, Inode inode) {
  Node& parent = nodes_.at(directory);
  const uint64_t order = parent.next_order++;
  parent.order_of.emplace(name, order);
  parent.entries.emplace(order, std::pair{std::string(name), inode});
  parent.modified = parent.changed = now_;
  Node& node = nodes_.at(inode);
  node.links++;
  node.changed = now_;
  node.parent = directory;
}

void MemoryStore::remove_name(Inode directory, std::string_view name) {
  Node& parent = nodes_.at(directory);
  const auto found = parent.order_of.find(name);
  CHECK(found != parent.order_of.end());
  const Inode inode = parent.entries.at(found->second).second;
  parent.entries.erase(found->second);
  parent.order_of.erase(found);
  parent.modified = parent.changed = now_;
  Node& node = nodes_.at(inode);
  node.links--;
  node.changed = now_;
}

void MemoryStore::drop_if_unused(Inode inode) {
  const auto found = nodes_.find(inode);
  if (found == nodes_.end() || found->second.links != 0 || found->second.handles != 0) return;
  used_ -= storage_of(found->second);
  dropping(inode, found->second);
  nodes_.erase(found);
}

bool MemoryStore::is_ancestor(Inode ancestor, Inode of) const {
  for (; of != kNoInode; of = nodes_.at(of).parent)
    if (of == ancestor) return true;
  return false;
}

// ---- Names --------------------------------------------------------------------------------------

bool MemoryStore::is_expected(Inode inode, FileKey expected) const {
  return expected == FileKey{} || nodes_.at(inode).kind == FileKind::kSymlink ||
         expected == stat_of(inode, false).key;
}

StoreResult MemoryStore::run(const StoreRename& op) {
  if (root_of(op.share) == kNoInode) return failed(StoreError::kStale);
  if (op.from.empty() || op.to.empty()) return failed(StoreError::kInvalidName);
  const Place from = resolve(op.share, op.from, LastLink::kKeep);
  if (from.error != StoreError::kNone) return failed(from.error);
  const Place to = resolve(op.share, op.to, LastLink::kKeep);
  if (to.error != StoreError::kNone) return failed(to.error);
  if (from.inode == kNoInode || !is_expected(from.inode, op.expected))
    return failed(StoreError::kNotFound);
  NameChange change = {.object = from.inode,
                       .from_directory = from.directory,
                       .from = from.name,
                       .is_directory = nodes_.at(from.inode).kind == FileKind::kDirectory};
  if (to.inode == from.inode) {
    if (!op.replace) return failed(StoreError::kExists);
    if (op.from == op.to) return {};
    remove_name(from.directory, from.name);
    names_changed(std::move(change));
    return {};
  }
  if (to.inode != kNoInode && !op.replace) return failed(StoreError::kExists);
  if (change.is_directory && is_ancestor(from.inode, to.directory))
    return failed(StoreError::kInvalidName);
  if (to.inode != kNoInode) {
    const Node& target = nodes_.at(to.inode);
    const bool onto_directory = target.kind == FileKind::kDirectory;
    if (onto_directory && is_ancestor(to.inode, from.directory))
      return failed(StoreError::kNotEmpty);
    if (change.is_directory && !onto_directory) return failed(StoreError::kNotDirectory);
    if (!change.is_directory && onto_directory) return failed(StoreError::kIsDirectory);
    if (!target.entries.empty()) return failed(StoreError::kNotEmpty);
    change.replaced_directory = onto_directory;
    remove_name(to.directory, to.name);
  }
  remove_name(from.directory, from.name);
  add_name(to.directory, to.name, from.inode);
  change.replaced = to.inode;
  change.to_directory = to.directory;
  change.to = to.name;
  names_changed(std::move(change));
  drop_if_unused(to.inode);
  return {};
}

StoreResult MemoryStore::run(const StoreLink& op) {
  const Handle* handle = find_handle(op.handle);
  if (handle == nullptr || root_of(op.share) == kNoInode) return failed(StoreError::kStale);
  return failed(link_to(handle->inode, op.share, op.to));
}

StoreError MemoryStore::link_to(Inode inode, ShareId share, std::string_view name) {
  if (name.empty()) return StoreError::kExists;
  if (nodes_.at(inode).kind == FileKind::kDirectory) return StoreError::kAccess;
  const Place to = resolve(share, name, LastLink::kKeep);
  if (to.error != StoreError::kNone) return to.error;
  if (to.inode != kNoInode) return StoreError::kExists;
  // What has no name any more can not be given one: linkat(2) says ENOENT.
  if (nodes_.at(inode).links == 0) return StoreError::kNotFound;
  add_name(to.directory, to.name, inode);
  names_changed({.object = inode, .to_directory = to.directory, .to = to.name});
  return StoreError::kNone;
}

StoreResult MemoryStore::run(const StoreUnlink& op) {
  if (root_of(op.share) == kNoInode) return failed(StoreError::kStale);
  if (op.path.empty()) return failed(StoreError::kInvalidName);
  const Place place = resolve(op.share, op.path, LastLink::kKeep);
  if (place.error != StoreError::kNone) return failed(place.error);
  if (place.inode == kNoInode || !is_expected(place.inode, op.expected))
    return failed(StoreError::kNotFound);
  const Node& node = nodes_.at(place.inode);
  if (op.kind == FileKind::kDirectory) {
    if (node.kind != FileKind::kDirectory) return failed(StoreError::kNotDirectory);
    if (!node.entries.empty()) return failed(StoreError::kNotEmpty);
  } else if (node.kind == FileKind::kDirectory) {
    return failed(StoreError::kIsDirectory);
  }
  remove_name(place.directory, place.name);
  names_changed({.object = place.inode,
                 .from_directory = place.directory,
                 .from = place.name,
                 .is_directory = op.kind == FileKind::kDirectory});
  drop_if_unused(place.inode);
  return {};
}

}  // namespace semblance
