#include "sim/oracles/budget.h"

#include "engine/smb/report.h"

namespace semblance::sim {

namespace {
constexpr uint64_t kCompareEvery = 64;  // steps
}

void BudgetOracle::requested(const ExchangePtr& exchange) {
  uint16_t command = exchange->request.command;
  if (command < requests_.size()) ++requests_[command];
}

void BudgetOracle::started(OperationId, const StoreOperation& what) { ++operations_[what.index()]; }

void BudgetOracle::expect_at_most(std::string_view operation, uint64_t count, uint64_t allowed) {
  if (count <= allowed) return;
  fail(std::to_string(count) + " operations \"" + std::string(operation) +
       "\" where all requests so far may cause " + std::to_string(allowed));
}

void BudgetOracle::compare() {
  auto count = [this](std::string_view name) -> uint64_t {
    for (size_t kind = 0; kind < kStoreOperationKinds; ++kind)
      if (store_operation_name(kind) == name) return operations_[kind];
    fail("no such operation: " + std::string(name));
    return 0;
  };
  uint64_t creates = requests_[kCmdCreate];
  uint64_t sets = requests_[kCmdSetInfo], ioctls = requests_[kCmdIoctl];
  // READ and WRITE take one each and nothing beside; nothing else reads or writes data.
  expect_at_most("read", count("read"), requests_[kCmdRead] + ioctls);
  expect_at_most("write", count("write"), requests_[kCmdWrite] + ioctls);
  expect_at_most("flush", count("flush"), requests_[kCmdFlush]);
  expect_at_most("truncate", count("truncate"), creates + sets);
  expect_at_most("allocate", count("allocate"), creates + sets);
  // One more gives the new spelling of what was replaced in another case.
  expect_at_most("rename", count("rename"), 2 * sets);
  expect_at_most("link", count("link"), sets);
  // Times are set when a client sets them, and at most once more when its handle is closed.
  expect_at_most("set_attributes", count("set_attributes"), 2 * creates + 2 * sets);
  expect_at_most("write_descriptor", count("write_descriptor"), creates + sets);
  expect_at_most("fs_stat", count("fs_stat"),
                 requests_[kCmdQueryInfo] + requests_[kCmdTreeConnect] + creates);
}

void BudgetOracle::stepped(const Engine&) {
  if (++steps_ % kCompareEvery == 0) compare();
}

void BudgetOracle::rested(const Engine& engine) {
  compare();
  EngineReport report = engine.report();
  for (size_t i = 0; i < smb::kShapes; ++i) {
    const smb::LedgerRow& row = report.ledgers[i];
    if (row.over_budget == 0) continue;
    fail("the ledger of " + std::string(smb::shape_name(static_cast<smb::Shape>(i))) +
         " was overdrawn " + std::to_string(row.over_budget) + " times, with up to " +
         std::to_string(row.operations_max) + " operations");
  }
}

}  // namespace semblance::sim
