// PosixStore: stat, directories, file systems.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "engine/limits.h"
#include "io/store/directory_packer.h"
#include "io/store/path.h"
#include "io/store/posix_store.h"

namespace semblance {
namespace {

FileTime file_time(const statx_timestamp& from) {
  return FileTime::from_unix(from.tv_sec, from.tv_nsec);
}

FileKind kind_of_entry(unsigned char type) {
  switch (type) {
    case DT_REG:
      return FileKind::kFile;
    case DT_DIR:
      return FileKind::kDirectory;
    case DT_LNK:
      return FileKind::kSymlink;
    default:
      return FileKind::kOther;
  }
}

// The kernel's record; glibc's dirent64 has the same layout but promises 256 bytes of name.
struct KernelEntry {
  uint64_t inode;
  uint64_t next;
  uint16_t size;
  uint8_t type;
  char name[5];
};
constexpr size_t kKernelNameOffset = 19;

// 16 KiB to 256 KiB: enough names for one reply, and no more of the stack than that of a thread.
constexpr size_t kScratch = 64 << 10;
uint8_t* scratch() {
  alignas(8) static thread_local uint8_t bytes[kScratch];
  return bytes;
}

}  // namespace

uint64_t device_of(const struct statx& from) {
  return (uint64_t{from.stx_dev_major} << 32) | from.stx_dev_minor;
}

FileKind kind_of_mode(unsigned mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISLNK(mode)) return FileKind::kSymlink;
  return FileKind::kOther;
}

FileStat file_stat(const struct statx& from) {
  FileStat to;
  to.key = {device_of(from), from.stx_ino};
  to.kind = kind_of_mode(from.stx_mode);
  to.size = from.stx_size;
  to.allocated = from.stx_blocks * 512;
  to.links = from.stx_nlink;
  to.mode = from.stx_mode & 07777;
  to.uid = from.stx_uid;
  to.gid = from.stx_gid;
  to.accessed = file_time(from.stx_atime);
  to.modified = file_time(from.stx_mtime);
  to.changed = file_time(from.stx_ctime);
  // A file system without birth time: the earliest of what is known is the best guess.
  to.created = (from.stx_mask & STATX_BTIME) != 0 ? file_time(from.stx_btime)
                                                  : std::min(to.modified, to.changed);
  return to;
}

int stat_at(int fd, const char* name, struct statx& into) {
  const int flags = AT_SYMLINK_NOFOLLOW | (*name == 0 ? AT_EMPTY_PATH : 0);
  while (::statx(fd, name, flags, STATX_BASIC_STATS | STATX_BTIME, &into) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

// ---- Stat ---------------------------------------------------------------------------------------

StoreResult PosixStore::run(const StoreStat& op) {
  const auto object = handles_.pin(op.handle);
  if (!object) return failed(StoreError::kStale);
  struct statx stat;
  if (const int error = stat_at(object->fd.get(), "", stat)) return failed(store_error(error));
  FileStat answer = file_stat(stat);
  if (op.with_dos_attributes)
    if (const StoreError error = add_record(*object, answer); error != StoreError::kNone)
      return failed(error);
  return {StoreError::kNone, answer};
}

StoreResult PosixStore::run(const StoreStatAt& op) {
  const auto object = handles_.pin(op.directory);
  if (!object) return failed(StoreError::kStale);
  if (!object->is_directory) return failed(StoreError::kNotDirectory);
  if (!valid_component(op.name)) return failed(StoreError::kInvalidName);
  if (op.name.size() > kNameBytesMax) return failed(StoreError::kNameTooLong);
  char name[kNameBytesMax + 1];
  std::memcpy(name, op.name.data(), op.name.size());
  name[op.name.size()] = 0;
  struct statx stat;
  if (const int error = stat_at(object->fd.get(), name, stat)) return failed(store_error(error));
  if (S_ISLNK(stat.stx_mode) && resolver_.policy() == SymlinkPolicy::kFollowBeneath) {
    // Links are rare; the resolver decides where they lead. No attributes are read for them.
    auto target = stat_link(*object, op.name);
    if (!target) return failed(target.error());
    return {StoreError::kNone, file_stat(*target)};
  }
  FileStat answer = file_stat(stat);
  if (op.with_dos_attributes && !S_ISLNK(stat.stx_mode)) {
    // A name may be a mount point; what is remembered must be remembered of its own device.
    FileSystem* below = object->file_system->device == device_of(stat)
                            ? object->file_system
                            : file_systems_.find(device_of(stat));
    add_record_at(object->fd.get(), name, *below, answer);
  }
  return {StoreError::kNone, answer};
}

// Where the directory is now is only known to the kernel; asking it and resolving from the root
// again keeps "beneath the share", not merely "beneath the directory". A rename in between gives
// kNotFound at worst: the resolver does not leave the root.
std::expected<struct statx, StoreError> PosixStore::stat_link(const OpenObject& directory,
                                                              std::string_view name) const {
  const int root = root_of(directory.share);
  char paths[2][kPathBytesMax + 1];
  std::string_view text[2];
  const int fds[2] = {root, directory.fd.get()};
  for (int i = 0; i < 2; i++) {
    char number[16];
    std::snprintf(number, sizeof number, "%d", fds[i]);
    const ssize_t length = ::readlinkat(proc_fds_.get(), number, paths[i], sizeof paths[i]);
    if (length < 0) return std::unexpected(store_error(errno));
    text[i] = {paths[i], static_cast<size_t>(length)};
  }
  if (text[0] == "/") text[0] = {};
  if (!text[1].starts_with(text[0])) return std::unexpected(StoreError::kEscapes);
  std::string path(text[1].substr(text[0].size()));
  path += '/';
  path += name;
  auto fd = resolver_.open(root, std::string_view(path).substr(1), O_PATH);
  if (!fd) return std::unexpected(fd.error());
  struct statx stat;
  if (const int error = stat_at(fd->get(), "", stat)) return std::unexpected(store_error(error));
  return stat;
}

StoreResult PosixStore::run(const StoreStatPath& op) {
  const int root = root_of(op.share);
  if (root < 0) return failed(StoreError::kStale);
  struct statx stat;
  // The root and what lies directly in it need no resolution: one call instead of three.
  if (op.path.size() <= kNameBytesMax && (op.path.empty() || valid_component(op.path))) {
    char name[kNameBytesMax + 1];
    std::memcpy(name, op.path.data(), op.path.size());
    name[op.path.size()] = 0;
    if (const int error = stat_at(root, name, stat)) return failed(store_error(error));
    if (!S_ISLNK(stat.stx_mode)) {
      FileStat answer = file_stat(stat);
      if (op.with_dos_attributes)
        add_record_at(root, op.path.empty() ? "." : name, *file_systems_.find(device_of(stat)),
                      answer);
      return {StoreError::kNone, answer};
    }
  }
  auto fd = resolver_.open(root, op.path, O_PATH);
  if (!fd) return failed(fd.error());
  if (const int error = stat_at(fd->get(), "", stat)) return failed(store_error(error));
  FileStat answer = file_stat(stat);
  if (op.with_dos_attributes) {
    char number[16];
    std::snprintf(number, sizeof number, "%d", fd->get());
    add_record_at(proc_fds_.get(), number, *file_systems_.find(device_of(stat)), answer);
  }
  return {StoreError::kNone, answer};
}

// ---- Directories --------------------------------------------------------------------------------

StoreResult PosixStore::run(const StoreReadDirectory& op) {
  const auto object = handles_.pin(op.directory);
  if (!object) return failed(StoreError::kStale);
  if (!object->is_directory) return failed(StoreError::kNotDirectory);
  if (object->access == 0) return failed(StoreError::kAccess);
  if (op.into.size() < kDirectoryBufferMin) return failed(StoreError::kTooLarge);
  const std::lock_guard guard(object->directory_lock);
  const int fd = object->fd.get();
  if (object->directory_position != op.position) {
    // An offset that the file system does not like ends the directory rather than fail.
    if (::lseek(fd, static_cast<off_t>(op.position), SEEK_SET) < 0)
      return errno == EINVAL ? StoreResult{StoreError::kNone, StoreCount{0}}
                             : failed(store_error(errno));
    object->directory_position = op.position;
  }
  DirectoryPacker packer(op.into);
  uint8_t* entries = scratch();
  // Our records are at most a third longer than the kernel's, so this much certainly fits and the
  // kernel's position stays where ours is.
  const size_t ask = std::clamp(op.into.size() * 3 / 4, size_t{280}, kScratch);
  while (packer.used() == 0) {  // again only if a batch held nothing but "." and ".."
    const long got = ::syscall(SYS_getdents64, fd, entries, ask);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(store_error(errno));
    if (got == 0) break;
    uint64_t packed_to = object->directory_position;
    for (long at = 0; at < got;) {
      KernelEntry entry;
      std::memcpy(&entry, entries + at, sizeof entry);
      const char* c_name = reinterpret_cast<char*>(entries + at + kKernelNameOffset);
      const std::string_view name(c_name);
      at += entry.size;
      object->directory_position = entry.next;
      if (name != "." && name != "..") {
        FileKind kind = kind_of_entry(entry.type);
        struct statx stat;
        if (entry.type == DT_UNKNOWN && stat_at(fd, c_name, stat) == 0)
          kind = kind_of_mode(stat.stx_mode);
        if (!packer.add(name, entry.inode, entry.next, kind)) {
          // Only for the smallest buffers: go back to behind what was packed.
          if (::lseek(fd, static_cast<off_t>(packed_to), SEEK_SET) < 0)
            return failed(store_error(errno));
          object->directory_position = packed_to;
          break;
        }
      }
      packed_to = entry.next;
    }
  }
  return {StoreError::kNone, StoreCount{packer.used()}};
}

StoreResult PosixStore::run(const StoreFsStat& op) {
  const int root = root_of(op.share);
  if (root < 0) return failed(StoreError::kStale);
  struct statfs from;
  while (::fstatfs(root, &from) != 0)
    if (errno != EINTR) return failed(store_error(errno));
  FsStat to;
  const auto unit = static_cast<uint64_t>(from.f_frsize != 0 ? from.f_frsize : from.f_bsize);
  to.total_bytes = from.f_blocks * unit;
  to.free_bytes = from.f_bfree * unit;
  to.available_bytes = from.f_bavail * unit;
  to.block_size = static_cast<uint32_t>(unit);
  to.name_max = static_cast<uint32_t>(from.f_namelen);
  std::memcpy(&to.volume_id, &from.f_fsid, sizeof to.volume_id);
  struct statx stat;
  if (stat_at(root, "", stat) == 0) {
    if (to.volume_id == 0) to.volume_id = device_of(stat);
    FileStat probe;
    FileSystem* below = file_systems_.find(device_of(stat));
    add_record_at(root, ".", *below, probe);
    to.keeps_attributes = !below->lacks_xattr;
  }
  return {StoreError::kNone, to};
}

}  // namespace semblance
