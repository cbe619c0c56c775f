#pragma once
// Small histories of a few names, performed on any store, and a witness of what a power loss may
// leave of them. The witness shares nothing with the disk: it looks at the live tree after each
// step and remembers every value that each thing had since it was last made durable.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/check.h"
#include "sim/disk/disk.h"

namespace semblance::sim::test {

constexpr ShareId kShare{0};
constexpr uint8_t kBoth = kOpenRead | kOpenWrite;
inline constexpr std::string_view kPaths[] = {"a", "b", "d", "d/a", "d/b", "e"};

enum class Do : uint8_t {
  kCreate,
  kMakeDirectory,
  kWrite,
  kWriteThrough,
  kTruncate,
  kAllocate,
  kFlush,
  kFlushRoot,
  kSetDos,
  kSetDescriptor,
  kRename,
  kLink,
  kUnlink,
  kRemoveDirectory,
  kHold,     // opens and keeps open
  kRelease,  // closes what is held
  kRead,
  kList,
};
inline constexpr uint32_t kDoKinds = static_cast<uint32_t>(Do::kList) + 1;

// One step. Total: any values mean something; what can't be done is answered with an error.
struct Step {
  Do what = Do::kCreate;
  uint32_t path = 0, other = 0;  // positions in kPaths
  uint32_t offset = 0, size = 0;
  uint8_t value = 0;
};

// Performs steps through store operations.
class Actor {
 public:
  // What every file system answers alike; or all, of stores in memory.
  enum class Detail : uint8_t { kAll, kPortable };

  explicit Actor(Store& store, Detail detail = Detail::kAll) : store_(store), detail_(detail) {}

  // All that the store answered, as text.
  std::string perform(const Step& step);

 private:
  StoreResult run(const StoreOperation& operation);
  void note(const FileStat& stat);
  StoreHandle open(std::string_view path, OpenWhat what = OpenWhat::kExisting);
  void through_handle(const Step& step, StoreHandle handle);
  void list();

  Store& store_;
  const Detail detail_;
  std::vector<StoreHandle> held_;
  std::string answers_;
};

// Counts through all sequences of picks, each under the bounds that the run itself asks for.
class Odometer {
 public:
  Pick pick() {
    at_ = 0;
    return [this](uint32_t bound) {
      if (at_ == digits_.size()) digits_.push_back({0, bound});
      CHECK(digits_[at_].bound == bound);  // the same picks lead to the same questions
      return digits_[at_++].value;
    };
  }
  // False when all have been seen.
  bool next() {
    while (!digits_.empty() && digits_.back().value + 1 == digits_.back().bound) digits_.pop_back();
    if (digits_.empty()) return false;
    digits_.back().value++;
    return true;
  }

 private:
  struct Digit {
    uint32_t value, bound;
  };
  std::vector<Digit> digits_;
  size_t at_ = 0;
};

// All that can be found after `change` and a power loss, by what `look` says.
std::set<std::string> outcomes(const std::function<void(Disk&)>& change,
                               const std::function<std::string(const Disk&)>& look);

class Witness {
 public:
  using Inode = Disk::Inode;

  explicit Witness(const Disk& disk) : disk_(disk) { all_durable(); }

  // After each step; `answers` is what it got.
  void observe(const Step& step, const std::string& answers);
  // Everything is as durable as it is now.
  void all_durable();
  // After the power loss: "" or what is wrong.
  std::string verdict() const;

 private:
  using Cell = std::tuple<Inode, std::string, Inode>;  // directory, name, object
  struct Values {
    std::map<uint64_t, std::set<std::string>> sectors;  // of 512 bytes each
    std::set<uint64_t> sizes;
    std::set<DosAttributes> dos;
    std::set<std::string> descriptors;
  };

  std::set<Cell> cells() const;
  Values values_of(Inode inode) const;
  void data_durable(Inode inode, uint64_t begin, uint64_t end);
  void names_durable(Inode inode);
  std::string tree_verdict() const;
  std::string file_verdict(Inode inode, const Values& allowed) const;

  const Disk& disk_;
  std::map<Inode, Values> values_;
  std::map<Inode, uint32_t> links_;
  std::set<Cell> possible_;   // names that may be there afterwards
  std::set<Cell> firm_;       // names that must be
  std::set<Inode> kept_;      // objects that must be
  std::set<Inode> doubtful_;  // a flush has failed: none after it tells what was stored
};

}  // namespace semblance::sim::test
