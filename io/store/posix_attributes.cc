// PosixStore: what is kept in extended attributes (DOS attributes, security descriptors), and
// times.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "io/store/path.h"
#include "io/store/posix_store.h"

namespace semblance {
namespace {

// getxattrat(2), Linux 6.13; newer than the headers that this is built with.
constexpr long kSysGetxattrat = 464;
struct XattrArguments {
  uint64_t value;
  uint32_t size;
  uint32_t flags;
};
std::atomic<bool> lacks_getxattrat{false};

timespec time_to_set(FileTime time) {
  if (time.ticks == 0) return {0, UTIME_OMIT};
  return {time.unix_seconds(), static_cast<long>(time.unix_nanoseconds())};
}

// The calls on a descriptor refuse O_PATH; its name in /proc leads to the same object.
struct ProcPath {
  char text[40];
  explicit ProcPath(int fd) { std::snprintf(text, sizeof text, "/proc/self/fd/%d", fd); }
};

ssize_t get_xattr(int fd, bool path_only, const char* name, MutableBytes into) {
  return path_only ? ::getxattr(ProcPath(fd).text, name, into.data(), into.size())
                   : ::fgetxattr(fd, name, into.data(), into.size());
}

// 0 or errno.
int set_xattr(const OpenObject& object, const char* name, Bytes value) {
  const int fd = object.fd.get();
  const int result = object.path_only
                         ? ::setxattr(ProcPath(fd).text, name, value.data(), value.size(), 0)
                         : ::fsetxattr(fd, name, value.data(), value.size(), 0);
  if (result == 0) return 0;
  if (errno == EOPNOTSUPP) object.file_system->lacks_xattr = true;
  // What is longer than the file system can keep beside a file: E2BIG on some.
  return errno == E2BIG || errno == ERANGE ? ENOSPC : errno;
}

void add(const DosRecord& record, FileStat& stat) {
  stat.dos = record.dos;
  stat.has_descriptor = record.has_descriptor;
}

}  // namespace

// ---- The record of a stat -----------------------------------------------------------------------

StoreError PosixStore::read_record(const OpenObject& object, DosRecord& record) const {
  record = {};
  if (object.file_system->lacks_xattr) return StoreError::kNone;
  uint8_t bytes[64];
  const ssize_t size = get_xattr(object.fd.get(), object.path_only, kDosXattrName, bytes);
  if (size >= 0) {
    record = decode_dos({bytes, static_cast<size_t>(size)});
  } else if (errno == EOPNOTSUPP) {
    object.file_system->lacks_xattr = true;
  } else if (errno == EIO) {
    return StoreError::kIo;
  }
  return StoreError::kNone;
}

StoreError PosixStore::write_record(const OpenObject& object, const DosRecord& record) const {
  if (object.file_system->lacks_xattr) return StoreError::kNotSupported;
  if (record.dos.present || record.has_descriptor)
    return store_error(set_xattr(object, kDosXattrName, encode_dos(record)));
  const int fd = object.fd.get();
  const int result = object.path_only ? ::removexattr(ProcPath(fd).text, kDosXattrName)
                                      : ::fremovexattr(fd, kDosXattrName);
  return result == 0 || errno == ENODATA ? StoreError::kNone : store_error(errno);
}

StoreError PosixStore::add_record(const OpenObject& object, FileStat& stat) const {
  DosRecord record;
  const StoreError error = read_record(object, record);
  add(record, stat);
  return error;
}

// A name that can't be asked (no permission, a special file) simply has no attributes.
void PosixStore::add_record_at(int directory, const char* name, FileSystem& file_system,
                               FileStat& stat) const {
  if (file_system.lacks_xattr) return;
  uint8_t bytes[64];
  ssize_t size = -1;
  if (!lacks_getxattrat.load(std::memory_order_relaxed)) {
    XattrArguments arguments = {reinterpret_cast<uint64_t>(bytes), sizeof bytes, 0};
    size =
        ::syscall(kSysGetxattrat, directory, name, 0, kDosXattrName, &arguments, sizeof arguments);
    // Containers answer EPERM for system calls that they do not know.
    if (size < 0 && (errno == ENOSYS || errno == EPERM)) lacks_getxattrat = true;
  }
  if (lacks_getxattrat.load(std::memory_order_relaxed)) {
    char path[kNameBytesMax + 64];
    if (directory == proc_fds_.get())
      std::snprintf(path, sizeof path, "/proc/self/fd/%s", name);
    else
      std::snprintf(path, sizeof path, "/proc/self/fd/%d/%s", directory, name);
    size = ::getxattr(path, kDosXattrName, bytes, sizeof bytes);
  }
  if (size >= 0)
    add(decode_dos({bytes, static_cast<size_t>(size)}), stat);
  else if (errno == EOPNOTSUPP)
    file_system.lacks_xattr = true;
}

StoreResult PosixStore::run(const StoreSetAttributes& op) {
  const auto object = handles_.pin(op.handle);
  if (!object) return failed(StoreError::kStale);
  // Attributes first: writing them is what the times must outlast.
  StoreError error = StoreError::kNone;
  if (op.set_dos) {
    const std::lock_guard guard(record_lock_);
    DosRecord record;
    error = read_record(*object, record);
    record.dos = op.dos;
    if (error == StoreError::kNone) error = write_record(*object, record);
  }
  if (op.accessed.ticks != 0 || op.modified.ticks != 0) {
    const timespec times[2] = {time_to_set(op.accessed), time_to_set(op.modified)};
    if (object->path_only) {
      char number[16];
      std::snprintf(number, sizeof number, "%d", object->fd.get());
      if (::utimensat(proc_fds_.get(), number, times, 0) != 0) error = store_error(errno);
    } else if (::futimens(object->fd.get(), times) != 0) {
      error = store_error(errno);
    }
  }
  return {error, {}};
}

// ---- Security descriptors -----------------------------------------------------------------------

StoreResult PosixStore::run(const StoreReadDescriptor& op) {
  ssize_t size;
  if (op.handle != StoreHandle::kNone) {
    const auto object = handles_.pin(op.handle);
    if (!object) return failed(StoreError::kStale);
    size = get_xattr(object->fd.get(), object->path_only, kDescriptorXattrName, op.into);
  } else {
    const int root = root_of(op.share);
    if (root < 0) return failed(StoreError::kStale);
    auto fd = resolver_.open(root, op.path, O_PATH);
    if (!fd) return failed(fd.error());
    size = get_xattr(fd->get(), true, kDescriptorXattrName, op.into);
  }
  if (size >= 0) return {StoreError::kNone, StoreCount{static_cast<uint64_t>(size)}};
  if (errno == ENODATA || errno == EOPNOTSUPP) return failed(StoreError::kNotFound);
  return failed(errno == ERANGE ? StoreError::kTooLarge : store_error(errno));
}

StoreResult PosixStore::run(const StoreWriteDescriptor& op) {
  const auto object = handles_.pin(op.handle);
  if (!object) return failed(StoreError::kStale);
  return failed(write_descriptor(*object, op.descriptor));
}

// The descriptor before the flag that points to it: a crash in between leaves what was.
StoreError PosixStore::write_descriptor(const OpenObject& object, Bytes descriptor) const {
  if (descriptor.empty()) return StoreError::kInvalidName;
  if (object.file_system->lacks_xattr) return StoreError::kNotSupported;
  const std::lock_guard guard(record_lock_);
  if (const int error = set_xattr(object, kDescriptorXattrName, descriptor))
    return store_error(error);
  DosRecord record;
  const StoreError error = read_record(object, record);
  if (error != StoreError::kNone || record.has_descriptor) return error;
  record.has_descriptor = true;
  return write_record(object, record);
}

}  // namespace semblance
