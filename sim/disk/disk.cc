#include "sim/disk/disk.h"

namespace semblance::sim {
namespace {

// The journal commits by itself, as kernels do every few seconds: of more changes than this, the
// oldest are durable.
constexpr size_t kJournalMax = 256, kJournalCommit = 64;

}  // namespace

Disk::Disk(size_t shares, size_t handles_max) : MemoryStore(shares, handles_max) {}

std::optional<StoreResult> Disk::try_now(const StoreOperation& operation) {
  return execute(operation);
}

StoreResult Disk::execute(const StoreOperation& operation) {
  StoreResult result = MemoryStore::execute(operation);
  if (!result.ok()) return result;
  if (const auto* flush = std::get_if<StoreFlush>(&operation)) {
    fsync(inode_of(flush->handle));
  } else if (const auto* write = std::get_if<StoreWrite>(&operation);
             write != nullptr && write->write_through) {
    const Inode inode = inode_of(write->handle);
    settle_names(inode);
    if (const auto found = unsaved_.find(inode); found != unsaved_.end()) {
      found->second.stored(write->offset, write->offset + write->data.size(),
                           nodes_.at(inode).data.size());
      if (found->second.empty()) unsaved_.erase(found);
    }
  }
  return result;
}

void Disk::fsync(Inode inode) {
  settle_names(inode);
  const auto found = unsaved_.find(inode);
  if (found == unsaved_.end()) return;
  found->second.flushed(nodes_.at(inode).data.size());
  if (found->second.empty()) unsaved_.erase(found);
}

// ---- What changes -------------------------------------------------------------------------------

void Disk::before_data(Inode inode, const Node& node, uint64_t begin, uint64_t end) {
  unsaved_[inode].before_change(node.data, begin, end);
}

void Disk::before_size(Inode inode, const Node& node) {
  unsaved_[inode].before_resize(node.data.size());
}

void Disk::before_dos(Inode inode, const Node& node) { unsaved_[inode].before_dos(node.dos); }

void Disk::before_descriptor(Inode inode, const Node& node) {
  unsaved_[inode].before_descriptor(node.descriptor);
}

void Disk::names_changed(NameChange&& change) {
  concerned_[change.object]++;
  if (change.replaced != kNoInode) concerned_[change.replaced]++;
  journal_.add(std::move(change));
  if (journal_.size() > kJournalMax) settled(journal_.take_oldest(kJournalCommit));
}

void Disk::dropping(Inode inode, Node& node) {
  // What a lost removal would bring back waits aside.
  if (concerned_.contains(inode))
    removed_.emplace(inode, std::move(node));
  else
    unsaved_.erase(inode);
}

// ---- What becomes durable -----------------------------------------------------------------------

void Disk::settle_names(Inode inode) {
  if (journal_.empty()) return;
  // Of a file, only what concerns it counts, and most often nothing does.
  if (nodes_.at(inode).kind != FileKind::kDirectory && !concerned_.contains(inode)) return;
  settled(journal_.take_for(inode));
}

void Disk::settled(const std::vector<NameChange>& changes) {
  for (const NameChange& change : changes) {
    for (const Inode inode : {change.object, change.replaced}) {
      if (inode == kNoInode || --concerned_.at(inode) != 0) continue;
      concerned_.erase(inode);
      if (removed_.erase(inode) != 0) unsaved_.erase(inode);
    }
  }
}

void Disk::sync() {
  settled(journal_.take_oldest(journal_.size()));
  for (auto at = unsaved_.begin(); at != unsaved_.end();) {
    at->second.flushed(nodes_.at(at->first).data.size());
    at = at->second.empty() ? unsaved_.erase(at) : std::next(at);
  }
}

// ---- Crashes ------------------------------------------------------------------------------------

void Disk::kill() { drop_handles(); }

void Disk::lose_power(const Pick& pick) {
  kill();
  const std::vector<NameChange> lost = journal_.lose(pick);
  for (const NameChange& change : lost) undo(change);
  // Nothing waits any more: what has no name now is freed.
  concerned_.clear();
  for (const auto& [inode, node] : removed_) unsaved_.erase(inode);
  removed_.clear();
  for (const NameChange& change : lost) drop_if_unused(change.object);
  for (const auto& [inode, unsaved] : unsaved_) {
    Node& node = nodes_.at(inode);
    const uint64_t before = storage_of(node);
    unsaved.lose_power(node.data, node.dos, node.descriptor, pick);
    recount(node, before);
  }
  unsaved_.clear();
}

void Disk::undo(const NameChange& change) {
  if (change.to_directory != kNoInode) remove_name(change.to_directory, change.to);
  if (change.from_directory != kNoInode) {
    revive(change.object);
    add_name(change.from_directory, change.from, change.object);
  }
  if (change.replaced != kNoInode) {
    revive(change.replaced);
    add_name(change.to_directory, change.to, change.replaced);
  }
}

void Disk::revive(Inode inode) {
  const auto found = removed_.find(inode);
  if (found == removed_.end()) return;
  recount(nodes_.emplace(inode, std::move(found->second)).first->second, 0);
  removed_.erase(found);
}

}  // namespace semblance::sim
