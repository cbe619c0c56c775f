#pragma once
// Everything that several opens share about a file: share modes, locks, delete-on-close.
//
// This is the seam along which the engine spreads over threads and machines later: callers name
// files by NodeId and owners by an opaque number, and every answer is a value.

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/pool.h"
#include "engine/base/status.h"
#include "engine/share/file_key_hash.h"
#include "engine/share/lock_table.h"
#include "engine/share/share_mode.h"
#include "engine/store.h"

namespace semblance::share {

using NodeId = SlotId<struct NodeTag>;

struct FileNode {
  explicit FileNode(FileKey key) : key(key) {}

  struct Member {
    uint64_t owner;
    ShareMode mode;
  };
  FileKey key;
  std::vector<Member> members;  // the opens, in the order they came
  bool delete_pending = false;
  // The names that go with it, of those that the object may have: those of the handles that asked.
  std::vector<std::string> delete_paths;

  void mark_deleted(const std::string& path) {
    delete_pending = true;
    if (std::ranges::find(delete_paths, path) == delete_paths.end()) delete_paths.push_back(path);
  }
  void mark_kept() {
    delete_pending = false;
    delete_paths.clear();
  }
  LockTable locks;
};

// One per engine. A node exists as long as it has a member.
class FileTable {
 public:
  explicit FileTable(uint32_t nodes_max) : nodes_(nodes_max) {}

  // Joins the open `owner` to the file, or says why not: kSharingViolation, kDeletePending,
  // kInsufficientResources.
  Result<NodeId> join(FileKey key, uint64_t owner, ShareMode mode);
  // Would it join? The same answer, without joining.
  NtStatus may_join(FileKey key, ShareMode mode) const;
  // The open goes; its locks go with it. The node is gone after its last member.
  void leave(NodeId node, uint64_t owner);

  FileNode* find(NodeId node) { return nodes_.find(node); }
  FileNode* find(FileKey key);
  uint32_t size() const { return nodes_.size(); }

 private:
  Pool<FileNode, NodeId> nodes_;
  std::unordered_map<FileKey, NodeId, FileKeyHash> by_key_;  // never iterated
};

}  // namespace semblance::share
