#include "io/store/memory_store.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/limits.h"
#include "io/store/directory_packer.h"
#include "io/store/path.h"
#include "io/store/store_error.h"

namespace semblance {
namespace {

constexpr uint64_t kBlock = 4096;
// No file here is larger, so that a fuzzer can not ask for all memory; real file systems have such
// an end too (ext4: 16 TiB).
constexpr uint64_t kFileBytesMax = 1ull << 28;

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
  nodes_.at(make(place, FileKind::kSymlink)).target = target;
}

void MemoryStore::add_special(ShareId share, std::string_view path) {
  const Place place = resolve(share, path, LastLink::kKeep);
  CHECK(place.error == StoreError::kNone && place.inode == kNoInode);
  make(place, FileKind::kOther);
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

const MemoryStore::Handle* MemoryStore::find_handle(StoreHandle handle) const {
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
    const Inode made = make(place, kind);
    if (!op.descriptor.empty()) set_descriptor(made, op.descriptor);
    return open_node(made, op);
  }
  if (place.inode == kNoInode) return failed(StoreError::kNotFound);
  if (nodes_.at(place.inode).kind == FileKind::kOther) return failed(StoreError::kSpecialFile);
  return open_node(place.inode, op);
}

StoreResult MemoryStore::run(const StoreClose& op) {
  if (find_handle(op.handle) == nullptr) return {};
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

void MemoryStore::drop_handles() {
  free_handles_.clear();
  for (size_t i = handles_.size(); i-- > 0;) {
    free_handles_.push_back(static_cast<uint32_t>(i));
    const Inode inode = std::exchange(handles_[i].inode, kNoInode);
    if (inode == kNoInode) continue;
    if (++handles_[i].generation == UINT32_MAX) handles_[i].generation = 0;
    nodes_.at(inode).handles--;
    drop_if_unused(inode);
  }
  open_count_ = 0;
}

// ---- Stat, attributes, directories --------------------------------------------------------------

uint64_t MemoryStore::storage_of(const Node& node) {
  return align_up(std::max<uint64_t>(node.data.size(), node.reserved), kBlock);
}

FileStat MemoryStore::stat_of(Inode inode, bool with_dos_attributes) const {
  const Node& node = nodes_.at(inode);
  FileStat stat;
  stat.key = {1, inode};
  stat.kind = node.kind;
  stat.size = node.kind == FileKind::kSymlink ? node.target.size() : node.data.size();
  stat.allocated = storage_of(node);
  stat.links = node.links;
  stat.mode = node.kind == FileKind::kDirectory ? 0755 : 0644;
  stat.created = node.created;
  stat.accessed = node.accessed;
  stat.modified = node.modified;
  stat.changed = node.changed;
  if (!with_dos_attributes) return stat;
  stat.dos = node.dos;
  stat.has_descriptor = !node.descriptor.empty();
  return stat;
}

StoreResult MemoryStore::run(const StoreStat& op) {
  const Handle* handle = find_handle(op.handle);
  if (handle == nullptr) return failed(StoreError::kStale);
  return {StoreError::kNone, stat_of(handle->inode, op.with_dos_attributes)};
}

StoreResult MemoryStore::run(const StoreStatAt& op) {
  const Handle* handle = find_handle(op.directory);
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
  return {StoreError::kNone, stat_of(target.inode, op.with_dos_attributes)};
}

StoreResult MemoryStore::run(const StoreStatPath& op) {
  const Place place = resolve(op.share, op.path, LastLink::kFollow);
  if (place.error != StoreError::kNone) return failed(place.error);
  if (place.inode == kNoInode) return failed(StoreError::kNotFound);
  return {StoreError::kNone, stat_of(place.inode, op.with_dos_attributes)};
}

StoreResult MemoryStore::run(const StoreSetAttributes& op) {
  const Handle* handle = find_handle(op.handle);
  if (handle == nullptr) return failed(StoreError::kStale);
  Node& node = nodes_.at(handle->inode);
  if (op.set_dos) {
    before_dos(handle->inode, node);
    node.dos = op.dos.present ? op.dos : DosAttributes{};
  }
  if (op.accessed.ticks != 0) node.accessed = op.accessed;
  if (op.modified.ticks != 0) node.modified = op.modified;
  node.changed = now_;
  return {};
}

StoreResult MemoryStore::run(const StoreReadDescriptor& op) {
  Inode inode = kNoInode;
  if (op.handle != StoreHandle::kNone) {
    const Handle* handle = find_handle(op.handle);
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
  const Handle* handle = find_handle(op.handle);
  if (handle == nullptr) return failed(StoreError::kStale);
  if (op.descriptor.empty()) return failed(StoreError::kInvalidName);
  set_descriptor(handle->inode, op.descriptor);
  return {};
}

void MemoryStore::set_descriptor(Inode inode, Bytes descriptor) {
  Node& node = nodes_.at(inode);
  before_descriptor(inode, node);
  node.descriptor.assign(descriptor.begin(), descriptor.end());
  node.changed = now_;
}

StoreResult MemoryStore::run(const StoreReadDirectory& op) {
  const Handle* handle = find_handle(op.directory);
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
  stat.total_bytes = capacity_;
  stat.free_bytes = stat.available_bytes = capacity_ - std::min(used_, capacity_);
  stat.volume_id = 0x5345'4D42;
  stat.keeps_attributes = true;
  return {StoreError::kNone, stat};
}

// ---- Data ---------------------------------------------------------------------------------------

StoreResult MemoryStore::run(const StoreRead& op) {
  const Handle* handle = find_handle(op.handle);
  if (const StoreError error = check_file(handle, kOpenRead); error != StoreError::kNone)
    return failed(error);
  const std::vector<uint8_t>& data = nodes_.at(handle->inode).data;
  if (op.offset >= data.size()) return counted(0);
  const size_t count = std::min<uint64_t>(op.into.size(), data.size() - op.offset);
  std::copy_n(data.begin() + static_cast<ptrdiff_t>(op.offset), count, op.into.begin());
  return counted(count);
}

StoreResult MemoryStore::run(const StoreWrite& op) {
  const Handle* handle = find_handle(op.handle);
  if (const StoreError error = check_file(handle, kOpenWrite); error != StoreError::kNone)
    return failed(error);
  return write_at(handle->inode, op.offset, op.data);
}

StoreResult MemoryStore::write_at(Inode inode, uint64_t offset, Bytes data) {
  if (offset > INT64_MAX - data.size() || offset + data.size() > kFileBytesMax)
    return failed(StoreError::kTooLarge);
  if (data.empty()) return counted(0);
  Node& node = nodes_.at(inode);
  // A full disk takes what still fits, as pwrite(2) does before it says so.
  const uint64_t wanted = offset + data.size(), end = room_for(node, wanted);
  if (end <= offset) return failed(StoreError::kNoSpace);
  const Bytes fits = data.first(end - offset);
  before_data(inode, node, offset, end);
  if (end > node.data.size()) {
    before_size(inode, node);
    const uint64_t before = storage_of(node);
    node.data.resize(end);
    recount(node, before);
  }
  std::copy(fits.begin(), fits.end(), node.data.begin() + static_cast<ptrdiff_t>(offset));
  node.modified = node.changed = now_;
  return end == wanted ? counted(data.size()) : failed(StoreError::kNoSpace);
}

uint64_t MemoryStore::room_for(const Node& node, uint64_t end) const {
  const uint64_t free = capacity_ - std::min(used_, capacity_);
  return std::min(end, storage_of(node) + free / kBlock * kBlock);
}

void MemoryStore::recount(const Node& node, uint64_t before) { used_ += storage_of(node) - before; }

StoreResult MemoryStore::run(const StoreFlush& op) {
  const Handle* handle = find_handle(op.handle);
  if (handle == nullptr) return failed(StoreError::kStale);
  return failed(handle->access == 0 ? StoreError::kAccess : StoreError::kNone);
}

StoreResult MemoryStore::run(const StoreTruncate& op) {
  const Handle* handle = find_handle(op.handle);
  if (const StoreError error = check_file(handle, kOpenWrite); error != StoreError::kNone)
    return failed(error);
  return failed(truncate_to(handle->inode, op.size));
}

// Growing takes no storage that could be missing: a hole.
StoreError MemoryStore::truncate_to(Inode inode, uint64_t size) {
  if (size > kFileBytesMax) return StoreError::kTooLarge;
  Node& node = nodes_.at(inode);
  const uint64_t before = storage_of(node);
  if (size < node.data.size()) before_data(inode, node, size, node.data.size());
  if (size != node.data.size()) before_size(inode, node);
  node.data.resize(size);
  node.reserved = std::min(node.reserved, size);
  recount(node, before);
  node.modified = node.changed = now_;
  return StoreError::kNone;
}

StoreResult MemoryStore::run(const StoreAllocate& op) {
  const Handle* handle = find_handle(op.handle);
  if (const StoreError error = check_file(handle, kOpenWrite); error != StoreError::kNone)
    return failed(error);
  if (op.size > INT64_MAX) return failed(StoreError::kTooLarge);
  if (op.size == 0) return {};
  Node& node = nodes_.at(handle->inode);
  if (room_for(node, op.size) < op.size) return failed(StoreError::kNoSpace);
  const uint64_t before = storage_of(node);
  node.reserved = std::max(node.reserved, op.size);
  recount(node, before);
  node.modified = node.changed = now_;
  return {};
}

}  // namespace semblance
