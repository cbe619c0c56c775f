// The simulated disk, fault by fault: what is lost, what is not, and that what may be lost can be.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sim/disk/outside.h"
#include "tests/sim/disk_history.h"

namespace semblance::sim::test {
namespace {

const Pick kKind = [](uint32_t) { return 0; };
const Pick kCruel = [](uint32_t bound) { return bound - 1; };

class DiskTest : public testing::Test {
 protected:
  StoreHandle open(std::string_view path, OpenWhat what = OpenWhat::kExisting) {
    const StoreResult result = disk_.execute(StoreOpen{kShare, path, what, kBoth});
    const auto* opened = std::get_if<StoreOpened>(&result.value);
    return opened == nullptr ? StoreHandle::kNone : opened->handle;
  }
  StoreError write(StoreHandle file, uint64_t offset, std::string_view data, bool through = false) {
    return disk_.execute(StoreWrite{file, offset, as_bytes(data), through}).error;
  }
  StoreError flush(StoreHandle file) { return disk_.execute(StoreFlush{file}).error; }
  // "none", or what is in it.
  std::string at(std::string_view path) {
    const auto inode = disk_.find(kShare, path);
    return inode == Disk::kNoInode ? "none" : std::string(as_text(disk_.content(inode)));
  }
  // A file that is durable.
  void durable(std::string_view path, std::string_view content) {
    ASSERT_EQ(outside_.create_file(kShare, path, as_bytes(content)), StoreError::kNone);
    disk_.sync();
  }

  Disk disk_{1, 64};
  Outside outside_{disk_};
};

std::string names(const Disk& disk) {
  std::string names;
  for (const auto& [name, inode] : disk.children(disk.root(kShare)))
    names += std::string(name) + '=' + std::string(as_text(disk.content(inode))) + ' ';
  return names;
}

using Outcomes = std::set<std::string>;

// ---- Power ----

TEST_F(DiskTest, AKillLeavesThePageCache) {
  const StoreHandle file = open("f", OpenWhat::kNewFile);
  EXPECT_EQ(write(file, 0, "text"), StoreError::kNone);
  disk_.kill();
  EXPECT_EQ(at("f"), "text");
  EXPECT_EQ(disk_.open_count(), 0u);
  EXPECT_EQ(flush(file), StoreError::kStale);
  EXPECT_NE(open("f"), file);
}

TEST_F(DiskTest, AnObjectThatOnlyAHandleKeptDiesWithTheServer) {
  durable("f", "text");
  open("f");
  EXPECT_EQ(outside_.unlink(kShare, "f"), StoreError::kNone);
  EXPECT_EQ(disk_.object_count(), 2u);
  disk_.kill();
  EXPECT_EQ(disk_.object_count(), 1u);
}

TEST_F(DiskTest, WhatWasNotFlushedCanBeLost) {
  open("f", OpenWhat::kNewFile);
  disk_.lose_power(kCruel);
  EXPECT_EQ(at("f"), "none");
}

TEST_F(DiskTest, AFlushKeepsDataAndName) {
  ASSERT_EQ(outside_.create_directory(kShare, "d"), StoreError::kNone);
  const StoreHandle file = open("d/f", OpenWhat::kNewFile);
  EXPECT_EQ(write(file, 0, "text"), StoreError::kNone);
  EXPECT_FALSE(disk_.exists_durably(kShare, "d/f"));
  EXPECT_FALSE(disk_.is_durable(disk_.inode_of(file)));
  EXPECT_EQ(flush(file), StoreError::kNone);
  EXPECT_TRUE(disk_.exists_durably(kShare, "d/f"));
  EXPECT_TRUE(disk_.is_durable(disk_.inode_of(file)));
  disk_.lose_power(kCruel);
  EXPECT_EQ(at("d/f"), "text");
}

TEST_F(DiskTest, AWriteThroughKeepsWhatItWroteOnly) {
  durable("f", std::string(1536, 'a'));
  const StoreHandle file = open("f");
  EXPECT_EQ(write(file, 0, std::string(512, 'b')), StoreError::kNone);
  EXPECT_EQ(write(file, 1024, std::string(600, 'c'), true), StoreError::kNone);
  disk_.lose_power(kCruel);
  EXPECT_EQ(at("f"), std::string(1024, 'a') + std::string(600, 'c'));
}

TEST_F(DiskTest, AttributesAndDescriptorsAreLostOneByOne) {
  const auto change = [](Disk& disk) {
    Outside(disk).create_file(kShare, "f");
    disk.sync();
    const auto file = disk.execute(StoreOpen{kShare, "f"});
    const StoreHandle handle = std::get<StoreOpened>(file.value).handle;
    disk.execute(StoreSetAttributes{handle, {}, {}, true, {true, 2, {}}});
    disk.execute(StoreWriteDescriptor{handle, as_bytes("sd")});
  };
  const auto look = [](const Disk& disk) {
    const FileStat stat = disk.stat(disk.find(kShare, "f"));
    return std::to_string(stat.dos.attributes) + (stat.has_descriptor ? "sd" : "");
  };
  EXPECT_EQ(outcomes(change, look), (Outcomes{"0", "2", "0sd", "2sd"}));
}

TEST_F(DiskTest, AWriteTearsBetweenSectors) {
  const auto change = [](Disk& disk) {
    Outside(disk).create_file(kShare, "f", as_bytes(std::string(1024, 'o')));
    disk.sync();
    Outside(disk).write(kShare, "f", 0, as_bytes(std::string(1024, 'n')));
  };
  const auto look = [](const Disk& disk) {
    const std::string data(as_text(disk.content(disk.find(kShare, "f"))));
    return std::string{data[0], data[511], data[512], data[1023]};
  };
  EXPECT_EQ(outcomes(change, look), (Outcomes{"oooo", "nnnn", "oonn", "nnoo"}));
}

TEST_F(DiskTest, ASectorThatWasWrittenTwiceHasAnyOfItsValues) {
  const auto change = [](Disk& disk) {
    Outside(disk).create_file(kShare, "f", as_bytes("1"));
    disk.sync();
    Outside(disk).write(kShare, "f", 0, as_bytes("2"));
    Outside(disk).write(kShare, "f", 0, as_bytes("3"));
  };
  EXPECT_EQ(outcomes(change, names), (Outcomes{"f=1 ", "f=2 ", "f=3 "}));
}

TEST_F(DiskTest, SizeAndDataAreLostApart) {
  const auto change = [](Disk& disk) {
    Outside(disk).create_file(kShare, "f", as_bytes("ab"));
    disk.sync();
    Outside(disk).write(kShare, "f", 2, as_bytes("c"));
  };
  const std::string zero(1, '\0');
  EXPECT_EQ(outcomes(change, names), (Outcomes{"f=ab ", "f=abc ", "f=ab" + zero + " "}));
}

TEST_F(DiskTest, ARenameIsAtomic) {
  const auto over = [](Disk& disk) {
    Outside(disk).create_file(kShare, "a", as_bytes("A"));
    Outside(disk).create_file(kShare, "b", as_bytes("B"));
    disk.sync();
    Outside(disk).rename(kShare, "a", "b");
  };
  EXPECT_EQ(outcomes(over, names), (Outcomes{"a=A b=B ", "b=A "}));
  const auto twice = [](Disk& disk) {
    Outside(disk).create_file(kShare, "a", as_bytes("A"));
    disk.sync();
    Outside(disk).rename(kShare, "a", "b");
    Outside(disk).create_file(kShare, "a");
    Outside(disk).rename(kShare, "b", "c");
  };
  EXPECT_EQ(outcomes(twice, names), (Outcomes{"a=A ", "b=A ", "a= b=A ", "c=A ", "a= c=A "}));
}

TEST_F(DiskTest, ALinkAndARemovalNeverLoseTheFileTogether) {
  const auto change = [](Disk& disk) {
    Outside(disk).create_file(kShare, "a", as_bytes("A"));
    disk.sync();
    Outside(disk).link(kShare, "a", "b");
    Outside(disk).unlink(kShare, "a");
  };
  EXPECT_EQ(outcomes(change, names), (Outcomes{"a=A ", "a=A b=A ", "b=A "}));
}

TEST_F(DiskTest, ADirectoryThatWasNeverMadeHasNoChildren) {
  ASSERT_EQ(outside_.create_directory(kShare, "d"), StoreError::kNone);
  ASSERT_EQ(outside_.create_file(kShare, "d/f"), StoreError::kNone);
  uint32_t asked = 0;
  disk_.lose_power([&](uint32_t) { return asked++ == 0 ? 1 : 0; });
  EXPECT_EQ(disk_.object_count(), 1u);
}

TEST_F(DiskTest, ARemovedFileComesBackWithItsContent) {
  durable("f", "text");
  disk_.set_capacity(8192);
  ASSERT_EQ(outside_.unlink(kShare, "f"), StoreError::kNone);
  disk_.lose_power(kCruel);
  EXPECT_EQ(at("f"), "text");
  const StoreResult fs = disk_.execute(StoreFsStat{kShare});
  EXPECT_EQ(std::get<FsStat>(fs.value).free_bytes, 4096u);
}

TEST_F(DiskTest, DirectoriesThatMoveIntoEachOtherMakeNoCycle) {
  const auto change = [](Disk& disk) {
    Outside(disk).create_directory(kShare, "a");
    Outside(disk).create_directory(kShare, "a/b");
    disk.sync();
    Outside(disk).rename(kShare, "a/b", "b");
    Outside(disk).rename(kShare, "a", "b/a");
  };
  EXPECT_EQ(outcomes(change, names), (Outcomes{"a= ", "a= b= ", "b= "}));
}

// ---- Errors ----

TEST_F(DiskTest, EveryOperationButCloseCanFail) {
  EXPECT_TRUE(Disk::errors_of(StoreClose{}).empty());
  const StoreOperation all[] = {StoreOpen{},          StoreStat{},           StoreStatAt{},
                                StoreStatPath{},      StoreRead{},           StoreWrite{},
                                StoreFlush{},         StoreTruncate{},       StoreAllocate{},
                                StoreSetAttributes{}, StoreReadDescriptor{}, StoreWriteDescriptor{},
                                StoreReadDirectory{}, StoreRename{},         StoreLink{},
                                StoreUnlink{},        StoreFsStat{}};
  EXPECT_EQ(std::size(all) + 1, kStoreOperationKinds);
  for (const StoreOperation& operation : all) {
    const auto errors = Disk::errors_of(operation);
    EXPECT_FALSE(errors.empty());
    std::set<StoreError> once(errors.begin(), errors.end());
    EXPECT_EQ(once.size(), errors.size()) << store_operation_name(operation.index());
    EXPECT_FALSE(once.contains(StoreError::kNone));
    for (const StoreError error : errors)
      EXPECT_EQ(disk_.fail(operation, error, kCruel).error, error);
  }
  EXPECT_EQ(disk_.object_count(), 1u);
}

TEST_F(DiskTest, AFailedWriteHasStoredSomeFirstSectors) {
  const std::string old(1500, 'o'), fresh(1500, 'n');
  for (uint32_t sectors = 0; sectors <= 3; sectors++) {
    Disk disk;
    Outside(disk).create_file(kShare, "f", as_bytes(old));
    const StoreResult file = disk.execute(StoreOpen{kShare, "f", OpenWhat::kExisting, kBoth});
    const StoreWrite write = {std::get<StoreOpened>(file.value).handle, 0, as_bytes(fresh)};
    const Pick some = [&](uint32_t bound) {
      EXPECT_EQ(bound, 4u);
      return sectors;
    };
    EXPECT_EQ(disk.fail(write, StoreError::kIo, some).error, StoreError::kIo);
    const size_t done = std::min<size_t>(sectors * 512, 1500);
    EXPECT_EQ(as_text(disk.content(disk.find(kShare, "f"))),
              fresh.substr(0, done) + old.substr(done));
  }
}

TEST_F(DiskTest, AFailedFlushIsNotMadeGoodByALaterOne) {
  durable("f", "old");
  const StoreHandle file = open("f");
  write(file, 0, "new");
  const Pick forget = [](uint32_t) { return 1; };
  EXPECT_EQ(disk_.fail(StoreFlush{file}, StoreError::kIo, forget).error, StoreError::kIo);
  EXPECT_EQ(flush(file), StoreError::kNone);
  EXPECT_FALSE(disk_.is_durable(disk_.inode_of(file)));
  disk_.lose_power(kCruel);
  EXPECT_EQ(at("f"), "old");
}

TEST_F(DiskTest, WhatIsRewrittenAfterAFailedFlushCanBeFlushed) {
  durable("f", "old");
  const StoreHandle file = open("f");
  write(file, 0, "new");
  disk_.fail(StoreFlush{file}, StoreError::kIo, [](uint32_t) { return 1; });
  write(file, 0, "n");
  EXPECT_EQ(flush(file), StoreError::kNone);
  EXPECT_TRUE(disk_.is_durable(disk_.inode_of(file)));
  disk_.lose_power(kCruel);
  EXPECT_EQ(at("f"), "new");
}

TEST_F(DiskTest, AFailedFlushMayHaveLeftAllAsItWas) {
  durable("f", "old");
  const StoreHandle file = open("f");
  write(file, 0, "new");
  disk_.fail(StoreFlush{file}, StoreError::kIo, kKind);
  EXPECT_FALSE(disk_.is_durable(disk_.inode_of(file)));
  EXPECT_EQ(flush(file), StoreError::kNone);
  disk_.lose_power(kCruel);
  EXPECT_EQ(at("f"), "new");
}

TEST_F(DiskTest, AFullDiskTakesWhatFits) {
  disk_.set_capacity(8192);
  const StoreHandle file = open("f", OpenWhat::kNewFile);
  EXPECT_EQ(write(file, 4000, std::string(8192, 'x')), StoreError::kNoSpace);
  EXPECT_EQ(disk_.stat(disk_.inode_of(file)).size, 8192u);
  EXPECT_EQ(write(file, 8192, "y"), StoreError::kNoSpace);
  EXPECT_EQ(write(file, 0, "in place"), StoreError::kNone);
  EXPECT_EQ(disk_.execute(StoreAllocate{file, 8193}).error, StoreError::kNoSpace);
  disk_.set_capacity(12288);
  EXPECT_EQ(write(file, 8192, "y"), StoreError::kNone);
  disk_.set_capacity(0);
  EXPECT_EQ(write(file, 12288, "z"), StoreError::kNoSpace);
  EXPECT_EQ(disk_.execute(StoreTruncate{file, 0}).error, StoreError::kNone);
  disk_.set_capacity(4096);
  EXPECT_EQ(write(file, 0, "z"), StoreError::kNone);
}

// ---- Looking, and the outside actor ----

TEST_F(DiskTest, TellsWhereThingsAre) {
  outside_.create_directory(kShare, "d");
  outside_.create_file(kShare, "d/f", as_bytes("text"));
  const auto file = disk_.find(kShare, "d/f");
  EXPECT_EQ(disk_.inode_of(open("d/f")), file);
  EXPECT_EQ(disk_.path_of(file)->second, "d/f");
  EXPECT_EQ(disk_.path_of(disk_.root(kShare))->second, "");
  outside_.link(kShare, "d/f", "g");
  EXPECT_FALSE(disk_.path_of(file).has_value());
  outside_.unlink(kShare, "g");
  EXPECT_EQ(disk_.path_of(file)->second, "d/f");
  outside_.unlink(kShare, "d/f");
  EXPECT_FALSE(disk_.path_of(file).has_value());
  EXPECT_TRUE(disk_.lives(file));
  EXPECT_EQ(disk_.inodes().size(), 3u);
}

TEST_F(DiskTest, EqualTreesHaveEqualHashes) {
  Disk other;
  Outside hands(other);
  hands.create_file(kShare, "passing");
  hands.create_file(kShare, "b", as_bytes("B"));
  hands.create_file(kShare, "a", as_bytes("A"));
  hands.unlink(kShare, "passing");
  outside_.create_file(kShare, "a", as_bytes("A"));
  EXPECT_NE(disk_.content_hash(), other.content_hash());
  outside_.create_file(kShare, "b", as_bytes("B"));
  EXPECT_EQ(disk_.content_hash(), other.content_hash());
  outside_.set_modified(kShare, "a", {7});
  EXPECT_NE(disk_.content_hash(), other.content_hash());
}

TEST_F(DiskTest, TheOutsideActorWorksAsALocalProcess) {
  EXPECT_EQ(outside_.create_file(kShare, "f", as_bytes("one")), StoreError::kNone);
  EXPECT_EQ(outside_.create_file(kShare, "f"), StoreError::kExists);
  EXPECT_EQ(outside_.write(kShare, "x", 0, as_bytes("x")), StoreError::kNotFound);
  EXPECT_EQ(outside_.write(kShare, "f", 3, as_bytes("two")), StoreError::kNone);
  EXPECT_EQ(outside_.truncate(kShare, "f", 5), StoreError::kNone);
  EXPECT_EQ(at("f"), "onetw");
  const StoreHandle before = open("f");
  EXPECT_EQ(outside_.replace(kShare, "f", as_bytes("fresh")), StoreError::kNone);
  EXPECT_EQ(at("f"), "fresh");
  EXPECT_NE(disk_.inode_of(before), disk_.find(kShare, "f"));
  EXPECT_EQ(outside_.create_symlink(kShare, "out", "/etc/passwd"), StoreError::kNone);
  EXPECT_EQ(outside_.write(kShare, "out", 0, as_bytes("x")), StoreError::kEscapes);
  EXPECT_EQ(disk_.execute(StoreOpen{kShare, "out"}).error, StoreError::kEscapes);
  EXPECT_EQ(outside_.create_directory(kShare, "d"), StoreError::kNone);
  EXPECT_EQ(outside_.create_symlink(kShare, "d/up", "../.."), StoreError::kNone);
  EXPECT_EQ(outside_.create_file(kShare, "d/up/x"), StoreError::kEscapes);
  EXPECT_EQ(outside_.remove_directory(kShare, "d"), StoreError::kNotEmpty);
  EXPECT_EQ(outside_.unlink(kShare, "d/up"), StoreError::kNone);
  EXPECT_EQ(outside_.remove_directory(kShare, "d"), StoreError::kNone);
  // Two names of one file: rename(2) does nothing.
  EXPECT_EQ(outside_.link(kShare, "f", "g"), StoreError::kNone);
  EXPECT_EQ(outside_.rename(kShare, "f", "g"), StoreError::kNone);
  EXPECT_EQ(at("f"), "fresh");
  EXPECT_EQ(outside_.fsync(kShare, "f"), StoreError::kNone);
  EXPECT_TRUE(disk_.exists_durably(kShare, "g"));
}

}  // namespace
}  // namespace semblance::sim::test
