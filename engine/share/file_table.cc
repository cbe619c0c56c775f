#include "engine/share/file_table.h"
#include "engine/base/planted.h"

#include <algorithm>

namespace semblance::share {

FileNode* FileTable::find(FileKey key) {
  auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : nodes_.find(found->second);
}

NtStatus FileTable::may_join(FileKey key, ShareMode mode) const {
  const FileNode* node = const_cast<FileTable*>(this)->find(key);
  if (node == nullptr) return NtStatus::kSuccess;
  if (node->delete_pending && !PLANTED(kDeletePendingOpened)) return NtStatus::kDeletePending;
  for (const FileNode::Member& member : node->members)
    if (conflict(member.mode, mode)) return NtStatus::kSharingViolation;
  return NtStatus::kSuccess;
}

Result<NodeId> FileTable::join(FileKey key, uint64_t owner, ShareMode mode) {
  if (NtStatus status = may_join(key, mode); status != NtStatus::kSuccess) return fail(status);
  NodeId id;
  if (auto found = by_key_.find(key); found != by_key_.end()) {
    id = found->second;
  } else {
    id = nodes_.acquire(key);
    if (!id) return fail(NtStatus::kInsufficientResources);
    by_key_.emplace(key, id);
  }
  nodes_.get(id).members.push_back({owner, mode});
  return id;
}

void FileTable::leave(NodeId id, uint64_t owner) {
  FileNode* node = nodes_.find(id);
  if (node == nullptr) return;
  node->locks.release(owner);
  std::erase_if(node->members, [&](const auto& member) { return member.owner == owner; });
  if (!node->members.empty()) return;
  by_key_.erase(node->key);
  nodes_.release(id);
}

}  // namespace semblance::share
