// The contract of stores: names, links, handles, data.

#include "tests/unit/store_contract.h"

namespace semblance::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract,
                         testing::Values("memory", "simulated", "tmpfs", "disk", "ext4", "xfs",
                                         "btrfs"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(StoreContract, CreatesOnceAndOpensWhatIsThere) {
  make_file("a", "hello");
  EXPECT_EQ(error(StoreOpen{kShare, "a", OpenWhat::kNewFile, kBoth}), StoreError::kExists);
  EXPECT_EQ(error(StoreOpen{kShare, "a", OpenWhat::kNewDirectory, 0}), StoreError::kExists);
  EXPECT_EQ(error(StoreOpen{kShare, "b"}), StoreError::kNotFound);
  EXPECT_EQ(content("a"), "hello");
  EXPECT_EQ(error(StoreOpen{kShare, "", OpenWhat::kNewFile, kBoth}), StoreError::kExists);
  EXPECT_EQ(error(StoreOpen{ShareId{7}, "a"}), StoreError::kStale);
}

TEST_P(StoreContract, TellsWhichComponentIsMissing) {
  make_directory("d");
  make_file("f");
  EXPECT_EQ(error(StoreOpen{kShare, "d/x"}), StoreError::kNotFound);
  EXPECT_EQ(error(StoreOpen{kShare, "x/y"}), StoreError::kNotDirectory);
  EXPECT_EQ(error(StoreOpen{kShare, "d/x/y"}), StoreError::kNotDirectory);
  EXPECT_EQ(error(StoreOpen{kShare, "f/y"}), StoreError::kNotDirectory);
  EXPECT_EQ(error(StoreOpen{kShare, "x/y", OpenWhat::kNewFile, kBoth}), StoreError::kNotDirectory);
  EXPECT_EQ(error(StoreOpen{kShare, "x/y", OpenWhat::kNewDirectory}), StoreError::kNotDirectory);
  EXPECT_EQ(exists("x/y"), StoreError::kNotDirectory);
  EXPECT_EQ(error(StoreUnlink{kShare, "x/y"}), StoreError::kNotDirectory);
  EXPECT_EQ(error(StoreRename{kShare, "f", "x/y"}), StoreError::kNotDirectory);
}

TEST_P(StoreContract, RefusesNamesThatAreNone) {
  for (const std::string_view path :
       {std::string_view("."), std::string_view(".."), std::string_view("../etc"),
        std::string_view("a//b"), std::string_view("/etc"), std::string_view("a/"),
        std::string_view("a/../b"), std::string_view("a\0b", 3)}) {
    EXPECT_EQ(error(StoreOpen{kShare, path}), StoreError::kInvalidName) << path;
    EXPECT_EQ(error(StoreOpen{kShare, path, OpenWhat::kNewFile, kBoth}), StoreError::kInvalidName);
    EXPECT_EQ(error(StoreOpen{kShare, path, OpenWhat::kNewDirectory}), StoreError::kInvalidName);
    EXPECT_EQ(error(StoreUnlink{kShare, path}), StoreError::kInvalidName);
  }
  const StoreHandle root = open("", OpenWhat::kExisting, kOpenRead);
  EXPECT_EQ(error(StoreStatAt{root, ".."}), StoreError::kInvalidName);
  EXPECT_EQ(error(StoreStatAt{root, "a/b"}), StoreError::kInvalidName);
  EXPECT_EQ(error(StoreStatAt{root, ""}), StoreError::kInvalidName);
  close(root);
}

TEST_P(StoreContract, RefusesNamesThatAreTooLong) {
  const std::string name(256, 'n'), longest(255, 'n'), path(5000, 'p');
  make_file(longest);
  EXPECT_EQ(error(StoreOpen{kShare, name}), StoreError::kNameTooLong);
  EXPECT_EQ(error(StoreOpen{kShare, name, OpenWhat::kNewFile, kBoth}), StoreError::kNameTooLong);
  EXPECT_EQ(error(StoreOpen{kShare, name, OpenWhat::kNewDirectory}), StoreError::kNameTooLong);
  EXPECT_EQ(error(StoreOpen{kShare, path}), StoreError::kNameTooLong);
  EXPECT_EQ(error(StoreRename{kShare, longest, name}), StoreError::kNameTooLong);
  const StoreHandle root = open("", OpenWhat::kExisting, kOpenRead);
  EXPECT_EQ(error(StoreStatAt{root, name}), StoreError::kNameTooLong);
  EXPECT_EQ(listing(root).size(), 1u);
  close(root);
}

TEST_P(StoreContract, FollowsLinksBeneathTheShareOnly) {
  make_directory("d");
  make_directory("d/e");
  make_file("d/file", "inside");
  world_->symlink("relative", "d/file");
  world_->symlink("d/e/up", "../file");
  world_->symlink("directory", "d");
  world_->symlink("absolute", "/etc");
  world_->symlink("escape", "../../../../../../etc/passwd");
  world_->symlink("d/e/out", "../../..");
  world_->symlink("loop", "loop");
  world_->symlink("dangling", "nowhere");
  EXPECT_EQ(content("relative"), "inside");
  EXPECT_EQ(content("d/e/up"), "inside");
  EXPECT_EQ(content("directory/file"), "inside");
  EXPECT_EQ(error(StoreOpen{kShare, "absolute"}), StoreError::kEscapes);
  EXPECT_EQ(error(StoreOpen{kShare, "absolute/passwd"}), StoreError::kEscapes);
  EXPECT_EQ(error(StoreOpen{kShare, "absolute/new", OpenWhat::kNewFile, kBoth}),
            StoreError::kEscapes);
  EXPECT_EQ(error(StoreOpen{kShare, "absolute/new", OpenWhat::kNewDirectory}),
            StoreError::kEscapes);
  EXPECT_EQ(error(StoreUnlink{kShare, "absolute/passwd"}), StoreError::kEscapes);
  EXPECT_EQ(error(StoreRename{kShare, "relative", "absolute/x"}), StoreError::kEscapes);
  EXPECT_EQ(error(StoreOpen{kShare, "escape"}), StoreError::kEscapes);
  EXPECT_EQ(error(StoreOpen{kShare, "d/e/out/x"}), StoreError::kEscapes);
  EXPECT_EQ(error(StoreOpen{kShare, "loop"}), StoreError::kSymlink);
  EXPECT_EQ(error(StoreOpen{kShare, "dangling"}), StoreError::kNotFound);
  EXPECT_EQ(exists("absolute"), StoreError::kEscapes);
  EXPECT_EQ(exists("relative"), StoreError::kNone);
}

TEST_P(StoreContract, StatsLinksByNameAsItOpensThem) {
  make_directory("d");
  make_file("file", "inside");
  world_->symlink("d/up", "../file");
  world_->symlink("d/out", "../../file");
  world_->symlink("d/absolute", "/etc/passwd");
  world_->symlink("d/dangling", "nowhere");
  const StoreHandle directory = open("d", OpenWhat::kExisting, kOpenRead);
  const StoreResult up = run(StoreStatAt{directory, "up"});
  ASSERT_EQ(up.error, StoreError::kNone);
  EXPECT_EQ(std::get<FileStat>(up.value).kind, FileKind::kFile);
  EXPECT_EQ(std::get<FileStat>(up.value).size, 6u);
  EXPECT_EQ(error(StoreStatAt{directory, "out"}), StoreError::kEscapes);
  EXPECT_EQ(error(StoreStatAt{directory, "absolute"}), StoreError::kEscapes);
  EXPECT_EQ(error(StoreStatAt{directory, "dangling"}), StoreError::kNotFound);
  close(directory);
}

TEST_P(StoreContract, NamesOfLinksAreTheirOwn) {
  make_file("file", "stays");
  world_->symlink("link", "file");
  world_->symlink("out", "/etc");
  EXPECT_EQ(error(StoreOpen{kShare, "link", OpenWhat::kNewFile, kBoth}), StoreError::kExists);
  EXPECT_EQ(error(StoreOpen{kShare, "out", OpenWhat::kNewFile, kBoth}), StoreError::kExists);
  EXPECT_EQ(error(StoreRename{kShare, "link", "moved"}), StoreError::kNone);
  EXPECT_EQ(content("moved"), "stays");
  EXPECT_EQ(error(StoreUnlink{kShare, "moved"}), StoreError::kNone);
  EXPECT_EQ(error(StoreUnlink{kShare, "out"}), StoreError::kNone);
  EXPECT_EQ(content("file"), "stays");
}

TEST_P(StoreContract, NeverOpensAFifo) {
  world_->fifo("fifo");
  EXPECT_EQ(error(StoreOpen{kShare, "fifo", OpenWhat::kExisting, kOpenRead}),
            StoreError::kSpecialFile);
  EXPECT_EQ(error(StoreOpen{kShare, "fifo", OpenWhat::kExisting, kOpenWrite}),
            StoreError::kSpecialFile);
  EXPECT_EQ(error(StoreOpen{kShare, "fifo", OpenWhat::kExisting, 0}), StoreError::kSpecialFile);
  EXPECT_EQ(exists("fifo"), StoreError::kNone);
  EXPECT_EQ(error(StoreUnlink{kShare, "fifo"}), StoreError::kNone);
}

TEST_P(StoreContract, ReadsAndWritesAtOffsets) {
  const StoreHandle file = open("f", OpenWhat::kNewFile);
  EXPECT_EQ(write(file, 0, "0123456789"), 10u);
  EXPECT_EQ(write(file, 5, "xyz"), 3u);
  EXPECT_EQ(read(file), "01234xyz89");
  EXPECT_EQ(read(file, 8), "89");
  EXPECT_EQ(read(file, 10), "");
  EXPECT_EQ(read(file, uint64_t{1} << 40), "");
  EXPECT_EQ(read(file, UINT64_MAX), "");
  EXPECT_EQ(write(file, 12, "!"), 1u);
  EXPECT_EQ(read(file, 9), std::string("9\0\0!", 4));
  EXPECT_EQ(write(file, 1000, ""), 0u);
  EXPECT_EQ(stat(file).size, 13u);
  EXPECT_EQ(error(StoreWrite{file, UINT64_MAX, as_bytes("x")}), StoreError::kTooLarge);
  EXPECT_EQ(error(StoreWrite{file, 0, as_bytes("D"), true}), StoreError::kNone);
  EXPECT_EQ(read(file, 0, 2), "D1");
  EXPECT_EQ(error(StoreFlush{file}), StoreError::kNone);
  close(file);
}

TEST_P(StoreContract, LargeTransfersAreWhole) {
  std::string text(3 << 20, 0);
  for (size_t i = 0; i < text.size(); i++) text[i] = static_cast<char>(i * 2654435761u >> 24);
  const StoreHandle file = open("f", OpenWhat::kNewFile);
  EXPECT_EQ(write(file, 7, text), text.size());
  EXPECT_TRUE(read(file, 7, text.size() + 100) == text);
  close(file);
}

TEST_P(StoreContract, HandlesHaveOnlyTheAccessThatWasAskedFor) {
  make_file("f", "text");
  uint8_t byte[1];
  const StoreHandle reader = open("f", OpenWhat::kExisting, kOpenRead);
  EXPECT_EQ(error(StoreWrite{reader, 0, as_bytes("x")}), StoreError::kAccess);
  EXPECT_EQ(error(StoreTruncate{reader, 0}), StoreError::kAccess);
  EXPECT_EQ(error(StoreAllocate{reader, 10}), StoreError::kAccess);
  close(reader);
  const StoreHandle writer = open("f", OpenWhat::kExisting, kOpenWrite);
  EXPECT_EQ(error(StoreRead{writer, 0, byte}), StoreError::kAccess);
  EXPECT_EQ(write(writer, 0, "T"), 1u);
  close(writer);
  const StoreHandle neither = open("f", OpenWhat::kExisting, 0);
  EXPECT_EQ(error(StoreRead{neither, 0, byte}), StoreError::kAccess);
  EXPECT_EQ(error(StoreWrite{neither, 0, as_bytes("x")}), StoreError::kAccess);
  EXPECT_EQ(error(StoreFlush{neither}), StoreError::kAccess);
  EXPECT_EQ(stat(neither).size, 4u);
  close(neither);
  const StoreHandle created = open("g", OpenWhat::kNewFile, kOpenWrite);
  EXPECT_EQ(error(StoreRead{created, 0, byte}), StoreError::kAccess);
  close(created);
  EXPECT_EQ(content("f"), "Text");
}

TEST_P(StoreContract, ClosedHandlesAreStale) {
  make_file("f");
  const StoreHandle file = open("f");
  close(file);
  uint8_t byte[1];
  EXPECT_EQ(error(StoreStat{file}), StoreError::kStale);
  EXPECT_EQ(error(StoreRead{file, 0, byte}), StoreError::kStale);
  EXPECT_EQ(error(StoreClose{file}), StoreError::kNone);
  const StoreHandle again = open("f");
  EXPECT_NE(again, file);
  EXPECT_EQ(error(StoreStat{file}), StoreError::kStale);
  EXPECT_EQ(error(StoreStat{StoreHandle::kNone}), StoreError::kStale);
  close(again);
}

TEST_P(StoreContract, HandlesAreBounded) {
  make_file("f");
  std::vector<StoreHandle> handles;
  for (int i = 0; i < 64; i++) handles.push_back(open("f"));
  EXPECT_EQ(error(StoreOpen{kShare, "f"}), StoreError::kTooManyOpen);
  close(handles.back());
  handles.back() = open("f");
  for (const StoreHandle handle : handles) close(handle);
}

TEST_P(StoreContract, TruncatesAndAllocates) {
  const StoreHandle file = open("f", OpenWhat::kNewFile);
  EXPECT_EQ(write(file, 0, "0123456789"), 10u);
  EXPECT_EQ(error(StoreTruncate{file, 4}), StoreError::kNone);
  EXPECT_EQ(read(file), "0123");
  EXPECT_EQ(error(StoreTruncate{file, 6}), StoreError::kNone);
  EXPECT_EQ(read(file), std::string("0123\0\0", 6));
  EXPECT_EQ(error(StoreTruncate{file, UINT64_MAX}), StoreError::kTooLarge);
  EXPECT_EQ(error(StoreAllocate{file, 3 << 20}), StoreError::kNone);
  EXPECT_EQ(stat(file).size, 6u);
  EXPECT_GE(stat(file).allocated, 3u << 20);
  EXPECT_EQ(error(StoreTruncate{file, 2 << 20}), StoreError::kNone);
  EXPECT_EQ(error(StoreTruncate{file, 0}), StoreError::kNone);
  EXPECT_EQ(stat(file).size, 0u);
  close(file);
}

// A store may merge neighbours or not: what it says is done is as if done one by one.
TEST_P(StoreContract, RunsNeighbours) {
  make_file("a", "0123456789");
  const StoreHandle handle = open("a", OpenWhat::kExisting, kBoth);
  std::array<uint8_t, 4> first{}, second{}, third{};
  const StoreOperation reads[] = {StoreRead{handle, 0, first}, StoreRead{handle, 4, second},
                                  StoreRead{handle, 8, third}};
  const StoreOperation* const read[] = {&reads[0], &reads[1], &reads[2]};
  size_t done = world_->store().try_run(read);
  EXPECT_LE(done, 2u);  // the third meets the end of the file
  if (done > 0) EXPECT_EQ(as_text(first), "0123");
  if (done > 1) EXPECT_EQ(as_text(second), "4567");
  const StoreOperation writes[] = {StoreWrite{handle, 8, as_bytes("ab")},
                                   StoreWrite{handle, 10, as_bytes("cdef")}};
  const StoreOperation* const write[] = {&writes[0], &writes[1]};
  done = world_->store().try_run(write);
  ASSERT_LE(done, 2u);
  EXPECT_EQ(content("a").substr(0, done == 0   ? 10
                                   : done == 1 ? 10
                                               : 14),
            done == 0   ? "0123456789"
            : done == 1 ? "01234567ab"
                        : "01234567abcdef");
  close(handle);
  const StoreOperation* const stale[] = {&reads[0], &reads[1]};
  EXPECT_EQ(world_->store().try_run(stale), 0u);
}

}  // namespace
}  // namespace semblance::test
