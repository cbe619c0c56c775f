#pragma once
// A Store in memory, for tests and fuzzing: an inode tree without any system call, clock or
// randomness. Same operations in the same order give the same answers, inode numbers and directory
// order included (entries come in the order in which they were made).
//
// One thread. Names are case-sensitive bytes of at most 255. Symbolic links follow the same policy
// as PosixStore's kFollowBeneath.

#include <map>
#include <string>
#include <vector>

#include "io/store/store.h"

namespace semblance {

class MemoryStore : public Store {
 public:
  explicit MemoryStore(size_t shares = 1, size_t handles_max = 65536);

  // The time that the next operations stamp.
  void set_now(FileTime now) { now_ = now; }

  // What no store operation can make. The parent exists; nothing has the name.
  void add_symlink(ShareId share, std::string_view path, std::string_view target);
  void add_special(ShareId share, std::string_view path);

  std::optional<StoreResult> try_now(const StoreOperation& operation) override;
  StoreResult execute(const StoreOperation& operation) override;

  size_t open_count() const { return open_count_; }
  size_t object_count() const { return nodes_.size(); }

 private:
  using Inode = uint64_t;
  static constexpr Inode kNoInode = 0;

  struct Node {
    FileKind kind = FileKind::kFile;
    uint32_t links = 0;  // names that it has; a directory has one
    uint32_t handles = 0;
    std::vector<uint8_t> data;
    uint64_t reserved = 0;  // bytes allocated beyond the end
    std::string target;     // of a symbolic link
    Inode parent = kNoInode;
    // A directory's names, and the order they came in; a position is the order of an entry.
    std::map<std::string, uint64_t, std::less<>> order_of;
    std::map<uint64_t, std::pair<std::string, Inode>> entries;
    uint64_t next_order = 1;
    FileTime created, accessed, modified, changed;
    DosAttributes dos;
    std::vector<uint8_t> descriptor;  // empty: none
  };
  struct Handle {
    Inode inode = kNoInode;  // none: free
    uint32_t generation = 0;
    uint8_t access = 0;
    ShareId share = ShareId::kNone;
  };
  // Where a path leads: the directory that holds (or would hold) its last name, and what is there.
  struct Place {
    StoreError error = StoreError::kNone;  // kNone also when only the last name is missing
    Inode directory = kNoInode;
    std::string name;
    Inode inode = kNoInode;
  };
  enum class LastLink : uint8_t { kFollow, kKeep };

  Place resolve(ShareId share, std::string_view path, LastLink last) const;
  Place resolve_from(Inode root, Inode at, std::string_view path, LastLink last) const;

  StoreResult run(const StoreOpen& op);
  StoreResult run(const StoreClose& op);
  StoreResult run(const StoreStat& op);
  StoreResult run(const StoreStatAt& op);
  StoreResult run(const StoreStatPath& op);
  StoreResult run(const StoreRead& op);
  StoreResult run(const StoreWrite& op);
  StoreResult run(const StoreFlush& op);
  StoreResult run(const StoreTruncate& op);
  StoreResult run(const StoreAllocate& op);
  StoreResult run(const StoreSetAttributes& op);
  StoreResult run(const StoreReadDescriptor& op);
  StoreResult run(const StoreWriteDescriptor& op);
  StoreResult run(const StoreReadDirectory& op);
  StoreResult run(const StoreRename& op);
  StoreResult run(const StoreLink& op);
  StoreResult run(const StoreUnlink& op);
  StoreResult run(const StoreFsStat& op);

  Inode make(Inode directory, std::string_view name, FileKind kind);
  void add_name(Inode directory, std::string_view name, Inode inode);
  void remove_name(Inode directory, std::string_view name);
  // Forgets an object that has neither names nor handles.
  void drop_if_unused(Inode inode);
  StoreResult open_node(Inode inode, const StoreOpen& op);
  // The handle, or null. With a file asked for, `error` says why it is none.
  const Handle* find(StoreHandle handle) const;
  StoreError check_file(const Handle* handle, uint8_t access) const;
  FileStat stat_of(Inode inode) const;
  FileStat stat_of(Inode inode, bool with_dos_attributes) const;
  Inode root_of(ShareId share) const;
  bool is_ancestor(Inode ancestor, Inode of) const;

  std::map<Inode, Node> nodes_;
  std::vector<Inode> roots_;
  Inode next_inode_ = 2;
  std::vector<Handle> handles_;
  std::vector<uint32_t> free_handles_;
  const size_t handles_max_;
  size_t open_count_ = 0;
  FileTime now_ = {FileTime::kUnixEpoch};
};

}  // namespace semblance
