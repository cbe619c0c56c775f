#include "sim/disk/outside.h"

namespace semblance::sim {

std::expected<Outside::Inode, StoreError> Outside::file_at(ShareId share,
                                                           std::string_view path) const {
  const auto place = disk_.resolve(share, path, Disk::LastLink::kFollow);
  if (place.error != StoreError::kNone) return std::unexpected(place.error);
  if (place.inode == Disk::kNoInode) return std::unexpected(StoreError::kNotFound);
  const FileKind kind = disk_.nodes_.at(place.inode).kind;
  if (kind == FileKind::kDirectory) return std::unexpected(StoreError::kIsDirectory);
  if (kind != FileKind::kFile) return std::unexpected(StoreError::kSpecialFile);
  return place.inode;
}

std::expected<Outside::Inode, StoreError> Outside::make(ShareId share, std::string_view path,
                                                        FileKind kind) {
  const auto place = disk_.resolve(share, path, Disk::LastLink::kKeep);
  if (place.error != StoreError::kNone) return std::unexpected(place.error);
  if (place.inode != Disk::kNoInode) return std::unexpected(StoreError::kExists);
  return disk_.make(place, kind);
}

StoreError Outside::create_file(ShareId share, std::string_view path, Bytes content) {
  const auto made = make(share, path, FileKind::kFile);
  return made ? disk_.write_at(*made, 0, content).error : made.error();
}

StoreError Outside::create_directory(ShareId share, std::string_view path) {
  const auto made = make(share, path, FileKind::kDirectory);
  return made ? StoreError::kNone : made.error();
}

StoreError Outside::create_symlink(ShareId share, std::string_view path, std::string_view target) {
  const auto made = make(share, path, FileKind::kSymlink);
  if (!made) return made.error();
  disk_.nodes_.at(*made).target = target;
  return StoreError::kNone;
}

StoreError Outside::create_fifo(ShareId share, std::string_view path) {
  const auto made = make(share, path, FileKind::kOther);
  return made ? StoreError::kNone : made.error();
}

StoreError Outside::write(ShareId share, std::string_view path, uint64_t offset, Bytes data) {
  const auto file = file_at(share, path);
  return file ? disk_.write_at(*file, offset, data).error : file.error();
}

StoreError Outside::truncate(ShareId share, std::string_view path, uint64_t size) {
  const auto file = file_at(share, path);
  return file ? disk_.truncate_to(*file, size) : file.error();
}

StoreError Outside::rename(ShareId share, std::string_view from, std::string_view to) {
  // Two names of one file: rename(2) does nothing.
  const Inode inode = disk_.find(share, from);
  if (inode != Disk::kNoInode && inode == disk_.find(share, to)) return StoreError::kNone;
  return disk_.execute(StoreRename{share, from, to, true}).error;
}

StoreError Outside::link(ShareId share, std::string_view from, std::string_view to) {
  const auto file = file_at(share, from);
  return file ? disk_.link_to(*file, share, to) : file.error();
}

StoreError Outside::unlink(ShareId share, std::string_view path) {
  return disk_.execute(StoreUnlink{share, path}).error;
}

StoreError Outside::remove_directory(ShareId share, std::string_view path) {
  return disk_.execute(StoreUnlink{share, path, FileKind::kDirectory}).error;
}

StoreError Outside::replace(ShareId share, std::string_view path, Bytes content) {
  const std::string fresh = std::string(path) + "~new";
  if (const StoreError error = create_file(share, fresh, content); error != StoreError::kNone)
    return error;
  const StoreError error = rename(share, fresh, path);
  if (error != StoreError::kNone) unlink(share, fresh);
  return error;
}

StoreError Outside::set_modified(ShareId share, std::string_view path, FileTime modified) {
  const Inode inode = disk_.find(share, path);
  if (inode == Disk::kNoInode) return StoreError::kNotFound;
  Disk::Node& node = disk_.nodes_.at(inode);
  node.modified = modified;
  node.changed = disk_.now_;
  return StoreError::kNone;
}

StoreError Outside::fsync(ShareId share, std::string_view path) {
  const Inode inode = disk_.find(share, path);
  if (inode == Disk::kNoInode) return StoreError::kNotFound;
  disk_.fsync(inode);
  return StoreError::kNone;
}

}  // namespace semblance::sim
