#pragma once
// The effect budget: what requests cost, counted from outside by kind of operation, and what the
// engine's own ledgers say. DESIGN 5.

#include <array>

#include "sim/oracles/oracle.h"

namespace semblance::sim {

class BudgetOracle : public Oracle {
 public:
  explicit BudgetOracle(Failures& failures) : Oracle("budget", failures) {}

  void requested(const ExchangePtr& exchange) override;
  void started(OperationId, const StoreOperation& what) override;
  void stepped(const Engine& engine) override;
  void rested(const Engine& engine) override;

 private:
  void expect_at_most(std::string_view operation, uint64_t count, uint64_t allowed);
  void compare();

  std::array<uint64_t, kStoreOperationKinds> operations_{};
  std::array<uint64_t, 19> requests_{};  // by command
  uint64_t steps_ = 0;
};

}  // namespace semblance::sim
