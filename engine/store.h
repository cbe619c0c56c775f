#pragma once
// Store operations: what the engine asks of the file system, and what it hears back.
//
// They are semantic, never "a system call"; each maps to one system call or one ring entry where
// Linux has one. Paths are UTF-8, '/'-separated, relative to the share's root, without empty, "."
// or ".." components; "" is the root itself. The store resolves every path beneath the root and
// follows no symbolic link out of it. Spans and views in an operation stay valid until its
// completion has been delivered (the engine keeps its request alive that long), so a store may
// execute it at once, on a ring, or on another thread.

#include <cstdint>
#include <string_view>
#include <variant>

#include "engine/base/bytes.h"
#include "engine/base/ids.h"
#include "engine/base/time.h"

namespace semblance {

// Why an operation failed, in POSIX's terms. engine/share/store_status maps them to NTSTATUS.
enum class StoreError : uint8_t {
  kNone,
  kNotFound,      // ENOENT: the last component is missing
  kNotDirectory,  // ENOTDIR: a component on the way, or the object, is no directory
  kIsDirectory,   // EISDIR
  kExists,        // EEXIST
  kNotEmpty,      // ENOTEMPTY
  kAccess,        // EACCES, EPERM
  kReadOnly,      // EROFS
  kNoSpace,       // ENOSPC
  kQuota,         // EDQUOT
  kTooLarge,      // EFBIG
  kNameTooLong,   // ENAMETOOLONG
  kInvalidName,   // EILSEQ, EINVAL on a name
  kSymlink,       // ELOOP: a symbolic link that policy does not follow
  kEscapes,       // EXDEV from openat2: the path leaves the share
  kCrossDevice,   // EXDEV on rename or link
  kBusy,          // EBUSY, ETXTBSY
  kTooManyOpen,   // EMFILE, ENFILE
  kNoMemory,      // ENOMEM
  kStale,         // ESTALE, EBADF
  kIo,            // EIO and everything unknown
  kNotSupported,  // EOPNOTSUPP: the file system below has no such thing
  kSpecialFile,   // a FIFO, socket or device where a file was asked for
  kCancelled,
};

enum class FileKind : uint8_t { kFile, kDirectory, kSymlink, kOther };

// The identity of an object: stable over rename and reopen, unique within the store.
struct FileKey {
  uint64_t device = 0;
  uint64_t inode = 0;
  auto operator<=>(const FileKey&) const = default;
};

// What Windows keeps and POSIX does not; the store keeps it in an extended attribute.
struct DosAttributes {
  bool present = false;     // false: nobody ever set any
  uint32_t attributes = 0;  // MS-FSCC 2.6 bits: READONLY, HIDDEN, SYSTEM, ARCHIVE, ...
  FileTime created;         // 0: use FileStat::created
  auto operator<=>(const DosAttributes&) const = default;
};

struct FileStat {
  FileKey key;
  FileKind kind = FileKind::kFile;
  uint64_t size = 0;       // bytes
  uint64_t allocated = 0;  // bytes of storage in use
  uint32_t links = 0;
  uint32_t mode = 0;  // POSIX permission bits
  uint32_t uid = 0, gid = 0;
  FileTime created, accessed, modified, changed;
  // Filled only when asked for, in one.
  DosAttributes dos;
  bool has_descriptor = false;  // a security descriptor is kept
};

struct FsStat {
  uint64_t total_bytes = 0, free_bytes = 0, available_bytes = 0;
  uint32_t block_size = 4096;     // bytes
  uint32_t name_max = 255;        // bytes of one component
  uint64_t volume_id = 0;         // stable over restarts
  bool keeps_attributes = false;  // DOS attributes and security descriptors
};

// ---- Operations ---------------------------------------------------------------------------------

enum class OpenWhat : uint8_t {
  kExisting,      // whatever is there
  kNewFile,       // created; kExists when something has the name
  kNewDirectory,  // created and opened; kExists when something has the name
};

// Access the handle must have for later operations. Zero is enough for stat, attributes, times.
inline constexpr uint8_t kOpenRead = 1;
inline constexpr uint8_t kOpenWrite = 2;

// Opens the object itself, never what a symbolic link in the last place points to, unless the
// store's policy follows links beneath the root. Write access to a directory opens it for reading.
// Never waits for a FIFO's peer.
struct StoreOpen {
  ShareId share;
  std::string_view path;
  OpenWhat what = OpenWhat::kExisting;
  uint8_t access = 0;
  // A new object gets this security descriptor; one that can't be kept leaves no object behind.
  Bytes descriptor;
};
// Forgets the handle. Done is always reported with kNone: there is nothing to repeat.
struct StoreClose {
  StoreHandle handle;
};
struct StoreStat {
  StoreHandle handle;
  bool with_dos_attributes = true;
};
// Stat by name beneath an open directory, without opening it; a symbolic link is not followed
// unless policy follows it.
struct StoreStatAt {
  StoreHandle directory;
  std::string_view name;  // one component
  bool with_dos_attributes = true;
};
// Stat by path, for validating what is remembered about a directory.
struct StoreStatPath {
  ShareId share;
  std::string_view path;
  bool with_dos_attributes = false;
};
// Reads exactly into.size() bytes unless the file ends before; count 0 is the end of the file.
struct StoreRead {
  StoreHandle handle;
  uint64_t offset;
  MutableBytes into;
};
// Writes all of `data` or fails; a short write is completed by the store.
struct StoreWrite {
  StoreHandle handle;
  uint64_t offset;
  Bytes data;
  bool write_through = false;  // data is on stable storage before it is done
};
struct StoreFlush {
  StoreHandle handle;
};
struct StoreTruncate {
  StoreHandle handle;
  uint64_t size;
};
// Reserves storage up to `size` without changing the end of the file.
struct StoreAllocate {
  StoreHandle handle;
  uint64_t size;
};
// Sets what is given; 0 ticks leave a time alone.
struct StoreSetAttributes {
  StoreHandle handle;
  FileTime accessed, modified;
  bool set_dos = false;
  DosAttributes dos;
};
// The security descriptor kept with the object at `handle` or, without one, at the path: opaque
// bytes. kNotFound when there is none, kTooLarge when `into` is too small.
struct StoreReadDescriptor {
  StoreHandle handle = StoreHandle::kNone;
  ShareId share = ShareId::kNone;
  std::string_view path;
  MutableBytes into;
};
// Keeps it, all or nothing; kNotSupported or kNoSpace where the file system below can't.
struct StoreWriteDescriptor {
  StoreHandle handle;
  Bytes descriptor;  // 1 to 65536 bytes
};
// One batch of names, packed into `into` as DirectoryRecord + name; count is the bytes used, 0 at
// the end. "." and ".." are not reported. `position` 0 starts over; else the `next` of any record
// read earlier through this handle.
struct StoreReadDirectory {
  StoreHandle directory;
  uint64_t position;
  MutableBytes into;
};
// `expected`, unless it is all zero, is what `from` has to be: kNotFound when somebody has put
// another object there meanwhile. A symbolic link stands for whatever it leads to.
struct StoreRename {
  ShareId share;
  std::string_view from, to;
  bool replace = false;  // false: kExists when `to` exists
  FileKey expected{};
};
struct StoreLink {
  StoreHandle handle;
  ShareId share;
  std::string_view to;
};
struct StoreUnlink {
  ShareId share;
  std::string_view path;
  FileKind kind = FileKind::kFile;
  FileKey expected{};  // as in StoreRename
};
struct StoreFsStat {
  ShareId share;
};

using StoreOperation =
    std::variant<StoreOpen, StoreClose, StoreStat, StoreStatAt, StoreStatPath, StoreRead,
                 StoreWrite, StoreFlush, StoreTruncate, StoreAllocate, StoreSetAttributes,
                 StoreReadDescriptor, StoreWriteDescriptor, StoreReadDirectory, StoreRename,
                 StoreLink, StoreUnlink, StoreFsStat>;
inline constexpr size_t kStoreOperationKinds = std::variant_size_v<StoreOperation>;

// "open", "close", ...: by position in StoreOperation, for reports and logs.
std::string_view store_operation_name(size_t kind);

// The handle that an operation uses; kNone for one that goes by paths.
StoreHandle handle_of(const StoreOperation& operation);

// ---- Results ------------------------------------------------------------------------------------

// The fixed part of one directory entry in StoreReadDirectory::into; the name (UTF-8 or whatever
// bytes the file system holds) follows, then padding to 8.
struct DirectoryRecord {
  uint64_t inode;
  uint64_t next;         // position after this entry
  uint16_t name_length;  // bytes
  FileKind kind;
  uint8_t reserved[5];
};
static_assert(sizeof(DirectoryRecord) == 24);

// What an open or a create yields.
struct StoreOpened {
  StoreHandle handle = StoreHandle::kNone;
  FileKind kind = FileKind::kFile;
};
// Bytes read, written or packed.
struct StoreCount {
  uint64_t count = 0;
};

// A completion. `value` holds StoreOpened for open, FileStat for the stats, StoreCount for read,
// write, read-descriptor and read-directory, FsStat for fs-stat, and nothing for the others or on
// failure.
struct StoreResult {
  StoreError error = StoreError::kNone;
  std::variant<std::monostate, StoreOpened, FileStat, StoreCount, FsStat> value;

  bool ok() const { return error == StoreError::kNone; }
};

}  // namespace semblance
