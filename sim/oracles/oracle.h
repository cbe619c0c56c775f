#pragma once
// An oracle: judges a run from outside, in naive code that shares nothing with the engine. Its
// hooks are called by Witness in the order in which things happen.

#include <string>
#include <string_view>

#include "sim/oracles/exchange.h"
#include "sim/world/failure.h"

namespace semblance::sim {

class Disk;

class Oracle {
 public:
  Oracle(std::string_view name, Failures& failures) : name_(name), failures_(failures) {}
  virtual ~Oracle() = default;

  std::string_view name() const { return name_; }

  // A whole request has arrived. It may never be answered: its connection may die.
  virtual void requested(const ExchangePtr&) {}
  // An interim response: STATUS_PENDING.
  virtual void interim(const ExchangePtr&, const Element&) {}
  // The final response has left; exchange.response holds it.
  virtual void answered(const ExchangePtr&) {}
  // The connection of an unanswered request is gone.
  virtual void abandoned(const ExchangePtr&) {}
  // A message without a request: notifications.
  virtual void unsolicited(ConnectionId, const Element&) {}

  virtual void opened(ConnectionId) {}
  virtual void closed(ConnectionId) {}
  virtual void session(const SessionFacts&) {}
  virtual void started(OperationId, const StoreOperation&) {}
  virtual void applied(OperationId, const StoreOperation&, const StoreResult&, bool /*injected*/) {}
  virtual void changed_outside() {}
  virtual void stepped(const Engine&) {}
  virtual void crashed(CrashKind) {}
  virtual void rested(const Engine&) {}

 protected:
  void fail(std::string what) { failures_.add(name_, std::move(what)); }
  // With what the request was.
  void fail(const Exchange& exchange, std::string what);

 private:
  std::string_view name_;
  Failures& failures_;
};

}  // namespace semblance::sim
