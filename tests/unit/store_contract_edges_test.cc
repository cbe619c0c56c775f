// The contract of stores: where kernels and a simulated disk could disagree. Names that change
// under open handles, directories that change under their reader, holes, links, times.

#include <functional>

#include "tests/unit/store_contract.h"

namespace semblance::test {
namespace {

constexpr FileTime kLongAgo = FileTime::from_unix(1'000'000'000, 0);

TEST_P(StoreContract, AnOpenFileOutlivesARenameOverIt) {
  make_file("old", "the old one");
  make_file("new", "the new one");
  const StoreHandle old_file = open("old"), new_file = open("new");
  EXPECT_EQ(error(StoreRename{kShare, "new", "old", true}), StoreError::kNone);
  EXPECT_EQ(stat(old_file).links, 0u);
  EXPECT_EQ(stat(new_file).links, 1u);
  EXPECT_EQ(read(old_file), "the old one");
  EXPECT_EQ(write(old_file, 0, "THE"), 3u);
  EXPECT_EQ(content("old"), "the new one");
  EXPECT_EQ(write(new_file, 0, "THE"), 3u);
  EXPECT_EQ(content("old"), "THE new one");
  EXPECT_EQ(error(StoreFlush{old_file}), StoreError::kNone);
  close(new_file);
  close(old_file);
}

TEST_P(StoreContract, AnUnlinkedFileIsStillAFile) {
  const StoreHandle file = open("f", OpenWhat::kNewFile);
  EXPECT_EQ(write(file, 0, "text"), 4u);
  const FileKey key = stat(file).key;
  EXPECT_EQ(error(StoreUnlink{kShare, "f"}), StoreError::kNone);
  EXPECT_EQ(stat(file).key, key);
  EXPECT_EQ(stat(file).size, 4u);
  EXPECT_EQ(error(StoreTruncate{file, 2}), StoreError::kNone);
  EXPECT_EQ(read(file), "te");
  EXPECT_EQ(error(StoreAllocate{file, 100'000}), StoreError::kNone);
  EXPECT_EQ(error(StoreSetAttributes{file, {}, kLongAgo}), StoreError::kNone);
  EXPECT_EQ(stat(file).modified, kLongAgo);
  const StoreError set = error(StoreWriteDescriptor{file, as_bytes("opaque")});
  EXPECT_TRUE(set == StoreError::kNone || set == StoreError::kNotSupported);
  EXPECT_EQ(error(StoreFlush{file}), StoreError::kNone);
  close(file);
}

TEST_P(StoreContract, HandlesFollowRenamedDirectories) {
  make_directory("d");
  make_directory("d/e");
  make_file("d/e/f", "text");
  const StoreHandle directory = open("d/e"), file = open("d/e/f");
  EXPECT_EQ(error(StoreRename{kShare, "d/e", "moved"}), StoreError::kNone);
  EXPECT_EQ(read(file), "text");
  EXPECT_EQ(error(StoreStatAt{directory, "f"}), StoreError::kNone);
  EXPECT_EQ(error(StoreUnlink{kShare, "d", FileKind::kDirectory}), StoreError::kNone);
  EXPECT_EQ(listing(directory).size(), 1u);
  EXPECT_EQ(exists("d/e/f"), StoreError::kNotDirectory);
  EXPECT_EQ(content("moved/f"), "text");
  close(directory);
  close(file);
}

TEST_P(StoreContract, ARemovedDirectoryTakesNoNames) {
  make_directory("d");
  make_directory("other");
  make_file("f");
  const StoreHandle directory = open("d");
  EXPECT_EQ(error(StoreRename{kShare, "other", "d", true}), StoreError::kNone);
  // The name means the other one now.
  make_file("d/x");
  EXPECT_EQ(error(StoreStatAt{directory, "x"}), StoreError::kNotFound);
  std::vector<uint8_t> memory(4096);
  EXPECT_EQ(error(StoreReadDirectory{directory, 0, memory}), StoreError::kNotFound);
  close(directory);
}

// POSIX: whatever was there from the first batch to the last is reported, and once.
TEST_P(StoreContract, ADirectoryThatChangesUnderItsReaderLosesNothingThatStays) {
  for (int i = 0; i < 60; i++) make_file("stays-" + std::to_string(i));
  for (int i = 0; i < 60; i++) make_file("goes-" + std::to_string(i));
  const StoreHandle root = open("", OpenWhat::kExisting, kOpenRead);
  std::map<std::string, int> seen;
  uint64_t position = 0;
  for (int i = 0; i < 60; i++) {
    const auto some = batch(root, position, 512);
    if (some.empty()) break;
    for (const auto& [name, next] : some) seen[name]++;
    position = some.back().second;
    EXPECT_EQ(error(StoreUnlink{kShare, "goes-" + std::to_string(i)}), StoreError::kNone);
    if (i % 3 == 0) make_file("comes-" + std::to_string(i));
  }
  for (int i = 0; i < 60; i++) EXPECT_EQ(seen["stays-" + std::to_string(i)], 1) << i;
  for (const auto& [name, times] : seen) EXPECT_LE(times, 1) << name;
  close(root);
}

TEST_P(StoreContract, StartsADirectoryOver) {
  make_file("a");
  const StoreHandle root = open("", OpenWhat::kExisting, kOpenRead);
  EXPECT_EQ(listing(root).size(), 1u);
  make_file("b");
  EXPECT_EQ(error(StoreUnlink{kShare, "a"}), StoreError::kNone);
  EXPECT_EQ(listing(root), (std::map<std::string, int>{{"b", 1}}));
  close(root);
}

TEST_P(StoreContract, HolesAndWhatIsBehindTheEndReadAsZeroes) {
  const StoreHandle file = open("f", OpenWhat::kNewFile);
  const std::string ones(5000, '1');
  EXPECT_EQ(write(file, 0, ones), 5000u);
  // What was cut off never comes back, in the middle of a block either.
  for (const uint64_t cut : {4097u, 4096u, 700u, 512u, 0u}) {
    EXPECT_EQ(error(StoreTruncate{file, cut}), StoreError::kNone);
    EXPECT_EQ(error(StoreTruncate{file, 6000}), StoreError::kNone);
    EXPECT_TRUE(read(file, 0, 7000) == ones.substr(0, cut) + std::string(6000 - cut, '\0')) << cut;
    EXPECT_EQ(error(StoreTruncate{file, cut}), StoreError::kNone);
    EXPECT_EQ(write(file, 6000, "x"), 1u);
    EXPECT_TRUE(read(file, 0, 7000) == ones.substr(0, cut) + std::string(6000 - cut, '\0') + 'x')
        << cut;
  }
  // Room behind the end is not content.
  EXPECT_EQ(error(StoreTruncate{file, 10}), StoreError::kNone);
  EXPECT_EQ(error(StoreAllocate{file, 10'000}), StoreError::kNone);
  EXPECT_EQ(stat(file).size, 10u);
  EXPECT_EQ(write(file, 9000, "x"), 1u);
  EXPECT_TRUE(read(file, 0, 10'000) == std::string(9000, '\0') + 'x');
  close(file);
}

TEST_P(StoreContract, CountsTheNamesOfAFile) {
  make_file("a", "text");
  make_directory("d");
  const StoreHandle file = open("a");
  const auto links = [&] { return stat(file).links; };
  EXPECT_EQ(links(), 1u);
  EXPECT_EQ(error(StoreLink{file, kShare, "b"}), StoreError::kNone);
  EXPECT_EQ(error(StoreLink{file, kShare, "d/c"}), StoreError::kNone);
  EXPECT_EQ(links(), 3u);
  EXPECT_EQ(error(StoreRename{kShare, "b", "d/b"}), StoreError::kNone);
  EXPECT_EQ(links(), 3u);
  EXPECT_EQ(error(StoreRename{kShare, "d/b", "d/c", true}), StoreError::kNone);
  EXPECT_EQ(links(), 2u);
  EXPECT_EQ(exists("d/b"), StoreError::kNotFound);
  make_file("other");
  EXPECT_EQ(error(StoreRename{kShare, "other", "a", true}), StoreError::kNone);
  EXPECT_EQ(links(), 1u);
  EXPECT_EQ(content("d/c"), "text");
  EXPECT_EQ(error(StoreUnlink{kShare, "d/c"}), StoreError::kNone);
  EXPECT_EQ(links(), 0u);
  close(file);
}

TEST_P(StoreContract, LinksNeitherSymbolicLinksNorDirectoriesIntoBeing) {
  make_file("f", "text");
  world_->symlink("l", "f");
  const StoreHandle file = open("l");
  EXPECT_EQ(error(StoreLink{file, kShare, "g"}), StoreError::kNone);
  EXPECT_EQ(error(StoreLink{file, kShare, "l"}), StoreError::kExists);
  EXPECT_EQ(stat(file).links, 2u);
  // A link whose file goes away leads nowhere, and is still a name.
  EXPECT_EQ(error(StoreUnlink{kShare, "f"}), StoreError::kNone);
  EXPECT_EQ(error(StoreOpen{kShare, "l"}), StoreError::kNotFound);
  EXPECT_EQ(error(StoreOpen{kShare, "l", OpenWhat::kNewFile, kBoth}), StoreError::kExists);
  EXPECT_EQ(error(StoreRename{kShare, "g", "l", true}), StoreError::kNone);
  EXPECT_EQ(content("l"), "text");
  close(file);
}

// ---- Times --------------------------------------------------------------------------------------

struct Moved {
  bool modified, changed;
  bool operator==(const Moved&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Moved& moved) {
  return out << (moved.modified ? "modified " : "") << (moved.changed ? "changed" : "");
}

class StoreTimes : public StoreContract {
 protected:
  // Which times of the object behind `handle` move when `change` happens.
  Moved moved(StoreHandle handle, const std::function<void()>& change) {
    world_->later();
    EXPECT_EQ(error(StoreSetAttributes{handle, {}, kLongAgo}), StoreError::kNone);
    const FileStat before = stat(handle);
    world_->later();
    change();
    const FileStat after = stat(handle);
    EXPECT_EQ(after.created, before.created);
    return {after.modified != before.modified, after.changed != before.changed};
  }
  Moved moved(StoreHandle handle, const StoreOperation& operation) {
    return moved(handle, [&] { EXPECT_EQ(error(operation), StoreError::kNone); });
  }

  static constexpr Moved kBothTimes = {true, true}, kChanged = {false, true}, kNothing = {};
};

INSTANTIATE_TEST_SUITE_P(Stores, StoreTimes,
                         testing::Values("memory", "simulated", "tmpfs", "disk", "ext4", "xfs",
                                         "btrfs"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(StoreTimes, OfAFile) {
  make_file("f", "text");
  const StoreHandle file = open("f");
  uint8_t byte[1];
  EXPECT_EQ(moved(file, StoreWrite{file, 0, as_bytes("T")}), kBothTimes);
  EXPECT_EQ(moved(file, StoreWrite{file, 0, as_bytes("T"), true}), kBothTimes);
  EXPECT_EQ(moved(file, StoreWrite{file, 0, {}}), kNothing);
  EXPECT_EQ(moved(file, StoreRead{file, 0, byte}), kNothing);
  EXPECT_EQ(moved(file, StoreFlush{file}), kNothing);
  EXPECT_EQ(moved(file, StoreTruncate{file, 2}), kBothTimes);
  EXPECT_EQ(moved(file, StoreTruncate{file, 2}), kBothTimes);
  EXPECT_EQ(moved(file, StoreTruncate{file, 100}), kBothTimes);
  EXPECT_EQ(moved(file, StoreStat{file}), kNothing);
  EXPECT_EQ(moved(file, StoreLink{file, kShare, "g"}), kChanged);
  EXPECT_EQ(moved(file, StoreRename{kShare, "f", "h"}), kChanged);
  EXPECT_EQ(moved(file, StoreUnlink{kShare, "g"}), kChanged);
  EXPECT_EQ(moved(file, StoreSetAttributes{file, kLongAgo, {}}), kChanged);
  make_file("over");
  EXPECT_EQ(moved(file, StoreRename{kShare, "over", "h", true}), kChanged);
  EXPECT_EQ(moved(file, StoreAllocate{file, 50'000}), kBothTimes);
  EXPECT_EQ(moved(file, StoreAllocate{file, 0}), kNothing);
  close(file);
}

TEST_P(StoreTimes, OfWhatIsKeptBesideAnObject) {
  const auto fs = std::get<FsStat>(run(StoreFsStat{kShare}).value);
  if (!fs.keeps_attributes) GTEST_SKIP() << "no user attributes here";
  make_file("f");
  const StoreHandle file = open("f");
  EXPECT_EQ(moved(file, StoreSetAttributes{file, {}, {}, true, {true, 2, {}}}), kChanged);
  EXPECT_EQ(moved(file, StoreWriteDescriptor{file, as_bytes("opaque")}), kChanged);
  close(file);
}

TEST_P(StoreTimes, OfADirectory) {
  make_directory("d");
  make_directory("other");
  make_file("f");
  const StoreHandle directory = open("d"), other = open("other");
  EXPECT_EQ(moved(directory, [&] { make_file("d/a"); }), kBothTimes);
  EXPECT_EQ(moved(directory, [&] { make_directory("d/e"); }), kBothTimes);
  const StoreHandle file = open("d/a");
  EXPECT_EQ(moved(directory, StoreWrite{file, 0, as_bytes("text")}), kNothing);
  EXPECT_EQ(moved(directory, StoreLink{file, kShare, "d/b"}), kBothTimes);
  close(file);
  EXPECT_EQ(moved(directory, [&] { listing(directory); }), kNothing);
  EXPECT_EQ(moved(directory, StoreStatAt{directory, "a"}), kNothing);
  EXPECT_EQ(moved(directory, StoreRename{kShare, "d/a", "d/c"}), kBothTimes);
  EXPECT_EQ(moved(directory, StoreRename{kShare, "d/b", "other/b"}), kBothTimes);
  EXPECT_EQ(moved(other, StoreRename{kShare, "f", "other/b", true}), kBothTimes);
  EXPECT_EQ(moved(directory, StoreRename{kShare, "other/b", "d/f"}), kBothTimes);
  EXPECT_EQ(moved(directory, StoreUnlink{kShare, "d/f"}), kBothTimes);
  EXPECT_EQ(moved(directory, StoreUnlink{kShare, "d/e", FileKind::kDirectory}), kBothTimes);
  EXPECT_EQ(moved(directory, StoreRename{kShare, "d", "renamed"}), kChanged);
  EXPECT_EQ(moved(directory,
                  [&] {
                    EXPECT_EQ(error(StoreUnlink{kShare, "nothing"}), StoreError::kNotFound);
                    EXPECT_EQ(error(StoreRename{kShare, "other", "renamed"}), StoreError::kExists);
                  }),
            kNothing);
  close(directory);
  close(other);
}

}  // namespace
}  // namespace semblance::test
