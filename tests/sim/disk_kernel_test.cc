// What ext4, xfs and btrfs leave after a power loss is among what the simulated disk allows: the
// same small histories on both, the kernel's file system looked at as its device has it.

#include <gtest/gtest.h>
#include <sys/xattr.h>

#include "io/store/posix_store.h"
#include "tests/sim/disk_history.h"
#include "tests/unit/loop_mount.h"

namespace semblance::sim::test {
namespace {

namespace fs = std::filesystem;

// Paths: 0 a, 1 b, 2 d, 3 d/a, 4 d/b, 5 e. Durable before: a (700 bytes of 'A') and d.
const std::vector<Step> kSetup = {
    {Do::kCreate, 0},
    {.what = Do::kWrite, .path = 0, .size = 700, .value = 'A'},
    {Do::kMakeDirectory, 2},
};
constexpr Step kWriteNew = {.what = Do::kWrite, .path = 1, .size = 600, .value = 'B'};
constexpr Step kWriteOver = {
    .what = Do::kWrite, .path = 0, .offset = 100, .size = 900, .value = 'W'};

const std::vector<Step> kHistories[] = {
    {},
    // A new file, flushed or not.
    {{Do::kCreate, 1}, kWriteNew},
    {{Do::kCreate, 1}, kWriteNew, {Do::kFlush, 1}},
    {{Do::kCreate, 1}, {.what = Do::kWriteThrough, .path = 1, .size = 600, .value = 'B'}},
    // In a new directory, whose own entry nobody flushed.
    {{Do::kMakeDirectory, 5},
     {Do::kRename, 5, 1},
     {Do::kRename, 1, 4},
     {Do::kCreate, 3},
     {Do::kFlush, 3}},
    {{Do::kMakeDirectory, 5}, {Do::kRename, 0, 3}, {Do::kFlush, 3}},
    // Overwritten and resized.
    {kWriteOver},
    {kWriteOver, {Do::kFlush, 0}},
    {{.what = Do::kTruncate, .path = 0, .size = 100}, {Do::kFlush, 0}, kWriteOver},
    {{.what = Do::kTruncate, .path = 0, .size = 3000}, {Do::kFlush, 0}},
    // Attributes.
    {{.what = Do::kSetDos, .path = 0, .value = 2}},
    {{.what = Do::kSetDos, .path = 0, .value = 2}, {Do::kFlush, 0}},
    // Names.
    {{Do::kRename, 0, 1}},
    {{Do::kRename, 0, 1}, {Do::kFlush, 1}},
    {{Do::kRename, 0, 3}, {Do::kFlush, 3}},
    {{Do::kRename, 0, 1}, {Do::kFlushRoot}},
    {{Do::kLink, 0, 3}, {Do::kFlush, 0}},
    {{Do::kLink, 0, 1}, {Do::kUnlink, 0}, {Do::kFlush, 1}},
    {{Do::kUnlink, 0}, {Do::kFlushRoot}},
    {{Do::kUnlink, 0}, {Do::kCreate, 0}, {Do::kFlush, 0}},
    // How editors save.
    {{Do::kCreate, 1}, kWriteNew, {Do::kFlush, 1}, {Do::kRename, 1, 0}},
    {{Do::kCreate, 1}, kWriteNew, {Do::kFlush, 1}, {Do::kRename, 1, 0}, {Do::kFlush, 0}},
    {{Do::kCreate, 1}, kWriteNew, {Do::kRename, 1, 0}, {Do::kFlushRoot}},
};

std::string entry(const std::string& path, bool is_directory, std::string content,
                  uint32_t attributes) {
  // Runs of equal bytes are enough to see, and short.
  std::string runs;
  for (size_t at = 0; at < content.size();) {
    const size_t end = std::min(content.find_first_not_of(content[at], at), content.size());
    runs += (content[at] == 0 ? '0' : content[at]) + std::to_string(end - at) + ' ';
    at = end;
  }
  return path + (is_directory ? "/ " : "= ") + runs + "attributes " + std::to_string(attributes) +
         "; ";
}

std::string tree_of(const Disk& disk, Disk::Inode directory, const std::string& prefix = "") {
  std::string text;
  for (const auto& [name, child] : disk.children(directory)) {
    const FileStat stat = disk.stat(child);
    const bool is_directory = stat.kind == FileKind::kDirectory;
    text += entry(prefix + std::string(name), is_directory,
                  std::string(as_text(disk.content(child))), stat.dos.attributes);
    if (is_directory) text += tree_of(disk, child, prefix + std::string(name) + '/');
  }
  return text;
}

std::string tree_of(const fs::path& directory, const std::string& prefix = "") {
  const std::set<fs::path> children(fs::directory_iterator{directory}, fs::directory_iterator{});
  std::string text;
  for (const fs::path& child : children) {
    const std::string name = child.filename();
    std::string content;
    uint32_t attributes = 0;
    if (fs::is_regular_file(child)) {
      std::ifstream file(child);
      content.assign(std::istreambuf_iterator<char>(file), {});
    }
    uint8_t record[16] = {};
    if (::getxattr(child.c_str(), "user.semblance.dos", record, sizeof record) == sizeof record)
      attributes = load<uint32_t>(record + 4);
    text += entry(prefix + name, fs::is_directory(child), content, attributes);
    if (fs::is_directory(child)) text += tree_of(child, prefix + name + '/');
  }
  return text;
}

class DiskKernel : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, DiskKernel, testing::Values("ext4", "xfs", "btrfs"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(DiskKernel, LeavesWhatTheDiskAllows) {
  const std::string kind = GetParam();
  const auto at = semblance::test::mounted_loop(kind);
  if (!at) GTEST_SKIP() << at.error();
  for (const std::vector<Step>& history : kHistories) {
    const auto number = std::to_string(&history - std::begin(kHistories));
    const std::string share = *at + "/" + number;
    fs::create_directory(share);
    const auto store = PosixStore::open({share}, 8).value();
    const auto perform = [&](Store& on, const std::vector<Step>& steps) {
      Actor actor(on);
      for (const Step& step : steps) actor.perform(step);
    };
    perform(*store, kSetup);
    const int root = ::open(share.c_str(), O_RDONLY);
    ASSERT_EQ(::syncfs(root), 0);
    ::close(root);
    perform(*store, history);
    std::string found;
    if (!semblance::test::look_after_power_loss(
            kind, [&](const std::string& after) { found = tree_of(fs::path(after) / number); }))
      GTEST_SKIP() << "a copy of a mounted " << kind << " can not be mounted here";
    const auto allowed = outcomes(
        [&](Disk& disk) {
          perform(disk, kSetup);
          disk.sync();
          perform(disk, history);
        },
        [](const Disk& disk) { return tree_of(disk, disk.root(kShare)); });
    EXPECT_TRUE(allowed.contains(found))
        << "history " << number << " left: " << found << "\nallowed, for one: " << *allowed.begin();
  }
}

}  // namespace
}  // namespace semblance::sim::test
