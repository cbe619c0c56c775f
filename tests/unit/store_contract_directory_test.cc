// The contract of stores: directories, attributes, renaming, removing, descriptors.

#include "tests/unit/store_contract.h"

namespace semblance::test {
namespace {

TEST_P(StoreContract, DirectoriesAreNoFiles) {
  make_directory("d");
  const StoreHandle directory = open("d");
  uint8_t byte[1];
  EXPECT_EQ(error(StoreRead{directory, 0, byte}), StoreError::kIsDirectory);
  EXPECT_EQ(error(StoreWrite{directory, 0, as_bytes("x")}), StoreError::kIsDirectory);
  EXPECT_EQ(error(StoreTruncate{directory, 0}), StoreError::kIsDirectory);
  EXPECT_EQ(error(StoreFlush{directory}), StoreError::kNone);
  EXPECT_EQ(stat(directory).kind, FileKind::kDirectory);
  EXPECT_EQ(error(StoreLink{directory, kShare, "e"}), StoreError::kAccess);
  close(directory);
  make_file("f");
  const StoreHandle file = open("f");
  std::vector<uint8_t> memory(4096);
  EXPECT_EQ(error(StoreReadDirectory{file, 0, memory}), StoreError::kNotDirectory);
  EXPECT_EQ(error(StoreStatAt{file, "x"}), StoreError::kNotDirectory);
  close(file);
}

TEST_P(StoreContract, KeepsIdentityOverRenameAndReopen) {
  make_file("a", "text");
  StoreHandle file = open("a");
  const FileStat before = stat(file);
  EXPECT_EQ(before.kind, FileKind::kFile);
  EXPECT_EQ(before.size, 4u);
  EXPECT_EQ(before.links, 1u);
  EXPECT_NE(before.created.ticks, 0u);
  close(file);
  EXPECT_EQ(error(StoreRename{kShare, "a", "b"}), StoreError::kNone);
  file = open("b", OpenWhat::kExisting, 0);
  EXPECT_EQ(stat(file).key, before.key);
  EXPECT_EQ(stat(file).created, before.created);
  const StoreHandle root = open("", OpenWhat::kExisting, 0);
  const StoreResult by_name = run(StoreStatAt{root, "b"});
  ASSERT_TRUE(by_name.ok());
  EXPECT_EQ(std::get<FileStat>(by_name.value).key, before.key);
  EXPECT_EQ(std::get<FileStat>(run(StoreStatPath{kShare, "b"}).value).key, before.key);
  EXPECT_EQ(std::get<FileStat>(run(StoreStatPath{kShare, ""}).value).key, stat(root).key);
  close(root);
  close(file);
}

TEST_P(StoreContract, KeepsAttributesAndTimes) {
  make_file("f");
  make_directory("d");
  for (const char* path : {"f", "d"}) {
    // With and without a full descriptor behind the handle.
    for (const uint8_t access : {kOpenRead, uint8_t{0}}) {
      const StoreHandle handle = open(path, OpenWhat::kExisting, access);
      const FileTime when = FileTime::from_unix(1'000'000'000 + access, 123'456'700);
      EXPECT_EQ(error(StoreSetAttributes{handle, {}, when}), StoreError::kNone);
      const FileTime accessed = stat(handle).accessed;
      EXPECT_EQ(stat(handle).modified, when);
      EXPECT_EQ(error(StoreSetAttributes{handle, when, {}}), StoreError::kNone);
      EXPECT_EQ(stat(handle).accessed, when);
      EXPECT_EQ(stat(handle).modified, when);
      EXPECT_NE(accessed, when);
      EXPECT_FALSE(stat(handle).dos.present);
      const DosAttributes dos = {true, 0x22u + access, when};
      const StoreError set = error(StoreSetAttributes{handle, {}, {}, true, dos});
      if (set == StoreError::kNotSupported) GTEST_SKIP() << "no user attributes here";
      EXPECT_EQ(set, StoreError::kNone);
      EXPECT_EQ(stat(handle).dos, dos);
      const StoreHandle root = open("", OpenWhat::kExisting, 0);
      const StoreResult by_name = run(StoreStatAt{root, path});
      ASSERT_TRUE(by_name.ok());
      EXPECT_EQ(std::get<FileStat>(by_name.value).dos, dos);
      const StoreResult without = run(StoreStatAt{root, path, false});
      EXPECT_FALSE(std::get<FileStat>(without.value).dos.present);
      close(root);
      EXPECT_EQ(error(StoreSetAttributes{handle, {}, {}, true, {}}), StoreError::kNone);
      EXPECT_FALSE(stat(handle).dos.present);
      close(handle);
    }
  }
}

TEST_P(StoreContract, ListsEveryNameOnce) {
  std::map<std::string, int> expected;
  for (int i = 0; i < 300; i++) {
    const std::string name = "name-" + std::to_string(i) + std::string(i % 97, 'x');
    make_file(name);
    expected[name] = 1;
  }
  const StoreHandle root = open("", OpenWhat::kExisting, kOpenRead);
  for (const size_t size : {kDirectoryBufferMin, size_t{512}, size_t{1000}, size_t{65536}})
    EXPECT_EQ(listing(root, size), expected) << size;
  uint8_t small[16];
  EXPECT_EQ(error(StoreReadDirectory{root, 0, small}), StoreError::kTooLarge);
  close(root);
}

TEST_P(StoreContract, ResumesADirectoryAtAnyEntry) {
  for (int i = 0; i < 50; i++) make_file("f" + std::to_string(i));
  const StoreHandle root = open("", OpenWhat::kExisting, kOpenRead);
  const auto all = batch(root, 0, 65536);
  ASSERT_EQ(all.size(), 50u);
  for (const size_t from : {49u, 10u, 0u, 30u, 31u}) {
    const auto rest = batch(root, all[from].second, 65536);
    ASSERT_EQ(rest.size(), 49 - from);
    if (!rest.empty()) EXPECT_EQ(rest[0].first, all[from + 1].first);
  }
  // A name that goes away does not disturb the rest.
  EXPECT_EQ(error(StoreUnlink{kShare, all[20].first}), StoreError::kNone);
  EXPECT_EQ(batch(root, all[10].second, 65536).size(), 38u);
  close(root);
  const StoreHandle neither = open("", OpenWhat::kExisting, 0);
  std::vector<uint8_t> memory(4096);
  EXPECT_EQ(error(StoreReadDirectory{neither, 0, memory}), StoreError::kAccess);
  close(neither);
}

TEST_P(StoreContract, ReportsKindsAndInodesOfEntries) {
  make_directory("d");
  make_file("f");
  world_->symlink("l", "f");
  world_->fifo("p");
  const std::map<std::string, FileKind> expected = {{"d", FileKind::kDirectory},
                                                    {"f", FileKind::kFile},
                                                    {"l", FileKind::kSymlink},
                                                    {"p", FileKind::kOther}};
  const StoreHandle root = open("", OpenWhat::kExisting, kOpenRead);
  std::vector<uint8_t> memory(4096);
  const StoreResult result = run(StoreReadDirectory{root, 0, memory});
  ASSERT_TRUE(result.ok());
  size_t seen = 0;
  for (size_t at = 0; at < std::get<StoreCount>(result.value).count; seen++) {
    const auto record = load<DirectoryRecord>(memory.data() + at);
    const std::string name(reinterpret_cast<char*>(memory.data()) + at + 24, record.name_length);
    EXPECT_EQ(record.kind, expected.at(name)) << name;
    if (name == "f") {
      const StoreHandle file = open("f");
      EXPECT_EQ(record.inode, stat(file).key.inode);
      close(file);
    }
    at += align_up(24 + record.name_length, 8);
  }
  EXPECT_EQ(seen, 4u);
  close(root);
}

TEST_P(StoreContract, RenamesWithAndWithoutReplacing) {
  make_file("a", "A");
  make_file("b", "B");
  EXPECT_EQ(error(StoreRename{kShare, "a", "b"}), StoreError::kExists);
  EXPECT_EQ(content("b"), "B");
  EXPECT_EQ(error(StoreRename{kShare, "a", "b", true}), StoreError::kNone);
  EXPECT_EQ(content("b"), "A");
  EXPECT_EQ(exists("a"), StoreError::kNotFound);
  EXPECT_EQ(error(StoreRename{kShare, "a", "c"}), StoreError::kNotFound);
  EXPECT_EQ(error(StoreRename{kShare, "a", "b"}), StoreError::kNotFound);
  EXPECT_EQ(error(StoreRename{kShare, "b", "B"}), StoreError::kNone);
  EXPECT_EQ(content("B"), "A");
  EXPECT_EQ(error(StoreRename{kShare, "B", "B"}), StoreError::kExists);
  EXPECT_EQ(error(StoreRename{kShare, "B", "B", true}), StoreError::kNone);
  EXPECT_EQ(content("B"), "A");
  EXPECT_EQ(error(StoreRename{kShare, "", "x"}), StoreError::kInvalidName);
  EXPECT_EQ(error(StoreRename{kShare, "B", ""}), StoreError::kInvalidName);
}

TEST_P(StoreContract, RenamesDirectories) {
  make_directory("d");
  make_directory("d/e");
  make_directory("full");
  make_file("full/x");
  make_file("f");
  EXPECT_EQ(error(StoreRename{kShare, "d", "d/e/inside"}), StoreError::kInvalidName);
  EXPECT_EQ(error(StoreRename{kShare, "d", "f", true}), StoreError::kNotDirectory);
  EXPECT_EQ(error(StoreRename{kShare, "f", "d", true}), StoreError::kIsDirectory);
  EXPECT_EQ(error(StoreRename{kShare, "d", "full", true}), StoreError::kNotEmpty);
  EXPECT_EQ(error(StoreRename{kShare, "full", "d/e", true}), StoreError::kNone);
  EXPECT_EQ(exists("d/e/x"), StoreError::kNone);
  EXPECT_EQ(error(StoreRename{kShare, "d/e", "top"}), StoreError::kNone);
  EXPECT_EQ(exists("top/x"), StoreError::kNone);
}

TEST_P(StoreContract, LinksFiles) {
  make_file("a", "text");
  make_file("taken");
  const StoreHandle file = open("a");
  EXPECT_EQ(error(StoreLink{file, kShare, "b"}), StoreError::kNone);
  EXPECT_EQ(error(StoreLink{file, kShare, "taken"}), StoreError::kExists);
  EXPECT_EQ(error(StoreLink{file, kShare, "x/y"}), StoreError::kNotDirectory);
  EXPECT_EQ(stat(file).links, 2u);
  EXPECT_EQ(error(StoreRename{kShare, "a", "b"}), StoreError::kExists);
  EXPECT_EQ(error(StoreRename{kShare, "a", "b", true}), StoreError::kNone);
  EXPECT_EQ(exists("a"), StoreError::kNotFound);
  EXPECT_EQ(stat(file).links, 1u);
  EXPECT_EQ(content("b"), "text");
  close(file);
}

TEST_P(StoreContract, UnlinksByKind) {
  make_directory("d");
  make_file("d/f");
  EXPECT_EQ(error(StoreUnlink{kShare, "d", FileKind::kDirectory}), StoreError::kNotEmpty);
  EXPECT_EQ(error(StoreUnlink{kShare, "d", FileKind::kFile}), StoreError::kIsDirectory);
  EXPECT_EQ(error(StoreUnlink{kShare, "d/f", FileKind::kDirectory}), StoreError::kNotDirectory);
  EXPECT_EQ(error(StoreUnlink{kShare, "d/g"}), StoreError::kNotFound);
  EXPECT_EQ(error(StoreUnlink{kShare, "d/f"}), StoreError::kNone);
  EXPECT_EQ(error(StoreUnlink{kShare, "d", FileKind::kDirectory}), StoreError::kNone);
  EXPECT_EQ(exists("d"), StoreError::kNotFound);
  EXPECT_EQ(error(StoreUnlink{kShare, "", FileKind::kDirectory}), StoreError::kInvalidName);
}

TEST_P(StoreContract, AnOpenFileOutlivesItsName) {
  make_file("f", "still here");
  const StoreHandle file = open("f");
  EXPECT_EQ(error(StoreUnlink{kShare, "f"}), StoreError::kNone);
  EXPECT_EQ(read(file), "still here");
  EXPECT_EQ(write(file, 0, "S"), 1u);
  EXPECT_EQ(read(file, 0, 5), "Still");
  EXPECT_EQ(stat(file).links, 0u);
  EXPECT_EQ(error(StoreLink{file, kShare, "back"}), StoreError::kNotFound);
  make_file("f", "new");
  EXPECT_EQ(read(file, 0, 5), "Still");
  close(file);
  EXPECT_EQ(content("f"), "new");
}

TEST_P(StoreContract, ARemovedDirectoryIsEmptyForItsHandle) {
  make_directory("d");
  const StoreHandle directory = open("d");
  EXPECT_EQ(error(StoreUnlink{kShare, "d", FileKind::kDirectory}), StoreError::kNone);
  std::vector<uint8_t> memory(4096);
  EXPECT_EQ(error(StoreReadDirectory{directory, 0, memory}), StoreError::kNotFound);
  EXPECT_EQ(error(StoreStatAt{directory, "x"}), StoreError::kNotFound);
  close(directory);
}

TEST_P(StoreContract, KeepsSecurityDescriptors) {
  make_directory("d");
  for (uint8_t access : {uint8_t{0}, kBoth}) {
    make_file("d/f");
    const StoreHandle file = open("d/f", OpenWhat::kExisting, access);
    std::vector<uint8_t> memory(4096);
    EXPECT_FALSE(stat(file).has_descriptor);
    EXPECT_EQ(error(StoreReadDescriptor{file, kShare, "", memory}), StoreError::kNotFound);
    const StoreError set = error(StoreWriteDescriptor{file, as_bytes("opaque")});
    if (set == StoreError::kNotSupported) GTEST_SKIP() << "no extended attributes here";
    ASSERT_EQ(set, StoreError::kNone);
    EXPECT_TRUE(stat(file).has_descriptor);
    EXPECT_FALSE(stat(file).dos.present);
    // Attributes come and go beside it.
    const DosAttributes dos = {true, 0x22, {FileTime::kUnixEpoch}};
    EXPECT_EQ(error(StoreSetAttributes{file, {}, {}, true, dos}), StoreError::kNone);
    EXPECT_TRUE(stat(file).has_descriptor);
    EXPECT_EQ(error(StoreSetAttributes{file, {}, {}, true, {}}), StoreError::kNone);
    EXPECT_TRUE(stat(file).has_descriptor);
    EXPECT_FALSE(stat(file).dos.present);
    const StoreResult by_path = run(StoreStatPath{kShare, "d/f", true});
    EXPECT_TRUE(std::get<FileStat>(by_path.value).has_descriptor);
    const StoreResult got = run(StoreReadDescriptor{StoreHandle::kNone, kShare, "d/f", memory});
    ASSERT_EQ(got.error, StoreError::kNone);
    EXPECT_EQ(as_text(Bytes(memory).first(std::get<StoreCount>(got.value).count)), "opaque");
    EXPECT_EQ(error(StoreReadDescriptor{file, kShare, "", MutableBytes(memory).first(3)}),
              StoreError::kTooLarge);
    EXPECT_EQ(error(StoreReadDescriptor{StoreHandle::kNone, kShare, "d", memory}),
              StoreError::kNotFound);
    close(file);
    EXPECT_EQ(error(StoreUnlink{kShare, "d/f"}), StoreError::kNone);
  }
}

TEST_P(StoreContract, CreatesWithADescriptorOrNotAtAll) {
  const StoreResult fs = run(StoreFsStat{kShare});
  const bool keeps = std::get<FsStat>(fs.value).keeps_attributes;
  for (OpenWhat what : {OpenWhat::kNewFile, OpenWhat::kNewDirectory}) {
    const StoreResult made = run(StoreOpen{kShare, "x", what, kBoth, as_bytes("opaque")});
    if (!keeps) {
      EXPECT_EQ(made.error, StoreError::kNotSupported);
      EXPECT_EQ(exists("x"), StoreError::kNotFound);
      continue;
    }
    ASSERT_EQ(made.error, StoreError::kNone);
    const StoreHandle handle = std::get<StoreOpened>(made.value).handle;
    EXPECT_TRUE(stat(handle).has_descriptor);
    close(handle);
    const bool file = what == OpenWhat::kNewFile;
    EXPECT_EQ(error(StoreUnlink{kShare, "x", file ? FileKind::kFile : FileKind::kDirectory}),
              StoreError::kNone);
  }
}

TEST_P(StoreContract, DescribesTheFileSystem) {
  const StoreResult result = run(StoreFsStat{kShare});
  ASSERT_EQ(result.error, StoreError::kNone);
  const auto fs = std::get<FsStat>(result.value);
  EXPECT_GT(fs.total_bytes, 0u);
  EXPECT_LE(fs.available_bytes, fs.free_bytes);
  EXPECT_GE(fs.block_size, 512u);
  EXPECT_GE(fs.name_max, 143u);
  EXPECT_NE(fs.volume_id, 0u);
  EXPECT_EQ(error(StoreFsStat{ShareId{9}}), StoreError::kStale);
}

TEST(PosixStoreRoots, ARootThatIsNoDirectoryIsOneClearLine) {
  const auto missing = PosixStore::open({"/nonexistent-semblance"}, 8);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error(), "/nonexistent-semblance: No such file or directory");
}

}  // namespace
}  // namespace semblance::test
