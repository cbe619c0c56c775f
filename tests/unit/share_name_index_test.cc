// share::NameIndex against a plain set of names, with changes of ours and of others.

#include "engine/share/name_index.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>
#include <string>

#include "engine/share/names.h"

namespace semblance::share {
namespace {

constexpr uint64_t kTick = FileTime::kTicksPerSecond * 3 / 100;

// A directory and a clock that never stands still between two changes.
struct Directory {
  FileStat stat;
  std::set<std::string> names;

  explicit Directory(uint64_t inode) {
    stat.key = {1, inode};
    stat.kind = FileKind::kDirectory;
  }
  // The exact name, else the smallest that differs in case alone.
  std::string find(const std::string& name) const {
    if (names.contains(name)) return name;
    auto key = folded(*wire_name(name));
    for (const std::string& one : names)
      if (folded(*wire_name(one)) == key) return one;
    return {};
  }
};

std::string some_name() {
  return *rc::gen::element<std::string>("a", "A", "b", "B", "ab", "aB", "Ab", "\xC3\xA4",
                                        "\xC3\x84", "Jr.", "jr.", "x y");
}

void learn(NameIndex& index, const Directory& directory) {
  index.publish(directory.stat, {directory.names.begin(), directory.names.end()});
}

TEST(NameIndex, NeverTellsAnythingButTheTruth) {
  EXPECT_TRUE(rc::check([] {
    NameIndex index(1000);
    std::map<uint64_t, Directory> directories;
    for (uint64_t inode : {1, 2}) directories.emplace(inode, Directory(inode));
    FileTime now{100 * kTick};
    int steps = *rc::gen::inRange(0, 80);
    for (int i = 0; i < steps; ++i) {
      Directory& directory = directories.at(*rc::gen::inRange<uint64_t>(1, 3));
      std::string name = some_name();
      FileTime began = now;
      now.ticks += kTick;
      switch (*rc::gen::inRange(0, 6)) {
        case 0:  // ours: bracketed by a validation, as the engine does it
        case 1: {
          bool known =
              index.has(directory.stat.key) && index.validate(directory.stat) == IndexState::kValid;
          bool creates = !directory.names.contains(name);
          directory.stat.modified = now;
          if (creates)
            directory.names.insert(name);
          else
            directory.names.erase(name);
          now.ticks += kTick;
          if (known && creates) index.created(directory.stat.key, name, {began, now});
          if (known && !creates) index.removed(directory.stat.key, name, {began, now});
          break;
        }
        case 2:  // somebody else's, beside the server
          now.ticks += kTick;
          directory.stat.modified = now;
          directory.names.contains(name) ? (void)directory.names.erase(name)
                                         : (void)directory.names.insert(name);
          break;
        default:
          if (index.validate(directory.stat) == IndexState::kStale) learn(index, directory);
          RC_ASSERT(std::string(index.find(directory.stat.key, name)) == directory.find(name));
      }
      now.ticks += kTick;
    }
  }));
}

// What was enumerated stays known as long as only we change the directory: the point of it all.
TEST(NameIndex, OurOwnChangesKeepItValid) {
  EXPECT_TRUE(rc::check([] {
    NameIndex index(1000);
    Directory directory(1);
    FileTime now{100 * kTick};
    learn(index, directory);
    for (int i = 0; i < 20; ++i) {
      std::string name = some_name();
      RC_ASSERT(index.validate(directory.stat) == IndexState::kValid);
      FileTime began = now;
      bool creates = directory.names.insert(name).second;
      if (!creates) directory.names.erase(name);
      now.ticks += kTick;
      directory.stat.modified = now;
      if (creates)
        index.created(directory.stat.key, name, {began, now});
      else
        index.removed(directory.stat.key, name, {began, now});
      now.ticks += 10 * kTick;
    }
    RC_ASSERT(index.validate(directory.stat) == IndexState::kValid);
  }));
}

TEST(NameIndex, IsBoundedWhateverItIsTold) {
  EXPECT_TRUE(rc::check([] {
    auto most = *rc::gen::inRange<size_t>(1, 20);
    NameIndex index(most);
    int directories = *rc::gen::inRange(1, 6);
    for (int d = 0; d < directories; ++d) {
      Directory directory(static_cast<uint64_t>(d + 1));
      int count = *rc::gen::inRange(0, 30);
      for (int i = 0; i < count; ++i) directory.names.insert("n" + std::to_string(i));
      learn(index, directory);
      RC_ASSERT(index.names() <= most);
      // Whatever was forgotten is not half known.
      if (index.has(directory.stat.key))
        for (const std::string& name : directory.names)
          RC_ASSERT(index.find(directory.stat.key, name) == name);
    }
  }));
}

TEST(NameIndex, ANameCountsOnceHoweverOftenItIsTold) {
  NameIndex index(100);
  Directory directory(1);
  learn(index, directory);
  index.created(directory.stat.key, "same", {{1}, {2}});
  index.created(directory.stat.key, "same", {{1}, {2}});
  index.removed(directory.stat.key, "same", {{1}, {2}});
  EXPECT_EQ(index.find(directory.stat.key, "same"), "");
}

}  // namespace
}  // namespace semblance::share
