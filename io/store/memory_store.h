#pragma once
// A Store in memory, for tests and fuzzing: an inode tree without any system call, clock or
// randomness. Same operations in the same order give the same answers, inode numbers and directory
// order included (entries come in the order in which they were made).
//
// One thread. Names are case-sensitive bytes of at most 255. Symbolic links follow the same policy
// as PosixStore's kFollowBeneath.
//
// A store that also knows what is durable derives from it (sim/disk): it is told before each change
// what is about to be replaced.

#include <map>
#include <string>
#include <vector>

#include "io/store/store.h"

namespace semblance {

class MemoryStore : public Store {
 public:
  using Inode = uint64_t;
  static constexpr Inode kNoInode = 0;

  // One atomic change of names: a creation or a link has no `from_directory`, a removal no
  // `to_directory`, a rename has both.
  struct NameChange {
    Inode object = kNoInode;    // what gets, loses or changes its name
    Inode replaced = kNoInode;  // what a rename took the new name from
    Inode from_directory = kNoInode, to_directory = kNoInode;
    std::string from, to;
    bool creates = false;       // the object is new
    bool is_directory = false;  // the object
    bool replaced_directory = false;
  };

  explicit MemoryStore(size_t shares = 1, size_t handles_max = 65536);

  // The time that the next operations stamp.
  void set_now(FileTime now) { now_ = now; }

  // Bytes that fit below; what is there already stays. kNoSpace for what does not fit.
  void set_capacity(uint64_t bytes) { capacity_ = bytes; }

  // What no store operation can make. The parent exists; nothing has the name.
  void add_symlink(ShareId share, std::string_view path, std::string_view target);
  void add_special(ShareId share, std::string_view path);

  std::optional<StoreResult> try_now(const StoreOperation& operation) override;
  StoreResult execute(const StoreOperation& operation) override;

  size_t open_count() const { return open_count_; }
  size_t object_count() const { return nodes_.size(); }

 protected:
  struct Node {
    FileKind kind = FileKind::kFile;
    uint32_t links = 0;  // names that it has; a directory has one
    uint32_t handles = 0;
    std::vector<uint8_t> data;
    uint64_t reserved = 0;    // bytes allocated beyond the end
    std::string target;       // of a symbolic link
    Inode parent = kNoInode;  // where it got its last name; of a directory, where it is
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

  // What a derived store must know before it happens; the last two, when it has happened. Bytes
  // [begin, end) of the data are overwritten, cut off or added.
  virtual void before_data(Inode inode, const Node& node, uint64_t begin, uint64_t end) {}
  virtual void before_size(Inode inode, const Node& node) {}
  virtual void before_dos(Inode inode, const Node& node) {}
  virtual void before_descriptor(Inode inode, const Node& node) {}
  virtual void names_changed(NameChange&& change) {}
  // It has neither names nor handles and is about to be forgotten; may be moved from.
  virtual void dropping(Inode inode, Node& node) {}

  Place resolve(ShareId share, std::string_view path, LastLink last) const;
  Place resolve_from(Inode root, Inode at, std::string_view path, LastLink last) const;

  // What operations do once they know the object.
  StoreResult write_at(Inode inode, uint64_t offset, Bytes data);
  StoreError truncate_to(Inode inode, uint64_t size);
  void set_descriptor(Inode inode, Bytes descriptor);
  StoreError link_to(Inode inode, ShareId share, std::string_view to);
  // A new object with its first name, which is free.
  Inode make(const Place& place, FileKind kind);
  void add_name(Inode directory, std::string_view name, Inode inode);
  void remove_name(Inode directory, std::string_view name);
  // Forgets an object that has neither names nor handles.
  void drop_if_unused(Inode inode);
  // Forgets all handles, as the end of a process does.
  void drop_handles();
  // The handle, or null.
  const Handle* find_handle(StoreHandle handle) const;
  // kNone, or why it is no file open for this.
  StoreError check_file(const Handle* handle, uint8_t access) const;
  FileStat stat_of(Inode inode, bool with_dos_attributes) const;
  Inode root_of(ShareId share) const;
  // After the data or what is reserved changed from `before` bytes of storage.
  void recount(const Node& node, uint64_t before);
  static uint64_t storage_of(const Node& node);

  std::map<Inode, Node> nodes_;
  std::vector<Inode> roots_;
  FileTime now_ = {FileTime::kUnixEpoch};

 private:
  bool is_expected(Inode inode, FileKey expected) const;

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

  StoreResult open_node(Inode inode, const StoreOpen& op);
  bool is_ancestor(Inode ancestor, Inode of) const;
  // How far an object may grow towards `end` bytes.
  uint64_t room_for(const Node& node, uint64_t end) const;

  std::vector<Handle> handles_;
  std::vector<uint32_t> free_handles_;
  const size_t handles_max_;
  size_t open_count_ = 0;
  Inode next_inode_ = 2;
  uint64_t capacity_ = uint64_t{1} << 40;  // bytes
  uint64_t used_ = 0;                      // bytes of storage of all objects
};

}  // namespace semblance
