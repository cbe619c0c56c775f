#include "tools/cli/effects/cost.h"

#include <fmt/format.h>

#include <numeric>

#include "tools/cli/effects/engine_server.h"
#include "tools/cli/effects/instruction_counter.h"

namespace semblance::effects {
namespace {

// Enough for every pool to have its memory.
constexpr unsigned kWarm = 300;
constexpr unsigned kRounds = 100;

class CostMeter : public Meter {
 public:
  void on() override {
    began_ = counter_.now();
    count(true);
  }
  void off() override {
    count(false);
    instructions_ += counter_.now() - began_;
  }
  int64_t instructions() const {
    return counter_.works() ? static_cast<int64_t>(instructions_) : -1;
  }

 private:
  InstructionCounter counter_;
  uint64_t began_ = 0, instructions_ = 0;
};

}  // namespace

Cost cost_of(const Scenario& scenario) {
  CostMeter meter;
  EngineServer server(meter);
  take_counts();
  play(server, scenario, kWarm, kRounds);
  return {.name = scenario.name,
          .requests = uint64_t{kRounds} * scenario.requests,
          .operations = server.operations(),
          .budget = budget_of(server, scenario.components, scenario.entries),
          .counts = take_counts(),
          .instructions = meter.instructions()};
}

uint64_t operations_of(const Cost& cost) {
  return std::accumulate(cost.operations.begin(), cost.operations.end(), uint64_t{0});
}

uint64_t budget_of(const Server& server, uint32_t components, uint32_t entries) {
  constexpr auto kListing = static_cast<size_t>(smb::Shape::kQueryDirectory);
  const uint64_t listings = server.requests()[kListing];
  smb::Ledger of_listing;
  if (listings > 0) {
    const uint64_t batches = server.operations()[StoreOperation(StoreReadDirectory{}).index()];
    of_listing.batches = static_cast<uint16_t>((batches + listings - 1) / listings);
    of_listing.entries = static_cast<uint16_t>(entries);
  }
  uint64_t budget = 0;
  for (size_t i = 0; i < smb::kShapes; ++i)
    budget += server.requests()[i] *
              smb::operation_budget(static_cast<smb::Shape>(i), of_listing, components);
  return budget;
}

std::string per_request(int64_t total, uint64_t requests) {
  if (total < 0 || requests == 0) return "-";
  const double each = static_cast<double>(total) / static_cast<double>(requests);
  std::string text = fmt::format("{:.2f}", each);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string table_of(const std::vector<Cost>& costs, Instructions instructions) {
  const bool show = instructions == Instructions::kShow;
  const auto line = [&](std::string_view name, std::string_view operations, std::string_view budget,
                        std::string_view copied, std::string_view crypto,
                        std::string_view allocations, std::string_view executed,
                        std::string_view kinds) {
    std::string text = fmt::format("{:<28} {:>10} {:>6} {:>9} {:>6} {:>11} ", name, operations,
                                   budget, copied, crypto, allocations);
    if (show) text += fmt::format("{:>12} ", executed);
    text += fmt::format(" {}", kinds);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
  };
  std::string table = line("request", "operations", "budget", "copied", "crypto", "allocations",
                           "instructions", "store operations");
  for (const Cost& cost : costs) {
    const auto each = [&](uint64_t total) {
      return per_request(static_cast<int64_t>(total), cost.requests);
    };
    std::string kinds;
    for (size_t kind = 0; kind < kStoreOperationKinds; ++kind) {
      if (cost.operations[kind] == 0) continue;
      if (!kinds.empty()) kinds += ", ";
      kinds += fmt::format("{} {}", store_operation_name(kind), each(cost.operations[kind]));
    }
    table +=
        line(cost.name, each(operations_of(cost)), each(cost.budget),
             each(cost.counts.bytes_copied), each(cost.counts.crypto_calls),
             each(cost.counts.allocations), per_request(cost.instructions, cost.requests), kinds);
  }
  return table;
}

}  // namespace semblance::effects
