#pragma once
// Which request a store operation belongs to, found out from outside. The engine does not say; but
// it works on what has moved in a step, a request waits for one operation at a time, a command asks
// for few kinds of them, and a handle belongs to a file. So the answer is right nearly always, and
// never more than a guide to the eye.

#include <map>
#include <set>
#include <vector>

#include "sim/oracles/exchange.h"

namespace semblance::sim {

class Attribution {
 public:
  void requested(const ExchangePtr& exchange);
  void answered(const ExchangePtr& exchange);
  // No answer will come.
  void abandoned(const ExchangePtr& exchange) { open_.erase(exchange->number); }
  // This operation's completion is an event of the step that begins.
  void completes(OperationId id);
  // The number of the request that has asked for it; 0: none that is known.
  uint64_t started(OperationId id, const StoreOperation& what);
  uint64_t started_account(OperationId id);
  void applied(OperationId id, const StoreOperation& what, const StoreResult& result);
  void stepped() { moved_.clear(); }
  void crashed();

 private:
  // The open request with the highest score above 0, the oldest of several.
  template <typename Score>
  uint64_t choose(OperationId id, Score score);

  std::map<uint64_t, ExchangePtr> open_;  // unanswered, by number
  std::set<uint64_t> moved_;              // arrived or went on in this step
  std::map<OperationId, uint64_t> owners_;
  std::set<uint64_t> waiting_;                 // for an operation; a request has one at a time
  std::map<StoreHandle, uint64_t> opened_by_;  // the request that opened it
  std::map<uint64_t, uint64_t> file_of_;       // of that request, once it is answered
};

}  // namespace semblance::sim
