// Byte-range locks and plain I/O: MS-SMB2 3.3.5.14, 2.2.26; MS-FSA 2.1.4.10, 2.1.5.8.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

constexpr uint32_t kExclusive = wire::kLockFlagExclusiveLock | wire::kLockFlagFailImmediately;
constexpr uint32_t kShared = wire::kLockFlagSharedLock | wire::kLockFlagFailImmediately;
constexpr uint32_t kUnlock = wire::kLockFlagUnlock;

class Locks : public OneClient {
 protected:
  Locks() {
    a = peer.file(tree, u"file", std::string(200, 'l'));
    b = peer.file(tree, u"file");
  }
  NtStatus lock(FileId file, uint64_t offset, uint64_t length, uint32_t flags = kExclusive) {
    return smb().lock(tree, file, {offset, length, flags});
  }
  NtStatus locks(FileId file, std::vector<wire::LockElement> elements) {
    return smb().call(client::on(tree, client::lock_request(file, elements))).status();
  }
  NtStatus read(FileId file, uint64_t offset, uint32_t length) {
    return smb().read(tree, file, offset, length).status;
  }
  FileId a, b;
};

TEST_F(Locks, B24LocksBarTheOthersIo) {
  EXPECT_EQ(lock(a, 0, 100), NtStatus::kSuccess);
  EXPECT_EQ(read(b, 50, 100), NtStatus::kFileLockConflict);
  EXPECT_EQ(read(b, 90, 20), NtStatus::kFileLockConflict);
  EXPECT_EQ(write_status(b, 50, "x"), NtStatus::kFileLockConflict);
  EXPECT_EQ(read(b, 100, 50), NtStatus::kSuccess);
  EXPECT_EQ(read(b, 50, 0), NtStatus::kSuccess);
  EXPECT_EQ(read(a, 0, 200), NtStatus::kSuccess);
  EXPECT_EQ(write_status(a, 0, "x"), NtStatus::kSuccess);
  EXPECT_EQ(lock(b, 50, 10), NtStatus::kLockNotGranted);
  EXPECT_EQ(lock(a, 0, 10), NtStatus::kLockNotGranted);
  EXPECT_EQ(lock(a, 0, 100, kUnlock), NtStatus::kSuccess);
  EXPECT_EQ(lock(a, 0, 100, kUnlock), NtStatus::kRangeNotLocked);
  EXPECT_EQ(write_status(b, 50, "x"), NtStatus::kSuccess);
}

TEST_F(Locks, B24TheEndOfTheRange) {
  EXPECT_EQ(lock(b, UINT64_MAX, 1), NtStatus::kSuccess);
  EXPECT_EQ(lock(b, UINT64_MAX, 2), NtStatus::kInvalidLockRange);
}

TEST_F(Locks, B24OneRequestDoesOneKindOfThing) {
  EXPECT_EQ(lock(a, 0, 100), NtStatus::kSuccess);
  EXPECT_EQ(locks(a, {{0, 100, kUnlock}, {0, 5, kExclusive}}), NtStatus::kInvalidParameter);
  EXPECT_EQ(locks(a, {{0, 5, kShared}, {0, 100, kUnlock}}), NtStatus::kInvalidParameter);
  for (uint32_t flags : {0u, 3u, 5u, 0x14u, 0x20u, 0xFFFFFFFFu})
    EXPECT_EQ(lock(a, 150, 1, flags), NtStatus::kInvalidParameter) << flags;
}

TEST_F(Locks, B24AllOrNothing) {
  EXPECT_EQ(lock(a, 50, 10), NtStatus::kSuccess);
  EXPECT_EQ(locks(b, {{0, 10, kExclusive}, {55, 1, kExclusive}}), NtStatus::kLockNotGranted);
  EXPECT_EQ(lock(a, 0, 10), NtStatus::kSuccess);
}

TEST_F(Locks, B24ASharedLockBarsItsOwnersWrites) {
  EXPECT_EQ(lock(a, 0, 10, kShared), NtStatus::kSuccess);
  EXPECT_EQ(lock(b, 5, 10, kShared), NtStatus::kSuccess);
  EXPECT_EQ(read(b, 0, 10), NtStatus::kSuccess);
  EXPECT_EQ(write_status(a, 0, "x"), NtStatus::kFileLockConflict);
  EXPECT_EQ(write_status(b, 0, "x"), NtStatus::kFileLockConflict);
}

TEST_F(Locks, B24ACloseGivesThemBack) {
  EXPECT_EQ(lock(a, 0, 10), NtStatus::kSuccess);
  smb().close(tree, a);
  EXPECT_EQ(lock(b, 0, 10), NtStatus::kSuccess);
}

// A disconnect gives them back too, even while the store is busy with the handle.
TEST_F(Locks, B24ADisconnectGivesThemBack) {
  Peer& other = world.add_peer();
  Tree theirs = other.connect();
  FileId held = other.file(theirs, u"file");
  EXPECT_EQ(other.sync().lock(theirs, held, {0, 10, kExclusive}), NtStatus::kSuccess);
  EXPECT_EQ(lock(a, 0, 10), NtStatus::kLockNotGranted);
  world.disconnect(other);
  world.run();
  EXPECT_EQ(lock(a, 0, 10), NtStatus::kSuccess);
}

TEST_F(Locks, B24TheyAreBounded) {
  uint32_t most = Limits{}.locks_per_open;
  for (uint32_t i = 0; i < most; ++i) ASSERT_EQ(lock(a, i, 1), NtStatus::kSuccess);
  EXPECT_EQ(lock(a, most, 1), NtStatus::kInsufficientResources);
  EXPECT_EQ(lock(a, 0, 1, kUnlock), NtStatus::kSuccess);
  EXPECT_EQ(lock(a, most, 1), NtStatus::kSuccess);
}

}  // namespace
}  // namespace semblance::test
