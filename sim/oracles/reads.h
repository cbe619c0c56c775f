#pragma once
// What is read is what was there: a READ returns what the file held at some moment between its
// arrival and its answer, a size is one that the file had, an end of file was one. The set of
// allowed answers is gathered while the request is under way.

#include <map>
#include <vector>

#include "sim/oracles/book.h"

namespace semblance::sim {

class ReadOracle : public Oracle {
 public:
  ReadOracle(Failures& failures, const Book& book) : Oracle("reads", failures), book_(book) {}

  void requested(const ExchangePtr& exchange) override;
  void answered(const ExchangePtr& exchange) override;
  void abandoned(const ExchangePtr& exchange) override { reading_.erase(exchange->number); }
  void applied(OperationId, const StoreOperation& what, const StoreResult& result,
               bool injected) override;
  void changed_outside() override;
  void crashed(CrashKind) override { reading_.clear(); }

 private:
  struct Reading {
    ExchangePtr exchange;
    Disk::Inode inode = 0;
    uint64_t offset = 0, length = 0;         // of a READ
    std::vector<std::vector<uint8_t>> data;  // what it may return
    std::vector<uint64_t> sizes;             // what the size may be said to be
  };

  void gather(Reading& reading);
  void judge_data(const Exchange& exchange, const Reading& reading);
  void judge_size(const Exchange& exchange, const Reading& reading);

  const Book& book_;
  std::map<uint64_t, Reading> reading_;  // by exchange
};

}  // namespace semblance::sim
