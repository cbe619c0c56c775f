// share::LockTable against a model that keeps, for every byte of a small file, who locks it.

#include "engine/share/lock_table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <list>

namespace semblance::share {
namespace {

struct Held {
  LockOwner owner;
  ByteRange range;
  LockKind kind;
};

// Bytes 0..31. An empty range lies between two bytes: it touches a range that has both.
bool touch(const ByteRange& a, const ByteRange& b) {
  auto covers = [](const ByteRange& range, uint64_t byte) {
    return byte >= range.offset && byte - range.offset < range.length;
  };
  if (a.length == 0 && b.length == 0) return false;
  if (a.length == 0) return a.offset > 0 && covers(b, a.offset - 1) && covers(b, a.offset);
  if (b.length == 0) return touch(b, a);
  for (uint64_t byte = 0; byte < 64; ++byte)
    if (covers(a, byte) && covers(b, byte)) return true;
  return false;
}

class Model {
 public:
  NtStatus lock(LockOwner owner, ByteRange range, LockKind kind) {
    for (const Held& held : held_)
      if (touch(held.range, range) &&
          (held.kind == LockKind::kExclusive || kind == LockKind::kExclusive))
        return NtStatus::kLockNotGranted;
    held_.push_back({owner, range, kind});
    return NtStatus::kSuccess;
  }
  NtStatus unlock(LockOwner owner, ByteRange range) {
    for (auto it = held_.begin(); it != held_.end(); ++it)
      if (it->owner == owner && it->range == range) {
        held_.erase(it);
        return NtStatus::kSuccess;
      }
    return NtStatus::kRangeNotLocked;
  }
  uint32_t release(LockOwner owner) {
    auto before = held_.size();
    held_.remove_if([&](const Held& held) { return held.owner == owner; });
    return static_cast<uint32_t>(before - held_.size());
  }
  bool bars(LockOwner owner, ByteRange range, IoKind io) const {
    return range.length > 0 && std::ranges::any_of(held_, [&](const Held& held) {
             if (!touch(held.range, range)) return false;
             if (held.kind == LockKind::kShared) return io == IoKind::kWrite;
             return held.owner != owner;
           });
  }
  size_t size() const { return held_.size(); }

 private:
  std::list<Held> held_;
};

ByteRange some_range() {
  return {*rc::gen::inRange<uint64_t>(0, 32), *rc::gen::inRange<uint64_t>(0, 12)};
}

TEST(LockTable, AgreesWithBytesOneByOne) {
  EXPECT_TRUE(rc::check([] {
    LockTable table;
    Model model;
    int steps = *rc::gen::inRange(0, 60);
    for (int i = 0; i < steps; ++i) {
      auto owner = *rc::gen::inRange<LockOwner>(1, 4);
      ByteRange range = some_range();
      auto kind = *rc::gen::element(LockKind::kShared, LockKind::kExclusive);
      switch (*rc::gen::inRange(0, 7)) {
        case 0:
        case 1:
        case 2:
          RC_ASSERT(table.lock(owner, range, kind) == model.lock(owner, range, kind));
          break;
        case 3:
        case 4:
          RC_ASSERT(table.unlock(owner, range) == model.unlock(owner, range));
          break;
        case 5:
          RC_ASSERT(table.release(owner) == model.release(owner));
          break;
        default:
          for (IoKind io : {IoKind::kRead, IoKind::kWrite})
            RC_ASSERT(table.bars(owner, range, io) == model.bars(owner, range, io));
      }
      RC_ASSERT(table.size() == model.size());
      RC_ASSERT(table.empty() == (model.size() == 0));
    }
  }));
}

// MS-SMB2 3.3.5.14.2; B24.
TEST(LockTable, TheEndOfTheAddressSpace) {
  LockTable table;
  EXPECT_EQ(table.lock(1, {UINT64_MAX, 1}, LockKind::kExclusive), NtStatus::kSuccess);
  EXPECT_EQ(table.lock(1, {UINT64_MAX, 2}, LockKind::kExclusive), NtStatus::kInvalidLockRange);
  EXPECT_EQ(table.lock(2, {0, UINT64_MAX}, LockKind::kExclusive), NtStatus::kSuccess);
  EXPECT_EQ(table.lock(2, {1, UINT64_MAX}, LockKind::kShared), NtStatus::kLockNotGranted);
  EXPECT_EQ(table.lock(2, {2, UINT64_MAX}, LockKind::kShared), NtStatus::kInvalidLockRange);
  EXPECT_TRUE(table.bars(2, {UINT64_MAX, 1}, IoKind::kRead));
  EXPECT_FALSE(table.bars(1, {UINT64_MAX, 1}, IoKind::kRead));
  EXPECT_EQ(table.lock(3, {UINT64_MAX, 0}, LockKind::kExclusive), NtStatus::kSuccess);
}

TEST(LockTable, OverlapsIsSymmetric) {
  EXPECT_TRUE(rc::check([] {
    ByteRange a = some_range(), b = some_range();
    RC_ASSERT(a.overlaps(b) == b.overlaps(a));
    RC_ASSERT(a.overlaps(b) == touch(a, b));
  }));
}

}  // namespace
}  // namespace semblance::share
