#pragma once
// A run as lines of text: one per request, response, store operation and fault, with the time.

#include <cstdio>

#include "sim/oracles/oracle.h"

namespace semblance::sim {

class Trace : public Oracle {
 public:
  Trace(Failures& failures, const Scheduler& scheduler, FILE* out)
      : Oracle("trace", failures), scheduler_(scheduler), out_(out) {}

  void requested(const ExchangePtr& exchange) override;
  void interim(const ExchangePtr& exchange, const Element& response) override;
  void answered(const ExchangePtr& exchange) override;
  void opened(ConnectionId connection) override;
  void closed(ConnectionId connection) override;
  void started(OperationId id, const StoreOperation& what) override;
  void applied(OperationId id, const StoreOperation& what, const StoreResult& result,
               bool injected) override;
  void changed_outside() override;
  void crashed(CrashKind kind) override;

 private:
  void line(const char* format, ...) __attribute__((format(printf, 2, 3)));

  const Scheduler& scheduler_;
  FILE* out_;
};

}  // namespace semblance::sim
