#include "sim/oracles/locks.h"

#include <algorithm>

namespace semblance::sim {

namespace {

constexpr size_t kLocks = kBody + 24, kLockSize = 24;
constexpr uint32_t kExclusive = 2, kUnlock = 4;

// READ and WRITE keep length and offset in the same places.
uint64_t length_of(const Element& io) { return io.at(kBody + 4, 4); }
uint64_t offset_of(const Element& io) { return io.at(kBody + 8, 8); }

bool wraps(uint64_t offset, uint64_t length) { return offset + length < offset; }

std::string text_of(uint64_t offset, uint64_t length) {
  return std::to_string(offset) + "+" + std::to_string(length);
}

}  // namespace

std::vector<LockOracle::Wanted> LockOracle::elements_of(const Element& request) {
  std::vector<Wanted> elements;
  uint64_t count = request.at(kBody + 2, 2);
  for (uint64_t i = 0; i < count && request.range(kLocks + i * kLockSize, kLockSize); ++i) {
    size_t at = kLocks + i * kLockSize;
    elements.push_back({{request.at(at, 8), request.at(at + 8, 8)},
                        static_cast<uint32_t>(request.at(at + 16, 4))});
  }
  return elements;
}

// Certainly: both hold bytes, and one of them is the same.
bool LockOracle::overlap(const Range& a, const Range& b) {
  if (a.length == 0 || b.length == 0) return false;
  return a.offset <= b.offset + (b.length - 1) && b.offset <= a.offset + (a.length - 1);
}

// Possibly: an empty range may count as what it touches.
bool LockOracle::may_overlap(const Range& a, const Range& b) {
  auto end = [](const Range& range) {
    return wraps(range.offset, range.length) ? UINT64_MAX : range.offset + range.length;
  };
  if (a.length != 0 && b.length != 0) return overlap(a, b);
  return a.offset <= end(b) && b.offset <= end(a);
}

Disk::Inode LockOracle::inode_of(const Lock& lock) const {
  const BookedOpen* open = lock.owner_known ? book_.find(lock.owner) : nullptr;
  return open == nullptr ? 0 : open->inode;
}

bool LockOracle::certain(const Lock& lock) const {
  if (!lock.granted || lock.doubtful || lock.ended || !lock.owner_known) return false;
  const BookedOpen* open = book_.find(lock.owner);
  return open != nullptr && !open->ending;
}

bool LockOracle::possible_since(const Lock& lock, const Exchange& exchange) const {
  if (lock.ended && lock.ended_after < exchange.number) return false;
  const BookedOpen* open = lock.owner_known ? book_.find(lock.owner) : nullptr;
  if (open == nullptr || !open->ended) return true;
  return exchange.number <= open->ended_after || open->possible_until > exchange.received;
}

// ---- Requests -----------------------------------------------------------------------------------

void LockOracle::requested(const ExchangePtr& exchange) {
  latest_ = exchange->number;
  const Element& request = exchange->request;
  bool io = request.command == kCmdRead || request.command == kCmdWrite;
  if (!io && request.command != kCmdLock) return;
  under_way_[exchange->number] = exchange;
  if (io) return;
  std::vector<Wanted> elements = elements_of(request);
  bool unlocks = std::ranges::any_of(elements, [](const Wanted& e) { return e.flags & kUnlock; });
  if (unlocks) return unlock_requested(exchange, elements);
  // An UNLOCK that came before may be carried out after it.
  bool doubtful = std::ranges::any_of(unlocking_, [&](const auto& one) {
    return one.second.exchange->connection == exchange->connection;
  });
  for (const Wanted& element : elements) {
    Lock lock;
    lock.owner = exchange->file;
    lock.owner_known = exchange->has_file;
    lock.connection = exchange->connection;
    lock.range = element.range;
    lock.exclusive = (element.flags & kExclusive) != 0;
    lock.asked_by = exchange->number;
    lock.doubtful = doubtful;
    locks_.push_back(lock);
  }
}

void LockOracle::unlock_requested(const ExchangePtr& exchange,
                                  const std::vector<Wanted>& elements) {
  Unlocking unlocking{exchange, true};
  std::vector<size_t> taken;
  for (const Wanted& element : elements) {
    bool held = false;
    for (size_t i = 0; i < locks_.size(); ++i) {
      Lock& lock = locks_[i];
      bool mine = exchange->has_file && lock.owner_known ? lock.owner == exchange->file
                                                         : lock.connection == exchange->connection;
      if (!mine || lock.range != element.range) continue;
      bool exact = exchange->has_file && lock.owner_known;
      if (!held && exact && certain(lock) && std::ranges::count(taken, i) == 0) {
        taken.push_back(i);
        held = true;
      }
    }
    unlocking.all_held = unlocking.all_held && held && element.flags == kUnlock;
  }
  // Only now: what one element may end is no less certain for the others.
  for (Lock& lock : locks_) {
    bool mine = exchange->has_file && lock.owner_known ? lock.owner == exchange->file
                                                       : lock.connection == exchange->connection;
    for (const Wanted& element : elements)
      if (mine && lock.range == element.range) lock.doubtful = true;
  }
  for (auto& [number, other] : unlocking_)
    if (other.exchange->connection == exchange->connection)
      other.disturbed = unlocking.disturbed = true;
  unlocking_.emplace(exchange->number, unlocking);
}

// ---- Responses ----------------------------------------------------------------------------------

void LockOracle::answered(const ExchangePtr& exchange) {
  if (under_way_.erase(exchange->number) == 0) return;
  const Element& request = exchange->request;
  uint32_t status = exchange->response.status;
  if (request.command == kCmdLock) {
    if (auto unlocking = unlocking_.extract(exchange->number); !unlocking.empty())
      judge_unlock(*exchange, unlocking.mapped());
    else if (status == kOk)
      judge_granted(*exchange);
    else if (status == kStatusLockNotGranted)
      judge_barred(*exchange, elements_of(request), true);
    if (status != kOk)
      for (Lock& lock : locks_)
        if (lock.asked_by == exchange->number) end(lock);
  } else if (status == kOk) {
    judge_passed(*exchange);
  } else if (status == kStatusFileLockConflict) {
    uint32_t flags = request.command == kCmdWrite ? kExclusive : 0;
    judge_barred(*exchange, {{{offset_of(request), length_of(request)}, flags}}, false);
  }
  forget_old();
}

void LockOracle::abandoned(const ExchangePtr& exchange) {
  // What it asked for goes with the handle.
  under_way_.erase(exchange->number);
  unlocking_.erase(exchange->number);
}

void LockOracle::crashed(CrashKind) {
  locks_.clear();
  unlocking_.clear();
  under_way_.clear();
}

void LockOracle::end(Lock& lock) {
  lock.ended = true;
  lock.ended_after = latest_;
}

void LockOracle::forget_old() {
  uint64_t oldest = under_way_.empty() ? UINT64_MAX : under_way_.begin()->first;
  std::erase_if(locks_, [&](const Lock& lock) { return lock.ended && lock.ended_after < oldest; });
}

// ---- Judgement ----------------------------------------------------------------------------------

void LockOracle::judge_granted(const Exchange& exchange) {
  for (Lock& lock : locks_) {
    if (lock.asked_by != exchange.number) continue;
    lock.granted = true;
    lock.granted_after = latest_;
    lock.owner = exchange.file;
    lock.owner_known = exchange.has_file;
  }
  for (const Lock& mine : locks_) {
    if (mine.asked_by != exchange.number || !certain(mine) || inode_of(mine) == 0) continue;
    for (const Lock& other : locks_) {
      if (&other == &mine || !certain(other) || inode_of(other) != inode_of(mine)) continue;
      // A handle may put a shared lock on what it holds itself; an exclusive one never.
      bool bars = other.owner == mine.owner ? mine.exclusive : mine.exclusive || other.exclusive;
      bool same_request = other.asked_by == mine.asked_by;
      if (same_request) bars = mine.exclusive && other.exclusive;
      if (bars && overlap(mine.range, other.range))
        fail(exchange,
             "a lock granted over another: " + text_of(mine.range.offset, mine.range.length) +
                 " over " + text_of(other.range.offset, other.range.length) + " of request " +
                 std::to_string(other.asked_by));
    }
  }
}

void LockOracle::judge_unlock(const Exchange& exchange, const Unlocking& unlocking) {
  uint32_t status = exchange.response.status;
  const BookedOpen* open = exchange.has_file ? book_.find(exchange.file) : nullptr;
  if (status == kStatusRangeNotLocked && unlocking.all_held && !unlocking.disturbed &&
      open != nullptr && !open->ending)
    return fail(exchange, "unlocking what is locked was refused");
  if (status != kOk) return;
  for (const Wanted& element : elements_of(exchange.request)) {
    Lock* match = nullptr;
    size_t matches = 0;
    bool unknown_owner = false;
    for (Lock& lock : locks_) {
      if (lock.range != element.range || !possible_since(lock, exchange)) continue;
      if (!lock.owner_known || !exchange.has_file) unknown_owner = true;
      if (lock.owner_known && lock.owner != exchange.file) continue;
      match = &lock;
      ++matches;
    }
    if (matches == 0 && !unknown_owner)
      return fail(exchange, "unlocked what was not locked: " +
                                text_of(element.range.offset, element.range.length));
    // Of several equal ones it is not known which is left.
    if (matches == 1 && !unknown_owner && match->granted && !unlocking.disturbed) end(*match);
  }
}

// Something possible was in the way.
void LockOracle::judge_barred(const Exchange& exchange, const std::vector<Wanted>& wanted,
                              bool lock) {
  const BookedOpen* open = exchange.has_file ? book_.find(exchange.file) : nullptr;
  if (open == nullptr || open->inode == 0) return;
  for (size_t i = 0; i < wanted.size(); ++i) {
    bool exclusive = (wanted[i].flags & kExclusive) != 0;
    for (const Lock& other : locks_) {
      if (other.asked_by == exchange.number || !possible_since(other, exchange)) continue;
      Disk::Inode inode = inode_of(other);
      if (inode != 0 && inode != open->inode) continue;
      // An exclusive lock of one's own bars other locks, but neither reads nor writes.
      bool own = other.owner_known && other.owner == exchange.file;
      bool bars = lock ? exclusive || other.exclusive
                       : (other.exclusive ? !own : exclusive && !other.exclusive);
      if (bars && may_overlap(wanted[i].range, other.range)) return;
    }
    for (size_t before = 0; lock && before < i; ++before)
      if ((exclusive || (wanted[before].flags & kExclusive) != 0) &&
          may_overlap(wanted[i].range, wanted[before].range))
        return;
  }
  fail(exchange, lock ? "a lock refused that nothing bars" : "barred by a lock that is not there");
}

// A READ or WRITE that succeeded: nothing certain was in its way all the time.
void LockOracle::judge_passed(const Exchange& exchange) {
  const BookedOpen* open = exchange.has_file ? book_.find(exchange.file) : nullptr;
  if (open == nullptr || open->inode == 0) return;
  bool writes = exchange.request.command == kCmdWrite;
  Range range{offset_of(exchange.request), length_of(exchange.request)};
  if (range.length == 0 || wraps(range.offset, range.length)) return;
  for (const Lock& lock : locks_) {
    if (!certain(lock) || lock.granted_after >= exchange.number) continue;
    if (inode_of(lock) != open->inode || !overlap(range, lock.range)) continue;
    bool own = lock.owner == exchange.file;
    if (lock.exclusive ? !own : writes)
      fail(exchange, std::string(writes ? "written" : "read") +
                         " through a lock: " + text_of(lock.range.offset, lock.range.length) +
                         " of request " + std::to_string(lock.asked_by));
  }
}

}  // namespace semblance::sim
