#pragma once
// The simulated disk: a Store that answers as MemoryStore and PosixStore do, and that can lose its
// power. SIMULATOR.md, "The disk", says what each fault does and what is guaranteed.
//
// What MemoryStore holds is the page cache: all that the server and everyone beside it see. The
// disk keeps, for each change that is not durable yet, how to take it back: the durable state is
// the live one without those. One thread; no clock (set_now), no randomness (Pick).

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/store/memory_store.h"
#include "sim/disk/journal.h"
#include "sim/disk/unsaved.h"

namespace semblance::sim {

class Disk : public MemoryStore {
 public:
  explicit Disk(size_t shares = 1, size_t handles_max = 65536);

  std::optional<StoreResult> try_now(const StoreOperation& operation) override;
  StoreResult execute(const StoreOperation& operation) override;

  // ---- Crashes ----

  // The server process died: its handles are gone, the page cache stays.
  void kill();
  // The machine lost its power: as kill(), and any legal part of what was not durable is gone, as
  // `pick` says. Always 0 loses nothing.
  void lose_power(const Pick& pick);
  // sync(2): all is durable.
  void sync();

  // ---- Errors ----

  // Every error with which Linux may answer such an operation though it is in order. Empty for what
  // can not fail (close). The span lives for ever.
  static std::span<const StoreError> errors_of(const StoreOperation& operation);
  // Lets it fail with `error`, with what it may have done before: a write has stored the first
  // pick(sectors + 1) of its sectors in the page cache; a flush has left each change unsaved, or
  // forgotten it, or stored it (see Unsaved::flush_failed); a write-through may have failed either
  // way. Everything else does nothing. The operation is none of those that can not fail.
  StoreResult fail(const StoreOperation& operation, StoreError error, const Pick& pick);

  // ---- Looking, for oracles; kNoInode is "none" ----

  // The object behind an open handle.
  Inode inode_of(StoreHandle handle) const;
  // What has this name. A link in the last place is not followed; one on the way is.
  Inode find(ShareId share, std::string_view path) const;
  // Whether no power loss can take this name from what it names now.
  bool exists_durably(ShareId share, std::string_view path) const;
  // Whether no power loss can change its data, size, DOS attributes and descriptor.
  bool is_durable(Inode inode) const;
  // The object lives (has a name or a handle).
  bool lives(Inode inode) const;
  // Of a file; the target, of a link. Valid until the next change.
  Bytes content(Inode inode) const;
  FileStat stat(Inode inode) const;
  // Empty: none.
  Bytes descriptor(Inode inode) const;
  // Names in byte order. Views are valid until the next change.
  std::vector<std::pair<std::string_view, Inode>> children(Inode directory) const;
  // All live objects, in the order of their making; those without a name too.
  std::vector<Inode> inodes() const;
  // Share and path of an object that has exactly one name.
  std::optional<std::pair<ShareId, std::string>> path_of(Inode inode) const;
  size_t share_count() const;
  Inode root(ShareId share) const;
  // Of all names, contents, attributes and times; equal trees have equal hashes, however they came
  // about.
  uint64_t content_hash() const;

 private:
  friend class Outside;

  void before_data(Inode inode, const Node& node, uint64_t begin, uint64_t end) override;
  void before_size(Inode inode, const Node& node) override;
  void before_dos(Inode inode, const Node& node) override;
  void before_descriptor(Inode inode, const Node& node) override;
  void names_changed(NameChange&& change) override;
  void dropping(Inode inode, Node& node) override;

  // fsync(2) of the object; of its names only.
  void fsync(Inode inode);
  void settle_names(Inode inode);
  // These are durable: what they removed can not come back.
  void settled(const std::vector<NameChange>& changes);
  void undo(const NameChange& change);
  // Puts an object back that waited among the removed.
  void revive(Inode inode);
  void fail_write(const StoreWrite& op, const Pick& pick);
  void fail_flush(Inode inode, const Pick& pick);

  // What is not durable yet, of each object; no empty ones.
  std::map<Inode, Unsaved> unsaved_;
  Journal journal_;
  // Objects that are gone from the live tree, but whose removal is not durable; and how many
  // changes in the journal concern each object.
  std::map<Inode, Node> removed_;
  std::map<Inode, uint32_t> concerned_;
};

}  // namespace semblance::sim
