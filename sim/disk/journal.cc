#include "sim/disk/journal.h"

#include <algorithm>
#include <iterator>

namespace semblance::sim {
namespace {

using Change = Journal::Change;
using Inode = Journal::Inode;

bool concerns(const Change& change, Inode inode) {
  return inode != MemoryStore::kNoInode && (change.object == inode || change.replaced == inode);
}

bool happens_in(const Change& change, Inode directory) {
  return directory != MemoryStore::kNoInode &&
         (change.from_directory == directory || change.to_directory == directory);
}

bool sets(const Change& change, Inode directory, std::string_view name) {
  return directory != MemoryStore::kNoInode &&
         ((change.from_directory == directory && change.from == name) ||
          (change.to_directory == directory && change.to == name));
}

bool moves_directory(const Change& change) {
  return change.is_directory && change.from_directory != MemoryStore::kNoInode &&
         change.to_directory != MemoryStore::kNoInode &&
         change.from_directory != change.to_directory;
}

// The directory that is no more after it, or none.
Inode removes(const Change& change) {
  if (change.replaced_directory) return change.replaced;
  return change.is_directory && change.to_directory == MemoryStore::kNoInode
             ? change.object
             : MemoryStore::kNoInode;
}

}  // namespace

bool Journal::depends(const Change& later, const Change& earlier) {
  return sets(earlier, later.from_directory, later.from) ||
         sets(earlier, later.to_directory, later.to) || concerns(earlier, later.object) ||
         concerns(earlier, later.replaced) ||
         (earlier.creates && happens_in(later, earlier.object)) ||
         happens_in(earlier, removes(later)) ||
         (moves_directory(later) && moves_directory(earlier));
}

bool Journal::touches(Inode directory, std::string_view name) const {
  return std::ranges::any_of(changes_,
                             [&](const Change& change) { return sets(change, directory, name); });
}

std::vector<Change> Journal::take_for(Inode inode) {
  std::vector<bool> taken(changes_.size());
  for (size_t i = changes_.size(); i-- > 0;) {
    taken[i] = concerns(changes_[i], inode) || happens_in(changes_[i], inode);
    for (size_t j = i + 1; j < changes_.size() && !taken[i]; j++)
      taken[i] = taken[j] && depends(changes_[j], changes_[i]);
  }
  std::vector<Change> out, left;
  for (size_t i = 0; i < changes_.size(); i++)
    (taken[i] ? out : left).push_back(std::move(changes_[i]));
  changes_ = std::move(left);
  return out;
}

std::vector<Change> Journal::take_oldest(size_t count) {
  const auto end = changes_.begin() + static_cast<ptrdiff_t>(std::min(count, changes_.size()));
  std::vector<Change> out(std::make_move_iterator(changes_.begin()), std::make_move_iterator(end));
  changes_.erase(changes_.begin(), end);
  return out;
}

std::vector<Change> Journal::lose(const Pick& pick) {
  std::vector<Change> lost;
  for (Change& change : changes_) {
    const bool without_ground =
        std::ranges::any_of(lost, [&](const Change& earlier) { return depends(change, earlier); });
    if (without_ground || pick(2) == 1) lost.push_back(std::move(change));
  }
  changes_.clear();
  std::ranges::reverse(lost);
  return lost;
}

}  // namespace semblance::sim
