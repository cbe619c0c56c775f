#pragma once
// Changes of names that a power loss can take back, oldest first.
//
// Each is atomic, a rename too. They may be lost one by one, with these limits, which every
// journalling file system keeps: a change is lost together with every later one that
//   - sets the same name of the same directory,
//   - concerns the same object (its names and its link count),
//   - happens in a directory whose creation it is,
//   - removes a directory in which it happened,
//   - moves a directory to another parent, when it does so too (no cycles).
// So the surviving ones always make a tree, and an object that had a name before loses it only by
// its own removal.

#include <cstdint>
#include <string_view>
#include <vector>

#include "io/store/memory_store.h"
#include "sim/disk/unsaved.h"

namespace semblance::sim {

class Journal {
 public:
  using Inode = MemoryStore::Inode;
  using Change = MemoryStore::NameChange;

  void add(Change change) { changes_.push_back(std::move(change)); }
  bool empty() const { return changes_.empty(); }
  size_t size() const { return changes_.size(); }
  // Whether what this name names could still be another thing, or nothing.
  bool touches(Inode directory, std::string_view name) const;

  // Takes out what an fsync of `inode` makes durable: every change that concerns it or happened in
  // it, and what those depend on. Oldest first.
  std::vector<Change> take_for(Inode inode);
  // Takes out the oldest `count` changes.
  std::vector<Change> take_oldest(size_t count);
  // The power is gone: empties the journal and returns what is lost, newest first, to be undone in
  // this order.
  std::vector<Change> lose(const Pick& pick);

 private:
  // Whether `later` can not survive without `earlier`.
  static bool depends(const Change& later, const Change& earlier);

  std::vector<Change> changes_;
};

}  // namespace semblance::sim
