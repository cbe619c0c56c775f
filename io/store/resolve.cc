#include "io/store/resolve.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <cerrno>

#include "engine/limits.h"
#include "io/store/path.h"

namespace semblance {
namespace {

// How often a resolution is repeated that an outside rename disturbed (EAGAIN).
constexpr int kAttempts = 32;

// The descriptor, or -errno.
int open_beneath(int root, std::string_view path, int flags, unsigned mode, SymlinkPolicy policy) {
  char text[kPathBytesMax + 1];
  if (path.size() >= sizeof text) return -ENAMETOOLONG;
  if (path.empty()) path = ".";
  std::memcpy(text, path.data(), path.size());
  text[path.size()] = 0;
  open_how how = {};
  how.flags = static_cast<unsigned>(flags) | O_CLOEXEC | O_NOCTTY;
  if ((flags & O_PATH) != 0) how.flags &= ~uint64_t{O_NOCTTY};
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (policy == SymlinkPolicy::kRefuse) how.resolve |= RESOLVE_NO_SYMLINKS;
  for (int attempt = 0;; attempt++) {
    const long fd = ::syscall(SYS_openat2, root, text, &how, sizeof how);
    if (fd >= 0) return static_cast<int>(fd);
    if (errno == EINTR || (errno == EAGAIN && attempt < kAttempts)) continue;
    return -errno;
  }
}

}  // namespace

std::expected<UniqueFd, StoreError> Resolver::open(int root, std::string_view path, int flags,
                                                   unsigned mode) const {
  if (!valid_path(path)) return std::unexpected(StoreError::kInvalidName);
  int fd = open_beneath(root, path, flags, mode, policy_);
  if (fd >= 0) return UniqueFd(fd);
  if (fd == -ENOENT && path.find('/') != std::string_view::npos) {
    // Only now is it worth a second call to learn which component is missing.
    fd = open_beneath(root, split_path(path).parent, O_PATH | O_DIRECTORY, 0, policy_);
    const UniqueFd close_again(fd);
    return std::unexpected(fd >= 0 ? StoreError::kNotFound : StoreError::kNotDirectory);
  }
  return std::unexpected(store_error(-fd, ErrnoFrom::kResolve));
}

std::expected<Resolver::Parent, StoreError> Resolver::parent(int root,
                                                             std::string_view path) const {
  if (!valid_path(path) || path.empty()) return std::unexpected(StoreError::kInvalidName);
  const SplitPath split = split_path(path);
  Parent parent = {root, {}, {}};
  if (split.name.size() >= sizeof parent.name) return std::unexpected(StoreError::kNameTooLong);
  std::memcpy(parent.name, split.name.data(), split.name.size());
  if (split.parent.empty()) return parent;
  if (path.size() > kPathBytesMax) return std::unexpected(StoreError::kNameTooLong);
  const int fd = open_beneath(root, split.parent, O_PATH | O_DIRECTORY, 0, policy_);
  if (fd == -ENOENT) return std::unexpected(StoreError::kNotDirectory);
  if (fd < 0) return std::unexpected(store_error(-fd, ErrnoFrom::kResolve));
  parent.opened.reset(fd);
  return parent;
}

}  // namespace semblance
