// One suite, several stores: the same answer for every operation, errors and escapes included.

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "io/store/directory_packer.h"
#include "io/store/memory_store.h"
#include "io/store/posix_store.h"

namespace semblance {
namespace {

constexpr ShareId kShare{0};
constexpr uint8_t kBoth = kOpenRead | kOpenWrite;

// A store with one empty share, and what only the world outside can make.
class World {
 public:
  virtual ~World() = default;
  virtual Store& store() = 0;
  virtual void symlink(const std::string& path, const std::string& target) = 0;
  virtual void fifo(const std::string& path) = 0;
  virtual size_t open_count() = 0;
};

class MemoryWorld : public World {
 public:
  Store& store() override { return store_; }
  void symlink(const std::string& path, const std::string& target) override {
    store_.add_symlink(kShare, path, target);
  }
  void fifo(const std::string& path) override { store_.add_special(kShare, path); }
  size_t open_count() override { return store_.open_count(); }

 private:
  MemoryStore store_{1, 64};
};

class PosixWorld : public World {
 public:
  explicit PosixWorld(const std::string& below) {
    std::string pattern = below + "/semblance-store-XXXXXX";
    path_ = ::mkdtemp(pattern.data()) == nullptr ? "" : pattern;
    if (!path_.empty()) store_ = PosixStore::open({path_}, 64).value();
  }
  ~PosixWorld() override {
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }
  bool usable() const { return store_ != nullptr; }
  Store& store() override { return *store_; }
  void symlink(const std::string& path, const std::string& target) override {
    ASSERT_EQ(::symlink(target.c_str(), (path_ + "/" + path).c_str()), 0);
  }
  void fifo(const std::string& path) override {
    ASSERT_EQ(::mkfifo((path_ + "/" + path).c_str(), 0666), 0);
  }
  size_t open_count() override { return store_->open_count(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<PosixStore> store_;
};

class StoreContract : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string kind = GetParam();
    if (kind == "memory") {
      world_ = std::make_unique<MemoryWorld>();
      return;
    }
    const char* scratch = std::getenv("TEST_TMPDIR");
    auto world = std::make_unique<PosixWorld>(kind == "tmpfs" ? "/dev/shm"
                                              : scratch       ? scratch
                                                              : "/tmp");
    if (!world->usable()) GTEST_SKIP() << "no writable directory for " << kind;
    world_ = std::move(world);
  }
  void TearDown() override {
    // A failed assertion may leave handles; a passed test leaves none.
    if (world_ && !HasFailure()) EXPECT_EQ(world_->open_count(), 0u);
  }

  Store& store() { return world_->store(); }
  // As the loop does it: at once if possible, else waiting.
  StoreResult run(const StoreOperation& op) {
    if (auto result = store().try_now(op)) return *result;
    return store().execute(op);
  }
  StoreError error(const StoreOperation& op) {
    const StoreResult result = run(op);
    if (const auto* opened = std::get_if<StoreOpened>(&result.value)) close(opened->handle);
    return result.error;
  }
  StoreHandle open(std::string_view path, OpenWhat what = OpenWhat::kExisting,
                   uint8_t access = kBoth) {
    const StoreResult result = run(StoreOpen{kShare, path, what, access});
    EXPECT_EQ(result.error, StoreError::kNone) << path;
    const auto* opened = std::get_if<StoreOpened>(&result.value);
    return opened == nullptr ? StoreHandle::kNone : opened->handle;
  }
  void close(StoreHandle handle) { EXPECT_EQ(run(StoreClose{handle}).error, StoreError::kNone); }
  void make_file(std::string_view path, std::string_view content = "") {
    const StoreHandle handle = open(path, OpenWhat::kNewFile);
    if (!content.empty()) EXPECT_EQ(write(handle, 0, content), content.size());
    close(handle);
  }
  void make_directory(std::string_view path) { close(open(path, OpenWhat::kNewDirectory)); }
  size_t write(StoreHandle handle, uint64_t offset, std::string_view text) {
    const StoreResult result = run(StoreWrite{handle, offset, as_bytes(text)});
    return result.ok() ? std::get<StoreCount>(result.value).count : SIZE_MAX;
  }
  std::string read(StoreHandle handle, uint64_t offset = 0, size_t size = 100) {
    std::string text(size, '?');
    const MutableBytes into(reinterpret_cast<uint8_t*>(text.data()), text.size());
    const StoreResult result = run(StoreRead{handle, offset, into});
    if (!result.ok()) return "error";
    text.resize(std::get<StoreCount>(result.value).count);
    return text;
  }
  std::string content(std::string_view path) {
    const StoreHandle handle = open(path, OpenWhat::kExisting, kOpenRead);
    std::string text = read(handle);
    close(handle);
    return text;
  }
  FileStat stat(StoreHandle handle) {
    const StoreResult result = run(StoreStat{handle});
    EXPECT_EQ(result.error, StoreError::kNone);
    return result.ok() ? std::get<FileStat>(result.value) : FileStat{};
  }
  StoreError exists(std::string_view path) { return error(StoreStatPath{kShare, path}); }

  // Names and their next positions, in the order of the directory.
  std::vector<std::pair<std::string, uint64_t>> batch(StoreHandle directory, uint64_t position,
                                                      size_t size = 4096) {
    std::vector<uint8_t> memory(size);
    const StoreResult result = run(StoreReadDirectory{directory, position, memory});
    EXPECT_EQ(result.error, StoreError::kNone);
    std::vector<std::pair<std::string, uint64_t>> names;
    if (!result.ok()) return names;
    const size_t used = std::get<StoreCount>(result.value).count;
    EXPECT_LE(used, size);
    for (size_t at = 0; at < used;) {
      const auto record = load<DirectoryRecord>(memory.data() + at);
      names.emplace_back(std::string(reinterpret_cast<char*>(memory.data()) + at + sizeof record,
                                     record.name_length),
                         record.next);
      at += align_up(sizeof record + record.name_length, 8);
    }
    return names;
  }
  std::map<std::string, int> listing(StoreHandle directory, size_t size = 4096) {
    std::map<std::string, int> names;
    uint64_t position = 0;
    for (int i = 0; i < 10000; i++) {
      const auto some = batch(directory, position, size);
      if (some.empty()) break;
      for (const auto& [name, next] : some) names[name]++;
      position = some.back().second;
    }
    return names;
  }

  std::unique_ptr<World> world_;
};

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract, testing::Values("memory", "tmpfs", "disk"),
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
}  // namespace semblance
