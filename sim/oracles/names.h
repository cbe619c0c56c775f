#pragma once
// Names: what CREATE and rename say of a name is what was so at some moment between arrival and
// answer. MS-SMB2 3.3.5.9, MS-FSA 2.1.5.1; names compare without regard to the case of ASCII.
//
// Not judged: names that plain_path refuses, paths with a symbolic link in them, and requests
// during which the world let an operation fail.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/oracles/book.h"

namespace semblance::sim {

class NameOracle : public Oracle {
 public:
  NameOracle(Failures& failures, const Book& book) : Oracle("names", failures), book_(book) {}

  void requested(const ExchangePtr& exchange) override;
  void answered(const ExchangePtr& exchange) override;
  void abandoned(const ExchangePtr& exchange) override;
  void applied(OperationId, const StoreOperation& what, const StoreResult& result,
               bool injected) override;
  void changed_outside() override;
  void crashed(CrashKind) override;

 private:
  using Inode = Disk::Inode;
  // A request about one name, and all that was true of the name since it arrived.
  struct Asking {
    ExchangePtr exchange;
    ShareId share{};
    std::string path;
    bool unsure = false;         // not to be judged
    bool existed = false;        // something had the name
    bool missed = false;         // only its last component was missing
    bool parent_missed = false;  // the directory was missing, or was none
    bool was_directory = false, was_file = false;
    std::set<Inode> objects;  // that had the name
  };
  // A CREATE or a rename, for as long as another one that it may be in the way of is under way.
  struct Attempt {
    ExchangePtr exchange;
    std::optional<std::string> path;
    bool ended = false;
    uint64_t ended_after = 0;
  };

  void look(Asking& asking);
  void look_all();
  bool in_the_making(const Asking& asking) const;
  void judge_create(const Asking& asking);
  void judge_sharing(const Asking& asking);
  void judge_rename(const Asking& asking);
  void end_attempt(uint64_t number);

  const Book& book_;
  Instant outside_{INT64_MIN / 2};  // the latest change beside the server
  uint64_t latest_ = 0;
  std::map<uint64_t, Asking> asking_;
  std::map<uint64_t, Attempt> attempts_;
};

}  // namespace semblance::sim
