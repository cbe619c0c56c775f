#pragma once
// The store on a POSIX file system: one descriptor per share's root, everything beneath it through
// Resolver, every operation one or a few plain system calls.
//
// Everything runs as the daemon's own user. Running opens as the session's user (registered
// personalities, DESIGN.md section 6) is a later issue; until then permissions between SMB users
// are those of one Unix user.

#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/store/dos_xattr.h"
#include "io/store/file_system.h"
#include "io/store/handle_table.h"
#include "io/store/resolve.h"
#include "io/store/store.h"

struct statx;

namespace semblance {

class PosixStore : public Store {
 public:
  // Opens the roots; `roots[i]` is ShareId{i}. The error is one line for the operator.
  static std::expected<std::unique_ptr<PosixStore>, std::string> open(
      const std::vector<std::string>& roots, size_t handles_max,
      SymlinkPolicy policy = SymlinkPolicy::kFollowBeneath);

  std::optional<StoreResult> try_now(const StoreOperation& operation) override;
  size_t try_run(std::span<const StoreOperation* const> operations) override;
  StoreResult execute(const StoreOperation& operation) override;

  size_t open_count() const { return handles_.open_count(); }

 private:
  // Whether an operation may wait. When it may not and would have to, nullopt is the answer.
  enum class Waiting : uint8_t { kMay, kMustNot };
  using Answer = std::optional<StoreResult>;

  PosixStore(size_t handles_max, SymlinkPolicy policy) : resolver_(policy), handles_(handles_max) {}

  Answer dispatch(const StoreOperation& operation, Waiting waiting);
  // posix_store.cc: data and handles
  StoreResult run_open(const StoreOpen& op);
  Answer run(const StoreRead& op, Waiting waiting);
  Answer run(const StoreWrite& op, Waiting waiting);
  Answer run(const StoreFlush& op, Waiting waiting);
  Answer run(const StoreTruncate& op, Waiting waiting);
  Answer run(const StoreAllocate& op, Waiting waiting);
  // posix_attributes.cc: what is kept in extended attributes, and times
  StoreResult run(const StoreSetAttributes& op);
  StoreResult run(const StoreReadDescriptor& op);
  StoreResult run(const StoreWriteDescriptor& op);
  // posix_metadata.cc: stat, directories
  StoreResult run(const StoreStat& op);
  StoreResult run(const StoreStatAt& op);
  StoreResult run(const StoreStatPath& op);
  StoreResult run(const StoreReadDirectory& op);
  StoreResult run(const StoreFsStat& op);
  // posix_names.cc: what changes names
  StoreResult run(const StoreRename& op);
  StoreResult run(const StoreLink& op);
  StoreResult run(const StoreUnlink& op);

  StoreResult open_existing(const StoreOpen& op, int root);
  StoreResult create_directory(const StoreOpen& op, int root);
  enum class Descriptor : uint8_t { kFull, kPath };
  StoreResult keep(UniqueFd fd, const StoreOpen& op, const struct statx& stat,
                   Descriptor descriptor);
  StoreResult keep_new(UniqueFd fd, const StoreOpen& op, const struct statx& stat);
  // A second descriptor for the object behind an O_PATH one.
  UniqueFd reopen(int path_fd, int flags) const;
  StoreError read_record(const OpenObject& object, DosRecord& record) const;
  StoreError write_record(const OpenObject& object, const DosRecord& record) const;
  StoreError write_descriptor(const OpenObject& object, Bytes descriptor) const;
  // Fills in what a stat reads from the record.
  StoreError add_record(const OpenObject& object, FileStat& stat) const;
  void add_record_at(int directory, const char* name, FileSystem& file_system,
                     FileStat& stat) const;
  std::expected<struct statx, StoreError> stat_link(const OpenObject& directory,
                                                    std::string_view name) const;
  // -1 when there is no such share.
  int root_of(ShareId share) const;

  Resolver resolver_;
  std::vector<UniqueFd> roots_;
  UniqueFd proc_fds_;  // /proc/self/fd
  FileSystems file_systems_;
  HandleTable handles_;
  // A record is read, changed and written as a whole, on any thread.
  mutable std::mutex record_lock_;
};

// statx as FileStat, without DOS attributes. For the store's own files.
FileStat file_stat(const struct statx& from);
uint64_t device_of(const struct statx& from);
FileKind kind_of_mode(unsigned mode);
// statx of a descriptor (name "") or a name beneath it, links not followed. 0 or errno.
int stat_at(int fd, const char* name, struct statx& into);

}  // namespace semblance
