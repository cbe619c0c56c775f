#pragma once
// What is done to the disk: every change is one that a request under way asks for, and every
// request that succeeds has been carried out before it is answered.
// MS-SMB2 3.3.5.9, 3.3.5.11, 3.3.5.13, 3.3.5.21.1.

#include <map>
#include <vector>

#include "sim/oracles/book.h"

namespace semblance::sim {

class ChangeOracle : public Oracle {
 public:
  ChangeOracle(Failures& failures, const Book& book) : Oracle("changes", failures), book_(book) {}

  void requested(const ExchangePtr& exchange) override;
  void answered(const ExchangePtr& exchange) override;
  void started(OperationId, const StoreOperation& what) override;
  void applied(OperationId, const StoreOperation& what, const StoreResult& result,
               bool injected) override;
  void changed_outside() override { disturbed_ = true; }
  void crashed(CrashKind) override;
  void rested(const Engine& engine) override;

 private:
  // A request that may change something.
  struct Asked {
    ExchangePtr exchange;
    bool done = false;  // the disk did it
  };

  bool wants(const Exchange& exchange, const StoreWrite& write) const;
  bool wants(const Exchange& exchange, const StoreFlush& flush) const;
  bool wants(const Exchange& exchange, const StoreTruncate& cut) const;
  bool wants(const Exchange& exchange, const StoreOpen& open) const;
  bool wants(const Exchange& exchange, const StoreRename& rename) const;
  bool wants(const Exchange& exchange, const StoreLink& link) const;
  // Finds who asked for it; a failure of the oracle if nobody did.
  template <typename Operation>
  void justify(const Operation& operation, std::string_view what, bool done);
  void judge_unlink(const StoreUnlink& unlink);
  // Whether the request is about the object behind the handle, as far as can be known.
  bool is_about(const Exchange& exchange, StoreHandle handle) const;

  void judge_create(const Exchange& exchange, const BookedOpen& open);
  void expect_gone(Disk::Inode inode, bool gone);

  const Book& book_;
  // Files whose last wish was to be deleted; judged at rest, unless something else may have
  // happened to them.
  std::map<Disk::Inode, bool> to_be_deleted_;
  // Files marked for deletion by a disposition, by the latest exchange that had arrived by then;
  // until somebody may have taken the mark back.
  std::map<Disk::Inode, uint64_t> marked_;
  uint64_t latest_ = 0, cleared_ = 0;  // exchanges
  std::map<Disk::Inode, uint64_t> cleared_by_;
  bool disturbed_ = false;           // by a failing disk, a crash, somebody beside the server
  std::map<uint64_t, Asked> asked_;  // by exchange
};

}  // namespace semblance::sim
