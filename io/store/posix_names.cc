// PosixStore: what changes names. Each resolves the parent directories, then works with *at() calls
// on the last components, which are never followed.

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

#include "io/store/posix_store.h"

namespace semblance {
namespace {

// Whether the name still leads to what the engine means by it.
bool is_expected(const struct statx& found, FileKey expected) {
  return expected == FileKey{} || S_ISLNK(found.stx_mode) ||
         expected == FileKey{device_of(found), found.stx_ino};
}

bool same_object(const struct statx& a, const struct statx& b) {
  return a.stx_ino == b.stx_ino && device_of(a) == device_of(b);
}

// 0 or errno. POSIX lets a file system say EEXIST of a directory that is not empty, and XFS does.
int rename_at(const Resolver::Parent& from, const Resolver::Parent& to, unsigned flags) {
  if (::renameat2(from.fd(), from.name, to.fd(), to.name, flags) == 0) return 0;
  return errno == EEXIST && flags == 0 ? ENOTEMPTY : errno;
}

// For file systems without RENAME_NOREPLACE: a file gets its new name by a link, which never
// replaces; anything else is checked first, and an outside process may win that race.
int rename_without_noreplace(const Resolver::Parent& from, const Resolver::Parent& to,
                             const struct statx& source) {
  if (S_ISREG(source.stx_mode) && ::linkat(from.fd(), from.name, to.fd(), to.name, 0) == 0)
    return ::unlinkat(from.fd(), from.name, 0) == 0 ? 0 : errno;
  struct statx target;
  if (const int error = stat_at(to.fd(), to.name, target); error != ENOENT)
    return error == 0 ? EEXIST : error;
  return rename_at(from, to, 0);
}

}  // namespace

StoreResult PosixStore::run(const StoreRename& op) {
  const int root = root_of(op.share);
  if (root < 0) return failed(StoreError::kStale);
  auto from = resolver_.parent(root, op.from);
  if (!from) return failed(from.error());
  auto to = resolver_.parent(root, op.to);
  if (!to) return failed(to.error());
  struct statx source, target;
  if (const int error = stat_at(from->fd(), from->name, source)) return failed(store_error(error));
  if (!is_expected(source, op.expected)) return failed(StoreError::kNotFound);
  const int target_error = stat_at(to->fd(), to->name, target);
  if (target_error == 0 && same_object(source, target)) {
    // The same directory entry (a file system that ignores case) takes its new spelling. Two links
    // to one file: rename(2) would do nothing at all, so the old name is removed by hand.
    const bool respelled =
        ::strcasecmp(from->name, to->name) == 0 && std::strcmp(from->name, to->name) != 0;
    if (respelled && (S_ISDIR(source.stx_mode) || source.stx_nlink == 1))
      return failed(store_error(rename_at(*from, *to, 0)));
    if (!op.replace) return failed(StoreError::kExists);
    if (op.from == op.to || S_ISDIR(source.stx_mode)) return {};
    return failed(store_error(::unlinkat(from->fd(), from->name, 0) == 0 ? 0 : errno));
  }
  int error;
  if (op.replace) {
    error = rename_at(*from, *to, 0);
  } else {
    FileSystem* below = file_systems_.find(device_of(source));
    error = below->lacks_noreplace ? EINVAL : rename_at(*from, *to, RENAME_NOREPLACE);
    // EINVAL is also "a directory into itself"; the plain call then says so again.
    if (error == EINVAL) {
      error = rename_without_noreplace(*from, *to, source);
      if (error == 0) below->lacks_noreplace = true;
    }
  }
  return failed(store_error(error));
}

StoreResult PosixStore::run(const StoreLink& op) {
  const auto object = handles_.pin(op.handle);
  if (!object) return failed(StoreError::kStale);
  const int root = root_of(op.share);
  if (root < 0) return failed(StoreError::kStale);
  if (op.to.empty()) return failed(StoreError::kExists);
  if (object->is_directory) return failed(StoreError::kAccess);
  auto to = resolver_.parent(root, op.to);
  if (!to) return failed(to.error());
  if (::linkat(object->fd.get(), "", to->fd(), to->name, AT_EMPTY_PATH) == 0) return {};
  // Without CAP_DAC_READ_SEARCH that is ENOENT; the detour through /proc is allowed to everyone.
  if (errno != ENOENT && errno != EPERM) return failed(store_error(errno));
  char number[16];
  std::snprintf(number, sizeof number, "%d", object->fd.get());
  if (::linkat(proc_fds_.get(), number, to->fd(), to->name, AT_SYMLINK_FOLLOW) == 0) return {};
  return failed(store_error(errno));
}

StoreResult PosixStore::run(const StoreUnlink& op) {
  const int root = root_of(op.share);
  if (root < 0) return failed(StoreError::kStale);
  auto parent = resolver_.parent(root, op.path);
  if (!parent) return failed(parent.error());
  if (op.expected != FileKey{}) {
    struct statx found;
    if (const int error = stat_at(parent->fd(), parent->name, found))
      return failed(store_error(error));
    if (!is_expected(found, op.expected)) return failed(StoreError::kNotFound);
  }
  const int flags = op.kind == FileKind::kDirectory ? AT_REMOVEDIR : 0;
  if (::unlinkat(parent->fd(), parent->name, flags) == 0) return {};
  return failed(store_error(errno == EEXIST ? ENOTEMPTY : errno));
}

}  // namespace semblance
