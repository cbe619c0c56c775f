#pragma once
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
#include "sim/disk/outside.h"
#include "tests/unit/loop_mount.h"

namespace semblance::test {

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
  // So much later that every clock of a file system has moved.
  virtual void later() { ::usleep(12'000); }
};

class MemoryWorld : public World {
 public:
  Store& store() override { return store_; }
  void symlink(const std::string& path, const std::string& target) override {
    store_.add_symlink(kShare, path, target);
  }
  void fifo(const std::string& path) override { store_.add_special(kShare, path); }
  size_t open_count() override { return store_.open_count(); }
  void later() override { store_.set_now({now_ += FileTime::kTicksPerSecond}); }

 private:
  MemoryStore store_{1, 64};
  uint64_t now_ = FileTime::kUnixEpoch;
};

// The simulated disk, with everyone beside the server as its outside actor.
class SimulatedWorld : public World {
 public:
  Store& store() override { return disk_; }
  void symlink(const std::string& path, const std::string& target) override {
    ASSERT_EQ(outside_.create_symlink(kShare, path, target), StoreError::kNone);
  }
  void fifo(const std::string& path) override {
    ASSERT_EQ(outside_.create_fifo(kShare, path), StoreError::kNone);
  }
  size_t open_count() override { return disk_.open_count(); }
  void later() override { disk_.set_now({now_ += FileTime::kTicksPerSecond}); }

 private:
  uint64_t now_ = FileTime::kUnixEpoch;
  sim::Disk disk_{1, 64};
  sim::Outside outside_{disk_};
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
    if (kind == "simulated") {
      world_ = std::make_unique<SimulatedWorld>();
      return;
    }
    const char* scratch = std::getenv("TEST_TMPDIR");
    std::string below = scratch ? scratch : "/tmp";
    if (kind == "tmpfs") {
      below = "/dev/shm";
    } else if (kind != "disk") {
      const auto mounted = mounted_loop(kind);
      if (!mounted) GTEST_SKIP() << mounted.error();
      below = *mounted;
    }
    auto world = std::make_unique<PosixWorld>(below);
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

}  // namespace semblance::test
