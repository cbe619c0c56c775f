// Oracles judged by histories made by hand: each of these breaks one rule, and is reported; the
// same without the break is not.

#include <gtest/gtest.h>

#include "sim/disk/outside.h"
#include "sim/oracles/durability.h"
#include "sim/oracles/listing.h"
#include "sim/oracles/locks.h"
#include "sim/oracles/names.h"

namespace semblance::sim::test {
namespace {

constexpr ShareId kShare{0};
constexpr uint32_t kTree = 7;
constexpr size_t kHeader = 64;

class Body {
 public:
  Body& put(size_t at, uint64_t number, size_t size) {
    bytes_.resize(std::max(bytes_.size(), kHeader + at + size));
    for (size_t i = 0; i < size; ++i)
      bytes_[kHeader + at + i] = static_cast<uint8_t>(number >> (8 * i));
    return *this;
  }
  Body& text(size_t at, std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) put(at + 2 * i, static_cast<uint8_t>(text[i]), 2);
    return *this;
  }
  Body& raw(size_t at, std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) put(at + i, static_cast<uint8_t>(text[i]), 1);
    return *this;
  }
  std::vector<uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kHeader + 48);
};

// One client's requests and answers as the witness would tell them, on a disk that does what it is
// told: what the server should have done is done by the test, or not.
class OracleTest : public testing::Test {
 protected:
  OracleTest() : book_(failures_, scheduler_, disk_) {
    all_ = {&book_, &locks_, &names_, &listing_, &durability_};
    outside_.create_file(kShare, "a", as_bytes(std::string(1000, 'a')));
    outside_.create_directory(kShare, "dir");
    disk_.sync();
    Body tree;
    tree.put(4, kHeader + 8, 2).put(6, 8, 2).text(8, "data");
    ExchangePtr connect = request(kCmdTreeConnect, tree);
    connect->response.tree_id = kTree;
    answer(connect, kOk);
  }

  ExchangePtr request(uint16_t command, const Body& body, FileRef file = {}) {
    auto exchange = std::make_shared<Exchange>();
    exchange->number = ++number_;
    exchange->connection = {0, 1};
    exchange->received = scheduler_.now();
    exchange->request.command = command;
    exchange->request.bytes = body.bytes();
    exchange->session_id = 1;
    exchange->tree_id = kTree;
    exchange->file = file;
    exchange->has_file = file != FileRef{};
    for (Oracle* oracle : all_) oracle->requested(exchange);
    return exchange;
  }
  void answer(const ExchangePtr& exchange, uint32_t status, const Body& body = {}) {
    exchange->answered = true;
    exchange->response.command = exchange->request.command;
    exchange->response.status = status;
    exchange->response.bytes = body.bytes();
    for (Oracle* oracle : all_) oracle->answered(exchange);
  }
  StoreResult apply(const StoreOperation& what) {
    StoreResult result = disk_.execute(what);
    for (Oracle* oracle : all_) oracle->applied({}, what, result, false);
    return result;
  }
  void crash(const Pick& pick) {
    disk_.lose_power(pick);
    for (Oracle* oracle : all_) oracle->crashed(CrashKind::kPowerLoss);
  }

  ExchangePtr ask_create(std::string_view name, uint32_t disposition = 3, uint32_t share = 7) {
    Body body;
    body.put(24, 0x1F01FF, 4).put(32, share, 4).put(36, disposition, 4);
    body.put(44, kHeader + 56, 2).put(46, 2 * name.size(), 2).text(56, name);
    return request(kCmdCreate, body);
  }
  void answer_create(const ExchangePtr& exchange, uint64_t action, bool directory = false) {
    exchange->file = {number_, number_};
    exchange->has_file = true;
    answer(exchange, kOk, Body().put(4, action, 4).put(56, directory ? 0x10 : 0x80, 4));
  }
  // A handle, and the disk's.
  FileRef open(std::string_view name, bool directory = false) {
    ExchangePtr create = ask_create(name);
    StoreResult opened = apply(
        StoreOpen{kShare, name, OpenWhat::kExisting, static_cast<uint8_t>(kOpenRead | kOpenWrite)});
    handle_ = std::get<StoreOpened>(opened.value).handle;
    answer_create(create, 1, directory);
    return create->file;
  }
  static Body lock_body(uint64_t offset, uint64_t length, uint32_t flags) {
    return Body().put(2, 1, 2).put(24, offset, 8).put(32, length, 8).put(40, flags, 4);
  }
  void lock(FileRef file, uint64_t offset, uint64_t length, uint32_t flags, uint32_t status) {
    answer(request(kCmdLock, lock_body(offset, length, flags), file), status);
  }
  void io(uint16_t command, FileRef file, uint64_t offset, uint64_t length, uint32_t status) {
    answer(request(command, Body().put(4, length, 4).put(8, offset, 8), file), status);
  }
  ExchangePtr ask_list(FileRef file, uint8_t flags = 0) {
    Body body;
    body.put(2, 1, 1).put(3, flags, 1).put(24, kHeader + 32, 2).put(26, 2, 2).text(32, "*");
    return request(kCmdQueryDirectory, body, file);
  }
  static Body listed(std::string_view name, uint64_t size) {
    Body body;
    body.put(2, kHeader + 8, 2).put(4, 64 + 2 * name.size(), 4);
    body.put(8 + 40, size, 8).put(8 + 56, 0x20, 4).put(8 + 60, 2 * name.size(), 4);
    return body.text(8 + 64, name);
  }

  std::string verdict() const { return failures_.first() ? failures_.first()->oracle : ""; }

  Scheduler scheduler_;
  Failures failures_{scheduler_};
  Disk disk_;
  Outside outside_{disk_};
  Book book_;
  LockOracle locks_{failures_, book_};
  NameOracle names_{failures_, book_};
  ListingOracle listing_{failures_, book_};
  DurabilityOracle durability_{failures_, book_};
  std::vector<Oracle*> all_;
  uint64_t number_ = 0;
  StoreHandle handle_{};
};

// ---- Locks --------------------------------------------------------------------------------------

constexpr uint32_t kShared = 0x11, kExclusive = 0x12, kUnlock = 4;

TEST_F(OracleTest, LocksThatKeepTheRulesAreNotReported) {
  FileRef one = open("a"), two = open("a");
  lock(one, 0, 10, kExclusive, kOk);
  lock(two, 5, 10, kShared, kStatusLockNotGranted);
  io(kCmdRead, two, 0, 100, kStatusFileLockConflict);
  io(kCmdWrite, one, 0, 5, kOk);
  lock(one, 0, 10, kUnlock, kOk);
  lock(one, 0, 10, kUnlock, kStatusRangeNotLocked);
  lock(two, 5, 10, kShared, kOk);
  EXPECT_EQ(verdict(), "");
}
TEST_F(OracleTest, ALockGrantedOverAnotherIsReported) {
  FileRef one = open("a"), two = open("a");
  lock(one, 0, 10, kExclusive, kOk);
  lock(two, 5, 10, kShared, kOk);
  EXPECT_EQ(verdict(), "locks");
}
TEST_F(OracleTest, AReadThroughAnExclusiveLockIsReported) {
  FileRef one = open("a"), two = open("a");
  lock(one, 0, 10, kExclusive, kOk);
  io(kCmdRead, two, 5, 100, kOk);
  EXPECT_EQ(verdict(), "locks");
}
TEST_F(OracleTest, AWriteThroughOnesOwnSharedLockIsReported) {
  FileRef one = open("a");
  lock(one, 0, 10, kShared, kOk);
  io(kCmdWrite, one, 5, 100, kOk);
  EXPECT_EQ(verdict(), "locks");
}
TEST_F(OracleTest, ALockThatOutlivesItsUnlockIsReported) {
  FileRef one = open("a"), two = open("a");
  lock(one, 0, 10, kExclusive, kOk);
  lock(one, 0, 10, kUnlock, kOk);
  lock(two, 5, 10, kShared, kStatusLockNotGranted);
  EXPECT_EQ(verdict(), "locks");
}
TEST_F(OracleTest, ARefusedUnlockOfWhatIsLockedIsReported) {
  FileRef one = open("a");
  lock(one, 0, 10, kExclusive, kOk);
  lock(one, 0, 10, kUnlock, kStatusRangeNotLocked);
  EXPECT_EQ(verdict(), "locks");
}
TEST_F(OracleTest, AnUnlockOfNothingThatSucceedsIsReported) {
  FileRef one = open("a");
  lock(one, 0, 10, kUnlock, kOk);
  EXPECT_EQ(verdict(), "locks");
}

// ---- Durability ---------------------------------------------------------------------------------

TEST_F(OracleTest, AFlushThatFlushesSurvives) {
  FileRef file = open("a");
  std::string data(600, 'x');
  apply(StoreWrite{handle_, 0, as_bytes(data)});
  ExchangePtr flush = request(kCmdFlush, {}, file);
  apply(StoreFlush{handle_});
  answer(flush, kOk);
  std::string later(100, 'y');
  apply(StoreWrite{handle_, 100, as_bytes(later)});
  crash([](uint32_t bound) { return bound - 1; });
  EXPECT_EQ(verdict(), "");
}
TEST_F(OracleTest, AFlushAnsweredWithoutFlushingIsReported) {
  FileRef file = open("a");
  std::string data(600, 'x');
  apply(StoreWrite{handle_, 0, as_bytes(data)});
  answer(request(kCmdFlush, {}, file), kOk);
  crash([](uint32_t bound) { return bound - 1; });
  EXPECT_EQ(verdict(), "durability");
}
TEST_F(OracleTest, AWriteThroughKeptInTheCacheIsReported) {
  FileRef file = open("a");
  std::string data(600, 'x');
  Body body;
  body.put(2, kHeader + 48, 2).put(4, data.size(), 4).put(44, 1, 4).raw(48, data);
  ExchangePtr write = request(kCmdWrite, body, file);
  apply(StoreWrite{handle_, 0, as_bytes(data)});
  answer(write, kOk);
  crash([](uint32_t bound) { return bound - 1; });
  EXPECT_EQ(verdict(), "durability");
}

// ---- Names --------------------------------------------------------------------------------------

TEST_F(OracleTest, NamesSaidAsTheyAreAreNotReported) {
  answer(ask_create("missing", 1), kStatusObjectNameNotFound);
  answer(ask_create("missing\\x", 1), kStatusObjectPathNotFound);
  answer(ask_create("A", 2), kStatusObjectNameCollision);
  answer(ask_create("dir"), kStatusFileIsADirectory);
  answer_create(ask_create("A"), 1);
  EXPECT_EQ(verdict(), "");
}
TEST_F(OracleTest, NotFindingWhatIsThereIsReported) {
  answer(ask_create("A", 1), kStatusObjectNameNotFound);
  EXPECT_EQ(verdict(), "names");
}
TEST_F(OracleTest, APathNotFoundWhereTheDirectoryIsThereIsReported) {
  answer(ask_create("dir\\x", 1), kStatusObjectPathNotFound);
  EXPECT_EQ(verdict(), "names");
}
TEST_F(OracleTest, ACollisionWithNothingIsReported) {
  answer(ask_create("missing", 2), kStatusObjectNameCollision);
  EXPECT_EQ(verdict(), "names");
}
TEST_F(OracleTest, CreatingWhatIsThereIsReported) {
  answer_create(ask_create("a"), 2);
  EXPECT_EQ(verdict(), "names");
}
TEST_F(OracleTest, CallingAFileADirectoryIsReported) {
  answer(ask_create("a"), kStatusFileIsADirectory);
  EXPECT_EQ(verdict(), "names");
}
TEST_F(OracleTest, ASharingViolationWithNobodyIsReported) {
  open("a");
  answer(ask_create("a", 3, 7), kStatusSharingViolation);
  EXPECT_EQ(verdict(), "names");
}
TEST_F(OracleTest, ASharingViolationWithSomebodyIsNot) {
  open("a");
  answer(ask_create("a", 3, 1), kStatusSharingViolation);
  EXPECT_EQ(verdict(), "");
}
TEST_F(OracleTest, ARenameThatDidNotHappenIsReported) {
  FileRef file = open("a");
  Body body;
  body.put(2, 1, 1).put(3, 10, 1).put(8, kHeader + 32, 2);
  body.put(32 + 16, 2, 4).text(32 + 20, "b");
  answer(request(kCmdSetInfo, body, file), kOk);
  EXPECT_EQ(verdict(), "names");
}

// ---- Listings -----------------------------------------------------------------------------------

TEST_F(OracleTest, AWholeListingIsNotReported) {
  outside_.create_file(kShare, "dir/x", as_bytes(std::string("four")));
  FileRef directory = open("dir", true);
  answer(ask_list(directory), kOk, listed("x", 4));
  answer(ask_list(directory), kStatusNoMoreFiles);
  EXPECT_EQ(verdict(), "");
}
TEST_F(OracleTest, AListingThatEndsTooEarlyIsReported) {
  outside_.create_file(kShare, "dir/x");
  outside_.create_file(kShare, "dir/y");
  FileRef directory = open("dir", true);
  answer(ask_list(directory), kOk, listed("x", 0));
  answer(ask_list(directory), kStatusNoMoreFiles);
  EXPECT_EQ(verdict(), "listing");
}
TEST_F(OracleTest, ANameThatNeverWasIsReported) {
  FileRef directory = open("dir", true);
  answer(ask_list(directory), kOk, listed("ghost", 0));
  EXPECT_EQ(verdict(), "listing");
}
TEST_F(OracleTest, ANameListedTwiceIsReported) {
  outside_.create_file(kShare, "dir/x");
  FileRef directory = open("dir", true);
  answer(ask_list(directory), kOk, listed("x", 0));
  answer(ask_list(directory), kOk, listed("x", 0));
  EXPECT_EQ(verdict(), "listing");
}
TEST_F(OracleTest, ASizeThatNeverWasIsReported) {
  outside_.create_file(kShare, "dir/x", as_bytes(std::string("four")));
  FileRef directory = open("dir", true);
  answer(ask_list(directory), kOk, listed("x", 5));
  EXPECT_EQ(verdict(), "listing");
}

}  // namespace
}  // namespace semblance::sim::test
