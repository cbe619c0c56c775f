// share::conflict and share::FileTable against a naive list of opens. MS-FSA 2.1.5.1.2.2.

#include "engine/share/file_table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <vector>

namespace semblance::share {
namespace {

constexpr uint32_t kRead = 1, kWrite = 2, kAppend = 4, kExecute = 0x20, kDelete = 0x10000;

ShareMode some_mode() {
  ShareMode mode;
  for (uint32_t right : {kRead, kWrite, kAppend, kExecute, kDelete, 0x80u, 0x100u, 0x100000u})
    if (*rc::gen::inRange(0, 3) == 0) mode.access |= right;
  mode.share = *rc::gen::inRange(0u, 8u);
  return mode;
}

// The section as a table: what each right needs the other to share.
bool lets(uint32_t access, uint32_t share) {
  if ((access & kRead || access & kExecute) && !(share & 1)) return false;
  if ((access & kWrite || access & kAppend) && !(share & 2)) return false;
  if (access & kDelete && !(share & 4)) return false;
  return true;
}
bool counts(uint32_t access) { return access & (kRead | kWrite | kAppend | kExecute | kDelete); }
bool naive_conflict(const ShareMode& a, const ShareMode& b) {
  return counts(a.access) && counts(b.access) &&
         !(lets(a.access, b.share) && lets(b.access, a.share));
}

TEST(ShareMode, ConflictIsTheSectionsTableAndSymmetric) {
  EXPECT_TRUE(rc::check([] {
    ShareMode a = some_mode(), b = some_mode();
    RC_ASSERT(conflict(a, b) == naive_conflict(a, b));
    RC_ASSERT(conflict(a, b) == conflict(b, a));
  }));
}

TEST(ShareMode, OnlyAttributesNeverConflict) {
  EXPECT_TRUE(rc::check([] {
    ShareMode any = some_mode();
    RC_ASSERT(!conflict({0x80 | 0x100 | 0x100000, 0}, any));
  }));
}

struct Member {
  uint64_t owner;
  FileKey key;
  ShareMode mode;
};

TEST(FileTable, AgreesWithAListOfOpens) {
  EXPECT_TRUE(rc::check([] {
    constexpr uint32_t kNodesMax = 3;
    FileTable table(kNodesMax);
    std::vector<Member> opens;
    std::map<uint64_t, NodeId> nodes;  // by owner
    std::map<FileKey, bool> pending;
    uint64_t next_owner = 1;
    auto files = [&] {
      std::map<FileKey, int> keys;
      for (const Member& open : opens) ++keys[open.key];
      return keys;
    };
    int steps = *rc::gen::inRange(0, 60);
    for (int i = 0; i < steps; ++i) {
      FileKey key{1, *rc::gen::inRange<uint64_t>(1, 6)};
      int what = *rc::gen::inRange(0, 10);
      if (what < 6) {
        ShareMode mode = some_mode();
        NtStatus expected = NtStatus::kSuccess;
        for (const Member& open : opens)
          if (open.key == key && naive_conflict(open.mode, mode))
            expected = NtStatus::kSharingViolation;
        if (pending[key]) expected = NtStatus::kDeletePending;
        RC_ASSERT(table.may_join(key, mode) == expected);
        if (expected == NtStatus::kSuccess && !files().contains(key) && files().size() == kNodesMax)
          expected = NtStatus::kInsufficientResources;
        auto joined = table.join(key, next_owner, mode);
        RC_ASSERT((joined ? NtStatus::kSuccess : joined.error()) == expected);
        if (joined) {
          opens.push_back({next_owner, key, mode});
          nodes[next_owner] = *joined;
        }
        ++next_owner;
      } else if (what < 9 && !opens.empty()) {
        auto at = *rc::gen::inRange<size_t>(0, opens.size());
        Member gone = opens[at];
        table.leave(nodes.at(gone.owner), gone.owner);
        table.leave(nodes.at(gone.owner), gone.owner);  // twice is once
        opens.erase(opens.begin() + static_cast<ptrdiff_t>(at));
        if (!files().contains(gone.key)) {
          pending.erase(gone.key);
          RC_ASSERT(table.find(nodes.at(gone.owner)) == nullptr);
        }
      } else if (FileNode* node = table.find(key)) {
        node->delete_pending = true;
        pending[key] = true;
      }
      RC_ASSERT(table.size() == files().size());
      for (const Member& open : opens) {
        FileNode* node = table.find(nodes.at(open.owner));
        RC_ASSERT(node != nullptr);
        RC_ASSERT(node == table.find(open.key));
        RC_ASSERT(static_cast<int>(node->members.size()) == files()[open.key]);
      }
    }
  }));
}

TEST(FileTable, LocksGoWithTheirOwner) {
  FileTable table(4);
  auto a = table.join({1, 1}, 1, {kRead | kWrite, 7});
  auto b = table.join({1, 1}, 2, {kRead | kWrite, 7});
  ASSERT_TRUE(a && b);
  FileNode* node = table.find(*a);
  EXPECT_EQ(node->locks.lock(1, {0, 10}, LockKind::kExclusive), NtStatus::kSuccess);
  EXPECT_TRUE(node->locks.bars(2, {0, 1}, IoKind::kRead));
  table.leave(*a, 1);
  EXPECT_FALSE(table.find(*b)->locks.bars(2, {0, 1}, IoKind::kRead));
}

}  // namespace
}  // namespace semblance::share
