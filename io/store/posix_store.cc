#include "io/store/posix_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "io/store/path.h"

namespace semblance {
namespace {

// Larger writes make large folios, and every later small write into those walks all their buffers.
constexpr size_t kWritePiece = 256 << 10;
// Truncations and allocations of no more than this stay on the engine's thread.
constexpr uint64_t kInlineResize = 1 << 20;

constexpr unsigned kFileMode = 0666, kDirectoryMode = 0777;  // before the umask

int open_flags(uint8_t access, bool is_directory) {
  if (is_directory) return O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  const int mode = (access & kOpenWrite) == 0  ? O_RDONLY
                   : (access & kOpenRead) == 0 ? O_WRONLY
                                               : O_RDWR;
  // Nobody should be able to swap a FIFO in between, but if so, it must not block us.
  return mode | O_NONBLOCK;
}

StoreResult counted(uint64_t count) { return {StoreError::kNone, StoreCount{count}}; }

}  // namespace

std::expected<std::unique_ptr<PosixStore>, std::string> PosixStore::open(
    const std::vector<std::string>& roots, size_t handles_max, SymlinkPolicy policy) {
  std::unique_ptr<PosixStore> store(new PosixStore(handles_max, policy));
  store->proc_fds_.reset(::open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!store->proc_fds_)
    return std::unexpected(std::string("/proc/self/fd: ") + std::strerror(errno));
  for (const std::string& path : roots) {
    // The root itself may be reached through any links: it is the operator's word.
    UniqueFd root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return std::unexpected(path + ": " + std::strerror(errno));
    if (auto probe = store->resolver_.open(root.get(), "", O_PATH | O_DIRECTORY); !probe)
      return std::unexpected(path + ": openat2 is refused here (Linux 5.6 or later is needed)");
    store->roots_.push_back(std::move(root));
  }
  return store;
}

int PosixStore::root_of(ShareId share) const {
  const auto at = static_cast<size_t>(share);
  return at < roots_.size() ? roots_[at].get() : -1;
}

std::optional<StoreResult> PosixStore::try_now(const StoreOperation& operation) {
  return dispatch(operation, Waiting::kMustNot);
}

StoreResult PosixStore::execute(const StoreOperation& operation) {
  return *dispatch(operation, Waiting::kMay);
}

PosixStore::Answer PosixStore::dispatch(const StoreOperation& operation, Waiting waiting) {
  return std::visit(
      [&](const auto& op) -> Answer {
        using Operation = std::decay_t<decltype(op)>;
        if constexpr (std::is_same_v<Operation, StoreOpen>) {
          return run_open(op);
        } else if constexpr (std::is_same_v<Operation, StoreClose>) {
          handles_.close(op.handle);
          return StoreResult{};
        } else if constexpr (requires { run(op, waiting); }) {
          return run(op, waiting);
        } else {
          return run(op);
        }
      },
      operation);
}

// ---- Opening ------------------------------------------------------------------------------------

StoreResult PosixStore::run_open(const StoreOpen& op) {
  const int root = root_of(op.share);
  if (root < 0) return failed(StoreError::kStale);
  if (op.what == OpenWhat::kExisting) return open_existing(op, root);
  if (op.path.empty()) return failed(StoreError::kExists);
  if (op.what == OpenWhat::kNewDirectory) return create_directory(op, root);
  // O_EXCL never follows a link in the last place, and what it makes is a plain file.
  auto fd =
      resolver_.open(root, op.path, open_flags(op.access, false) | O_CREAT | O_EXCL, kFileMode);
  if (!fd) return failed(fd.error());
  struct statx stat;
  if (const int error = stat_at(fd->get(), "", stat)) return failed(store_error(error));
  return keep_new(std::move(*fd), op, stat);
}

// O_PATH first: only when it is known to be a file or a directory is it opened in earnest, because
// opening a FIFO or a device is seen by others.
StoreResult PosixStore::open_existing(const StoreOpen& op, int root) {
  auto path_fd = resolver_.open(root, op.path, O_PATH);
  if (!path_fd) return failed(path_fd.error());
  struct statx stat;
  if (const int error = stat_at(path_fd->get(), "", stat)) return failed(store_error(error));
  const FileKind kind = kind_of_mode(stat.stx_mode);
  if (kind == FileKind::kSymlink) return failed(StoreError::kSymlink);
  if (kind == FileKind::kOther) return failed(StoreError::kSpecialFile);
  if (op.access == 0) return keep(std::move(*path_fd), op, stat, Descriptor::kPath);
  UniqueFd fd = reopen(path_fd->get(), open_flags(op.access, kind == FileKind::kDirectory));
  if (!fd) return failed(store_error(errno));
  return keep(std::move(fd), op, stat, Descriptor::kFull);
}

StoreResult PosixStore::create_directory(const StoreOpen& op, int root) {
  auto parent = resolver_.parent(root, op.path);
  if (!parent) return failed(parent.error());
  if (::mkdirat(parent->fd(), parent->name, kDirectoryMode) != 0) return failed(store_error(errno));
  UniqueFd fd(
      ::openat(parent->fd(), parent->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct statx stat;
  if (!fd) return failed(store_error(errno));
  if (const int error = stat_at(fd.get(), "", stat)) return failed(store_error(error));
  return keep_new(std::move(fd), op, stat);
}

// Nothing stays of an object that can't be protected as it should be.
StoreResult PosixStore::keep_new(UniqueFd fd, const StoreOpen& op, const struct statx& stat) {
  StoreResult kept = keep(std::move(fd), op, stat, Descriptor::kFull);
  const auto* opened = std::get_if<StoreOpened>(&kept.value);
  if (opened == nullptr || op.descriptor.empty()) return kept;
  const StoreError error = write_descriptor(*handles_.pin(opened->handle), op.descriptor);
  if (error == StoreError::kNone) return kept;
  handles_.close(opened->handle);
  run(StoreUnlink{op.share, op.path, opened->kind});
  return failed(error);
}

StoreResult PosixStore::keep(UniqueFd fd, const StoreOpen& op, const struct statx& stat,
                             Descriptor descriptor) {
  const FileKind kind = kind_of_mode(stat.stx_mode);
  const StoreHandle handle =
      handles_.insert(fd, {file_systems_.find(device_of(stat)), op.share, op.access,
                           descriptor == Descriptor::kPath, kind == FileKind::kDirectory});
  if (handle == StoreHandle::kNone) return failed(StoreError::kTooManyOpen);
  return {StoreError::kNone, StoreOpened{handle, kind}};
}

UniqueFd PosixStore::reopen(int path_fd, int flags) const {
  char name[16];
  std::snprintf(name, sizeof name, "%d", path_fd);
  // The name in /proc is itself a link, so O_NOFOLLOW would refuse it; what it names is no link.
  const int wanted = (flags & ~O_NOFOLLOW) | O_CLOEXEC | O_NOCTTY;
  for (;;) {
    const int fd = ::openat(proc_fds_.get(), name, wanted);
    if (fd >= 0 || errno != EINTR) return UniqueFd(fd);
  }
}

// ---- Data ---------------------------------------------------------------------------------------

PosixStore::Answer PosixStore::run(const StoreRead& op, Waiting waiting) {
  const auto object = handles_.pin(op.handle);
  if (!object) return failed(StoreError::kStale);
  if (object->is_directory) return failed(StoreError::kIsDirectory);
  if ((object->access & kOpenRead) == 0) return failed(StoreError::kAccess);
  if (op.offset > INT64_MAX - op.into.size()) return counted(0);
  size_t done = 0;
  while (done < op.into.size()) {
    const bool nowait = waiting == Waiting::kMustNot && !object->file_system->lacks_nowait;
    const iovec piece = {op.into.data() + done, op.into.size() - done};
    const auto at = static_cast<off_t>(op.offset + done);
    const ssize_t got = nowait ? ::preadv2(object->fd.get(), &piece, 1, at, RWF_NOWAIT)
                               : ::pread(object->fd.get(), piece.iov_base, piece.iov_len, at);
    if (got == 0) break;
    if (got > 0) {
      done += static_cast<size_t>(got);
    } else if (nowait && errno == EAGAIN) {
      return std::nullopt;  // cold; what has been read is read again, it costs next to nothing
    } else if (nowait && errno == EOPNOTSUPP) {
      object->file_system->lacks_nowait = true;
    } else if (errno != EINTR) {
      return failed(store_error(errno));
    }
  }
  return counted(done);
}

PosixStore::Answer PosixStore::run(const StoreWrite& op, Waiting waiting) {
  const auto object = handles_.pin(op.handle);
  if (!object) return failed(StoreError::kStale);
  if (object->is_directory) return failed(StoreError::kIsDirectory);
  if ((object->access & kOpenWrite) == 0) return failed(StoreError::kAccess);
  if (op.offset > INT64_MAX - op.data.size()) return failed(StoreError::kTooLarge);
  if (op.write_through && waiting == Waiting::kMustNot) return std::nullopt;
  size_t done = 0;
  while (done < op.data.size()) {
    const size_t piece = std::min(op.data.size() - done, kWritePiece);
    const ssize_t put = ::pwrite(object->fd.get(), op.data.data() + done, piece,
                                 static_cast<off_t>(op.offset + done));
    if (put > 0) {
      done += static_cast<size_t>(put);
    } else if (put == 0) {
      return failed(StoreError::kNoSpace);
    } else if (errno != EINTR) {
      return failed(store_error(errno));
    }
  }
  if (op.write_through && ::fdatasync(object->fd.get()) != 0) return failed(store_error(errno));
  return counted(done);
}

// Neighbours as one call: the price of a call is most of the price of a small one.
size_t PosixStore::try_run(std::span<const StoreOperation* const> operations) {
  const auto* read = std::get_if<StoreRead>(operations.front());
  const auto* write = std::get_if<StoreWrite>(operations.front());
  if (read == nullptr && write == nullptr) return 0;
  const auto object = handles_.pin(read != nullptr ? read->handle : write->handle);
  const uint64_t offset = read != nullptr ? read->offset : write->offset;
  const uint8_t access = read != nullptr ? kOpenRead : kOpenWrite;
  if (!object || object->is_directory || (object->access & access) == 0) return 0;
  iovec pieces[kRunMax];
  size_t bytes = 0, count = 0;
  for (const StoreOperation* operation : operations) {
    if (read != nullptr) {
      const MutableBytes into = std::get<StoreRead>(*operation).into;
      pieces[count++] = {into.data(), into.size()};
    } else {
      const Bytes data = std::get<StoreWrite>(*operation).data;
      pieces[count++] = {const_cast<uint8_t*>(data.data()), data.size()};
    }
    bytes += pieces[count - 1].iov_len;
  }
  if (offset > INT64_MAX - bytes) return 0;
  const bool nowait = read != nullptr && !object->file_system->lacks_nowait;
  const auto at = static_cast<off_t>(offset);
  const int fd = object->fd.get(), pieces_used = static_cast<int>(count);
  ssize_t moved = read != nullptr ? ::preadv2(fd, pieces, pieces_used, at, nowait ? RWF_NOWAIT : 0)
                                  : ::pwritev(fd, pieces, pieces_used, at);
  // Errors, cold pages, the end of the file: found out again one by one.
  size_t done = 0;
  while (done < count && moved >= static_cast<ssize_t>(pieces[done].iov_len))
    moved -= static_cast<ssize_t>(pieces[done++].iov_len);
  return done;
}

PosixStore::Answer PosixStore::run(const StoreFlush& op, Waiting waiting) {
  const auto object = handles_.pin(op.handle);
  if (!object) return failed(StoreError::kStale);
  if (object->access == 0) return failed(StoreError::kAccess);
  if (waiting == Waiting::kMustNot) return std::nullopt;
  while (::fsync(object->fd.get()) != 0)
    if (errno != EINTR) return failed(store_error(errno));
  return StoreResult{};
}

PosixStore::Answer PosixStore::run(const StoreTruncate& op, Waiting waiting) {
  const auto object = handles_.pin(op.handle);
  if (!object) return failed(StoreError::kStale);
  if (object->is_directory) return failed(StoreError::kIsDirectory);
  if ((object->access & kOpenWrite) == 0) return failed(StoreError::kAccess);
  if (op.size > INT64_MAX) return failed(StoreError::kTooLarge);
  if (waiting == Waiting::kMustNot) {
    struct stat now;
    if (::fstat(object->fd.get(), &now) != 0) return failed(store_error(errno));
    const auto size = static_cast<uint64_t>(now.st_size);
    if (size > op.size && size - op.size > kInlineResize) return std::nullopt;
  }
  while (::ftruncate(object->fd.get(), static_cast<off_t>(op.size)) != 0) {
    // EINVAL here is the file system's word for "larger than any file".
    if (errno == EINVAL) return failed(StoreError::kTooLarge);
    if (errno != EINTR) return failed(store_error(errno));
  }
  return StoreResult{};
}

PosixStore::Answer PosixStore::run(const StoreAllocate& op, Waiting waiting) {
  const auto object = handles_.pin(op.handle);
  if (!object) return failed(StoreError::kStale);
  if (object->is_directory) return failed(StoreError::kIsDirectory);
  if ((object->access & kOpenWrite) == 0) return failed(StoreError::kAccess);
  if (op.size > INT64_MAX) return failed(StoreError::kTooLarge);
  if (op.size == 0) return StoreResult{};
  if (waiting == Waiting::kMustNot && op.size > kInlineResize) return std::nullopt;
  while (::fallocate(object->fd.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(op.size)) != 0)
    if (errno != EINTR) return failed(store_error(errno));
  return StoreResult{};
}

}  // namespace semblance
