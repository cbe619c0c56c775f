#pragma once
// Byte-range locks, MS-SMB2 3.3.5.14, MS-FSA 2.1.4.10, 2.1.5.8, 2.1.5.9: what is locked bars
// others, nothing else does, and what was locked can be unlocked once.
//
// A lock certainly exists from the response that granted it to the arrival of what may end it; it
// possibly exists from its request's arrival until its end was answered. Certain locks must bar;
// where something was barred, a possible one must have done it. Empty ranges bar nothing here: what
// they overlap is not judged.

#include <map>
#include <vector>

#include "sim/oracles/book.h"

namespace semblance::sim {

class LockOracle : public Oracle {
 public:
  LockOracle(Failures& failures, const Book& book) : Oracle("locks", failures), book_(book) {}

  void requested(const ExchangePtr& exchange) override;
  void answered(const ExchangePtr& exchange) override;
  void abandoned(const ExchangePtr& exchange) override;
  void crashed(CrashKind) override;

 private:
  struct Range {
    uint64_t offset = 0, length = 0;
    bool operator==(const Range&) const = default;
  };
  struct Wanted {
    Range range;
    uint32_t flags = 0;
  };
  struct Lock {
    FileRef owner;
    bool owner_known = false;
    ConnectionId connection;
    Range range;
    bool exclusive = false;
    uint64_t asked_by = 0;       // the exchange
    bool granted = false;        // answered well
    uint64_t granted_after = 0;  // the latest exchange that had arrived by then
    bool doubtful = false;       // something that may end it has arrived
    bool ended = false;          // and was answered, or it was never granted
    uint64_t ended_after = 0;
  };
  // An UNLOCK under way, and the ranges of it that were certainly held when it came.
  struct Unlocking {
    ExchangePtr exchange;
    bool all_held = false;   // certainly, each element its own lock
    bool disturbed = false;  // something else may have ended them meanwhile
  };

  static std::vector<Wanted> elements_of(const Element& request);
  static bool overlap(const Range& a, const Range& b);
  static bool may_overlap(const Range& a, const Range& b);

  void unlock_requested(const ExchangePtr& exchange, const std::vector<Wanted>& elements);
  void judge_granted(const Exchange& exchange);
  void judge_unlock(const Exchange& exchange, const Unlocking& unlocking);
  void judge_barred(const Exchange& exchange, const std::vector<Wanted>& wanted, bool lock);
  void judge_passed(const Exchange& exchange);
  void end(Lock& lock);
  void forget_old();
  // Of a lock: certain at this moment; possible at some moment since `exchange` arrived.
  bool certain(const Lock& lock) const;
  bool possible_since(const Lock& lock, const Exchange& exchange) const;
  // 0: unknown.
  Disk::Inode inode_of(const Lock& lock) const;

  const Book& book_;
  uint64_t latest_ = 0;
  std::vector<Lock> locks_;
  std::map<uint64_t, Unlocking> unlocking_;
  std::map<uint64_t, ExchangePtr> under_way_;  // all that is judged here, by exchange
};

}  // namespace semblance::sim
