#include "engine/share/name_index.h"

#include <algorithm>

#include "engine/share/names.h"

namespace semblance::share {
namespace {

// File systems stamp with a clock that lags by up to a tick.
constexpr uint64_t kStampLag = FileTime::kTicksPerSecond / 50;
// In a longer span too much can happen beside the server that would pass for ours.
constexpr uint64_t kSpanMax = FileTime::kTicksPerSecond / 20;

}  // namespace

IndexState NameIndex::validate(const FileStat& directory) {
  auto found = directories_.find(directory.key);
  if (found == directories_.end()) return IndexState::kStale;
  Directory& index = found->second;
  index.used = ++clock_;
  DirectoryStamp stamp = DirectoryStamp::of(directory);
  if (stamp == index.stamp && !index.changed) return IndexState::kValid;
  bool ours = index.changed && stamp.modified.ticks + kStampLag >= index.span.began.ticks &&
              stamp.modified <= index.span.ended;
  if (ours) {
    index.stamp = stamp;
    index.changed = false;
    return IndexState::kValid;
  }
  forget(directory.key);
  return IndexState::kStale;
}

void NameIndex::publish(const FileStat& directory, std::vector<std::string> names) {
  DirectoryStamp stamp = DirectoryStamp::of(directory);
  // One that took long must not replace what was learnt after it began.
  if (auto known = directories_.find(directory.key); known != directories_.end())
    if (known->second.changed || known->second.stamp.modified > stamp.modified) return;
  forget(directory.key);
  Directory& index = directories_[directory.key];
  index.stamp = stamp;
  index.forgotten = changes_;  // what began before this was known tells it nothing
  index.used = ++clock_;
  for (const std::string& name : names) add(index, name);
  make_room();
}

// A name counts once, however often a directory that changes while it is read reports it.
void NameIndex::add(Directory& index, std::string_view name) {
  auto wire = wire_name(name);
  if (!wire) return;
  std::u16string key = folded(*wire);
  auto [first, last] = index.names.equal_range(key);
  if (std::any_of(first, last, [&](const auto& entry) { return entry.second == name; })) return;
  index.names.emplace(std::move(key), name);
  ++names_;
}

std::string_view NameIndex::find(FileKey key, std::string_view name) {
  auto found = directories_.find(key);
  auto wire = wire_name(name);
  if (found == directories_.end() || !wire) return {};
  auto [first, last] = found->second.names.equal_range(folded(*wire));
  // Among spellings that differ in case only, the exact one wins, then the smallest: never the
  // order of a hash table.
  std::string_view best;
  for (auto it = first; it != last; ++it) {
    if (it->second == name) return it->second;
    if (best.empty() || it->second < best) best = it->second;
  }
  return best;
}

void NameIndex::created(FileKey key, std::string_view name, ChangeSpan span) {
  auto found = directories_.find(key);
  if (found == directories_.end()) return;
  if (!note_change(found->second, name, span)) return forget(key);
  add(found->second, name);
  make_room();
}

void NameIndex::removed(FileKey key, std::string_view name, ChangeSpan span) {
  auto found = directories_.find(key);
  auto wire = wire_name(name);
  if (found == directories_.end()) return;
  if (!note_change(found->second, name, span)) return forget(key);
  if (!wire) return;
  auto [first, last] = found->second.names.equal_range(folded(*wire));
  for (auto it = first; it != last; ++it) {
    if (it->second != name) continue;
    found->second.names.erase(it);
    --names_;
    return;
  }
}

void NameIndex::forget(FileKey key) {
  auto found = directories_.find(key);
  if (found == directories_.end()) return;
  names_ -= found->second.names.size();
  directories_.erase(found);
}

bool NameIndex::note_change(Directory& directory, std::string_view name, ChangeSpan span) {
  constexpr size_t kRecent = 64;
  auto wire = wire_name(name);
  std::u16string key = wire ? folded(*wire) : std::u16string();
  ++changes_;
  if (span.ended.ticks - span.began.ticks > kSpanMax) return false;
  if (span.changes_before < directory.forgotten) return false;
  for (const auto& [other, change] : directory.recent)
    if (other == key && change > span.changes_before) return false;
  if (directory.recent.size() == kRecent) {
    directory.forgotten = directory.recent.front().second;
    directory.recent.erase(directory.recent.begin());
  }
  directory.recent.emplace_back(std::move(key), changes_);
  if (!directory.changed) directory.span = span;
  directory.span.ended = std::max(directory.span.ended, span.ended);
  directory.changed = true;
  return true;
}

// Directories are few; the smallest `used` is unique, so the order of the table does not matter.
void NameIndex::make_room() {
  while (names_ > names_max_ && !directories_.empty()) {
    auto oldest = std::ranges::min_element(directories_, {},
                                           [](const auto& entry) { return entry.second.used; });
    forget(FileKey(oldest->first));
  }
}

}  // namespace semblance::share
