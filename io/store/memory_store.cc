#include "io/store/memory_store.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/limits.h"
#include "io/store/directory_packer.h"
#include "io/store/path.h"
#include "io/store/store_error.h"

namespace semblance {
namespace {

constexpr uint64_t kBlock = 4096;
constexpr uint64_t kTotalBytes = 1ull << 40;
// No file here is larger, so that a fuzzer can not ask for all memory; real file systems have such
// an end too (ext4: 16 TiB).
constexpr uint64_t kFileBytesMax = 1ull << 28;
constexpr int kLinksFollowedMax = 40;

StoreResult counted(uint64_t count) { return {StoreError::kNone, StoreCount{count}}; }

}  // namespace

MemoryStore::MemoryStore(size_t shares, size_t handles_max) : handles_max_(handles_max) {
  for (size_t i = 0; i < shares; i++) {
    const Inode inode = next_inode_++;
    Node& root = nodes_[inode];
    root.kind = FileKind::kDirectory;
    root.links = 1;
    root.created = root.accessed = root.modified = root.changed = now_;
    roots_.push_back(inode);
  }
}

std::optional<StoreResult> MemoryStore::try_now(const StoreOperation& operation) {
  return execute(operation);
}

StoreResult MemoryStore::execute(const StoreOperation& operation) {
  return std::visit([this](const auto& op) { return run(op); }, operation);
}

void MemoryStore::add_symlink(ShareId share, std::string_view path, std::string_view target) {
  const Place place = resolve(share, path, LastLink::kKeep);
  CHECK(place.error == StoreError::kNone && place.inode == kNoInode);
  nodes_[make(place.directory, place.name, FileKind::kSymlink)].target = target;
}

void MemoryStore::add_special(ShareId share, std::string_view path) {
  const Place place = resolve(share, path, LastLink::kKeep);
  CHECK(place.error == StoreError::kNone && place.inode == kNoInode);
  make(place.directory, place.name, FileKind::kOther);
}

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
  std::string rest(path);
  Place place;
  place.inode = at;
  int links = 0;
  bool from_link = false;
  while (!rest.empty()) {
    const size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    const bool is_last = slash == std::string::npos || slash + 1 == rest.size();
    rest = slash == std::string::npos ? std::string() : rest.substr(slash + 1);
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
    place.name = name;
    const auto found = directory.order_of.find(name);
    place.inode =
        found == directory.order_of.end() ? kNoInode : directory.entries.at(found->second).second;
    if (place.inode == kNoInode) continue;
    const Node& node = nodes_.at(place.inode);
    if (node.kind != FileKind::kSymlink || (is_last && last == LastLink::kKeep)) continue;
    if (++links > kLinksFollowedMax) return {.error = StoreError::kSymlink};
    if (node.target.starts_with('/')) return {.error = StoreError::kEscapes};
    if (!rest.empty()) rest.insert(0, 1, '/');
    rest.insert(0, node.target);
    place.inode = place.directory;
    from_link = true;
  }
  return place;
}

// ---- Objects and names --------------------------------------------------------------------------

MemoryStore::Inode MemoryStore::make(Inode directory, std::string_view name, FileKind kind) {
  const Inode inode = next_inode_++;
  Node& node = nodes_[inode];
  node.kind = kind;
  node.created = node.accessed = node.modified = node.changed = now_;
  add_name(directory, name, inode);
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
  if (node.kind == FileKind::kDirectory) node.parent = directory;
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
  if (found != nodes_.end() && found->second.links == 0 && found->second.handles == 0)
    nodes_.erase(found);
}

bool MemoryStore::is_ancestor(Inode ancestor, Inode of) const {
  for (; of != kNoInode; of = nodes_.at(of).parent)
    if (of == ancestor) return true;
  return false;
}

// ---- Handles ------------------------------------------------------------------------------------

StoreResult MemoryStore::open_node(Inode inode, const StoreOpen& op) {
  uint32_t index;
  if (!free_handles_.empty()) {
    index = free_handles_.back();
    free_handles_.pop_back();
  } else {
    if (handles_.size() >= handles_max_) return failed(StoreError::kTooManyOpen);
    index = static_cast<uint32_t>(handles_.size());
    handles_.emplace_back();
  }
  Handle& handle = handles_[index];
  handle.inode = inode;
  handle.access = op.access;
  handle.share = op.share;
  Node& node = nodes_.at(inode);
  node.handles++;
  open_count_++;
  const StoreHandle packed{(uint64_t{handle.generation} << 32) | index};
  return {StoreError::kNone, StoreOpened{packed, node.kind}};
}

const MemoryStore::Handle* MemoryStore::find(StoreHandle handle) const {
  const auto index = static_cast<uint32_t>(static_cast<uint64_t>(handle));
  const auto generation = static_cast<uint32_t>(static_cast<uint64_t>(handle) >> 32);
  if (index >= handles_.size()) return nullptr;
  const Handle& found = handles_[index];
  return found.inode != kNoInode && found.generation == generation ? &found : nullptr;
}

StoreError MemoryStore::check_file(const Handle* handle, uint8_t access) const {
  if (handle == nullptr) return StoreError::kStale;
  if (nodes_.at(handle->inode).kind == FileKind::kDirectory) return StoreError::kIsDirectory;
  return (handle->access & access) == access ? StoreError::kNone : StoreError::kAccess;
}

StoreResult MemoryStore::run(const StoreOpen& op) {
  const bool create = op.what != OpenWhat::kExisting;
  const Place place = resolve(op.share, op.path, create ? LastLink::kKeep : LastLink::kFollow);
  if (place.error != StoreError::kNone) return failed(place.error);
  if (create) {
    if (place.inode != kNoInode) return failed(StoreError::kExists);
    // A directory that was removed while it was open takes no new names, but no path leads there.
    const FileKind kind = op.what == OpenWhat::kNewFile ? FileKind::kFile : FileKind::kDirectory;
    if (open_count_ >= handles_max_) return failed(StoreError::kTooManyOpen);
    const Inode made = make(place.directory, place.name, kind);
    nodes_.at(made).descriptor.assign(op.descriptor.begin(), op.descriptor.end());
    return open_node(made, op);
  }
  if (place.inode == kNoInode) return failed(StoreError::kNotFound);
  if (nodes_.at(place.inode).kind == FileKind::kOther) return failed(StoreError::kSpecialFile);
  return open_node(place.inode, op);
}

StoreResult MemoryStore::run(const StoreClose& op) {
  if (find(op.handle) == nullptr) return {};
  const auto index = static_cast<uint32_t>(static_cast<uint64_t>(op.handle));
  Handle& handle = handles_[index];
  const Inode inode = handle.inode;
  handle.inode = kNoInode;
  if (++handle.generation == UINT32_MAX) handle.generation = 0;
  free_handles_.push_back(index);
  open_count_--;
  nodes_.at(inode).handles--;
  drop_if_unused(inode);
  return {};
}

// ---- Stat, attributes, directories --------------------------------------------------------------

FileStat MemoryStore::stat_of(Inode inode) const {
  const Node& node = nodes_.at(inode);
  FileStat stat;
  stat.key = {1, inode};
  stat.kind = node.kind;
  stat.size = node.kind == FileKind::kSymlink ? node.target.size() : node.data.size();
  stat.allocated = align_up(std::max<uint64_t>(node.data.size(), node.reserved), kBlock);
  stat.links = node.links;
  stat.mode = node.kind == FileKind::kDirectory ? 0755 : 0644;
  stat.created = node.created;
  stat.accessed = node.accessed;
  stat.modified = node.modified;
  stat.changed = node.changed;
  return stat;
}

FileStat MemoryStore::stat_of(Inode inode, bool with_dos_attributes) const {
  FileStat stat = stat_of(inode);
  if (!with_dos_attributes) return stat;
  stat.dos = nodes_.at(inode).dos;
  stat.has_descriptor = !nodes_.at(inode).descriptor.empty();
  return stat;
}

StoreResult MemoryStore::run(const StoreStat& op) {
  const Handle* handle = find(op.handle);
  if (handle == nullptr) return failed(StoreError::kStale);
  return {StoreError::kNone, stat_of(handle->inode, op.with_dos_attributes)};
}

StoreResult MemoryStore::run(const StoreStatAt& op) {
  const Handle* handle = find(op.directory);
  if (handle == nullptr) return failed(StoreError::kStale);
  const Node& directory = nodes_.at(handle->inode);
  if (directory.kind != FileKind::kDirectory) return failed(StoreError::kNotDirectory);
  if (!valid_component(op.name)) return failed(StoreError::kInvalidName);
  const Inode root = root_of(handle->share);
  const Place there = resolve_from(root, handle->inode, op.name, LastLink::kKeep);
  if (there.error != StoreError::kNone) return failed(there.error);
  if (there.inode == kNoInode) return failed(StoreError::kNotFound);
  if (nodes_.at(there.inode).kind != FileKind::kSymlink)
    return {StoreError::kNone, stat_of(there.inode, op.with_dos_attributes)};
  const Place target = resolve_from(root, handle->inode, op.name, LastLink::kFollow);
  if (target.error != StoreError::kNone) return failed(target.error);
  if (target.inode == kNoInode) return failed(StoreError::kNotFound);
  return {StoreError::kNone, stat_of(target.inode)};
}

StoreResult MemoryStore::run(const StoreStatPath& op) {
  const Place place = resolve(op.share, op.path, LastLink::kFollow);
  if (place.error != StoreError::kNone) return failed(place.error);
  if (place.inode == kNoInode) return failed(StoreError::kNotFound);
  return {StoreError::kNone, stat_of(place.inode, op.with_dos_attributes)};
}

StoreResult MemoryStore::run(const StoreSetAttributes& op) {
  const Handle* handle = find(op.handle);
  if (handle == nullptr) return failed(StoreError::kStale);
  Node& node = nodes_.at(handle->inode);
  if (op.set_dos) node.dos = op.dos.present ? op.dos : DosAttributes{};
  if (op.accessed.ticks != 0) node.accessed = op.accessed;
  if (op.modified.ticks != 0) node.modified = op.modified;
  node.changed = now_;
  return {};
}

StoreResult MemoryStore::run(const StoreReadDescriptor& op) {
  Inode inode = kNoInode;
  if (op.handle != StoreHandle::kNone) {
    const Handle* handle = find(op.handle);
    if (handle == nullptr) return failed(StoreError::kStale);
    inode = handle->inode;
  } else {
    const Place place = resolve(op.share, op.path, LastLink::kFollow);
    if (place.error != StoreError::kNone) return failed(place.error);
    inode = place.inode;
  }
  if (inode == kNoInode || nodes_.at(inode).descriptor.empty())
    return failed(StoreError::kNotFound);
  const std::vector<uint8_t>& kept = nodes_.at(inode).descriptor;
  if (kept.size() > op.into.size()) return failed(StoreError::kTooLarge);
  std::ranges::copy(kept, op.into.begin());
  return counted(kept.size());
}

StoreResult MemoryStore::run(const StoreWriteDescriptor& op) {
  const Handle* handle = find(op.handle);
  if (handle == nullptr) return failed(StoreError::kStale);
  if (op.descriptor.empty()) return failed(StoreError::kInvalidName);
  Node& node = nodes_.at(handle->inode);
  node.descriptor.assign(op.descriptor.begin(), op.descriptor.end());
  node.changed = now_;
  return {};
}

StoreResult MemoryStore::run(const StoreReadDirectory& op) {
  const Handle* handle = find(op.directory);
  if (handle == nullptr) return failed(StoreError::kStale);
  const Node& directory = nodes_.at(handle->inode);
  if (directory.kind != FileKind::kDirectory) return failed(StoreError::kNotDirectory);
  if (handle->access == 0) return failed(StoreError::kAccess);
  if (op.into.size() < kDirectoryBufferMin) return failed(StoreError::kTooLarge);
  if (directory.links == 0) return failed(StoreError::kNotFound);
  DirectoryPacker packer(op.into);
  for (auto at = directory.entries.upper_bound(op.position); at != directory.entries.end(); ++at) {
    const auto& [name, inode] = at->second;
    if (!packer.add(name, inode, at->first, nodes_.at(inode).kind)) break;
  }
  return counted(packer.used());
}

StoreResult MemoryStore::run(const StoreFsStat& op) {
  if (root_of(op.share) == kNoInode) return failed(StoreError::kStale);
  FsStat stat;
  uint64_t used = 0;
  for (const auto& [inode, node] : nodes_) used += align_up(node.data.size(), kBlock);
  stat.total_bytes = kTotalBytes;
  stat.free_bytes = stat.available_bytes = kTotalBytes - std::min(used, kTotalBytes);
  stat.volume_id = 0x5345'4D42;
  stat.keeps_attributes = true;
  return {StoreError::kNone, stat};
}

// ---- Data ---------------------------------------------------------------------------------------

StoreResult MemoryStore::run(const StoreRead& op) {
  const Handle* handle = find(op.handle);
  if (const StoreError error = check_file(handle, kOpenRead); error != StoreError::kNone)
    return failed(error);
  const std::vector<uint8_t>& data = nodes_.at(handle->inode).data;
  if (op.offset >= data.size()) return counted(0);
  const size_t count = std::min<uint64_t>(op.into.size(), data.size() - op.offset);
  std::copy_n(data.begin() + static_cast<ptrdiff_t>(op.offset), count, op.into.begin());
  return counted(count);
}

StoreResult MemoryStore::run(const StoreWrite& op) {
  const Handle* handle = find(op.handle);
  if (const StoreError error = check_file(handle, kOpenWrite); error != StoreError::kNone)
    return failed(error);
  if (op.offset > INT64_MAX - op.data.size() || op.offset + op.data.size() > kFileBytesMax)
    return failed(StoreError::kTooLarge);
  if (op.data.empty()) return counted(0);
  Node& node = nodes_.at(handle->inode);
  const uint64_t end = op.offset + op.data.size();
  if (end > node.data.size()) node.data.resize(end);
  std::copy(op.data.begin(), op.data.end(), node.data.begin() + static_cast<ptrdiff_t>(op.offset));
  node.modified = node.changed = now_;
  return counted(op.data.size());
}

StoreResult MemoryStore::run(const StoreFlush& op) {
  const Handle* handle = find(op.handle);
  if (handle == nullptr) return failed(StoreError::kStale);
  return failed(handle->access == 0 ? StoreError::kAccess : StoreError::kNone);
}

StoreResult MemoryStore::run(const StoreTruncate& op) {
  const Handle* handle = find(op.handle);
  if (const StoreError error = check_file(handle, kOpenWrite); error != StoreError::kNone)
    return failed(error);
  if (op.size > kFileBytesMax) return failed(StoreError::kTooLarge);
  Node& node = nodes_.at(handle->inode);
  node.data.resize(op.size);
  node.reserved = std::min(node.reserved, op.size);
  node.modified = node.changed = now_;
  return {};
}

StoreResult MemoryStore::run(const StoreAllocate& op) {
  const Handle* handle = find(op.handle);
  if (const StoreError error = check_file(handle, kOpenWrite); error != StoreError::kNone)
    return failed(error);
  if (op.size > INT64_MAX) return failed(StoreError::kTooLarge);
  if (op.size > kTotalBytes) return failed(StoreError::kNoSpace);
  Node& node = nodes_.at(handle->inode);
  node.reserved = std::max(node.reserved, op.size);
  return {};
}

// ---- Names --------------------------------------------------------------------------------------

StoreResult MemoryStore::run(const StoreRename& op) {
  if (root_of(op.share) == kNoInode) return failed(StoreError::kStale);
  if (op.from.empty() || op.to.empty()) return failed(StoreError::kInvalidName);
  const Place from = resolve(op.share, op.from, LastLink::kKeep);
  if (from.error != StoreError::kNone) return failed(from.error);
  const Place to = resolve(op.share, op.to, LastLink::kKeep);
  if (to.error != StoreError::kNone) return failed(to.error);
  if (from.inode == kNoInode) return failed(StoreError::kNotFound);
  const bool moves_directory = nodes_.at(from.inode).kind == FileKind::kDirectory;
  if (to.inode == from.inode) {
    if (!op.replace) return failed(StoreError::kExists);
    if (op.from != op.to) remove_name(from.directory, from.name);
    return {};
  }
  if (to.inode != kNoInode && !op.replace) return failed(StoreError::kExists);
  if (moves_directory && is_ancestor(from.inode, to.directory))
    return failed(StoreError::kInvalidName);
  if (to.inode != kNoInode) {
    const Node& target = nodes_.at(to.inode);
    const bool onto_directory = target.kind == FileKind::kDirectory;
    if (onto_directory && is_ancestor(to.inode, from.directory))
      return failed(StoreError::kNotEmpty);
    if (moves_directory && !onto_directory) return failed(StoreError::kNotDirectory);
    if (!moves_directory && onto_directory) return failed(StoreError::kIsDirectory);
    if (!target.entries.empty()) return failed(StoreError::kNotEmpty);
    remove_name(to.directory, to.name);
    drop_if_unused(to.inode);
  }
  remove_name(from.directory, from.name);
  add_name(to.directory, to.name, from.inode);
  return {};
}

StoreResult MemoryStore::run(const StoreLink& op) {
  const Handle* handle = find(op.handle);
  if (handle == nullptr || root_of(op.share) == kNoInode) return failed(StoreError::kStale);
  if (op.to.empty()) return failed(StoreError::kExists);
  if (nodes_.at(handle->inode).kind == FileKind::kDirectory) return failed(StoreError::kAccess);
  const Place to = resolve(op.share, op.to, LastLink::kKeep);
  if (to.error != StoreError::kNone) return failed(to.error);
  if (to.inode != kNoInode) return failed(StoreError::kExists);
  // What has no name any more can not be given one: linkat(2) says ENOENT.
  if (nodes_.at(handle->inode).links == 0) return failed(StoreError::kNotFound);
  add_name(to.directory, to.name, handle->inode);
  return {};
}

StoreResult MemoryStore::run(const StoreUnlink& op) {
  if (root_of(op.share) == kNoInode) return failed(StoreError::kStale);
  if (op.path.empty()) return failed(StoreError::kInvalidName);
  const Place place = resolve(op.share, op.path, LastLink::kKeep);
  if (place.error != StoreError::kNone) return failed(place.error);
  if (place.inode == kNoInode) return failed(StoreError::kNotFound);
  const Node& node = nodes_.at(place.inode);
  if (op.kind == FileKind::kDirectory) {
    if (node.kind != FileKind::kDirectory) return failed(StoreError::kNotDirectory);
    if (!node.entries.empty()) return failed(StoreError::kNotEmpty);
  } else if (node.kind == FileKind::kDirectory) {
    return failed(StoreError::kIsDirectory);
  }
  remove_name(place.directory, place.name);
  drop_if_unused(place.inode);
  return {};
}

}  // namespace semblance
