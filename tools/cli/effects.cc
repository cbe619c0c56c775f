#include "tools/cli/effects.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "engine/base/check.h"
#include "tools/cli/effects/copy.h"
#include "tools/cli/effects/cost.h"
#include "tools/cli/effects/driver_server.h"
#include "tools/cli/effects/system_calls.h"

namespace semblance {
namespace {

using namespace effects;

// A directory that goes with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = std::filesystem::temp_directory_path() / "semblance-effects-XXXXXX";
    CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  // An empty directory in it.
  std::string make(std::string_view name) const {
    const std::filesystem::path made = path_ / name;
    std::filesystem::create_directory(made);
    return made;
  }

 private:
  std::filesystem::path path_;
};

// As truss and strace -c print it, dearest first.
void print_counts(std::string_view heading, const SystemCallCounts& counts, uint64_t requests) {
  std::vector<std::pair<std::string, uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto& one) { return one.second; });
  fmt::print("{:>9}  {:<20} {:>11}\n", "count", heading, "per request");
  for (const auto& [name, count] : sorted)
    fmt::print("{:>9}  {:<20} {:>11}\n", count, name,
               per_request(static_cast<int64_t>(count), requests));
}

void print_system_calls() {
  constexpr unsigned kWarm = 20, kRounds = 50;
  const TemporaryDirectory directory;
  const auto rows = static_cast<uint32_t>(scenarios().size());
  const std::vector<SystemCallCounts> counts = system_calls_of(rows, [&](SystemCallMeter& meter) {
    for (uint32_t row = 0; row < rows; ++row) {
      meter.choose(row);
      DriverServer server(directory.make(std::to_string(row)), meter);
      play(server, scenarios()[row], kWarm, kRounds);
      meter.choose(SystemCallMeter::kNoRow);  // the server's end is not of interest
    }
  });
  fmt::print(
      "\nSystem calls of the driver, per request, when its one client waits for each "
      "answer:\n\n");
  if (counts.empty()) {
    fmt::print("- (nobody may trace here)\n");
    return;
  }
  for (uint32_t row = 0; row < rows; ++row) {
    const Scenario& scenario = scenarios()[row];
    const uint64_t requests = uint64_t{kRounds} * scenario.requests;
    uint64_t all = 0;
    std::string kinds;
    for (const auto& [name, count] : counts[row]) {
      all += count;
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", name,
                           per_request(static_cast<int64_t>(count), requests));
    }
    fmt::print("{:<28} {:>8}  {}\n", scenario.name,
               per_request(static_cast<int64_t>(all), requests), kinds);
  }
}

// Exit code.
int print_costs(bool committed) {
  std::vector<Cost> costs;
  for (const Scenario& scenario : scenarios()) costs.push_back(cost_of(scenario));
  fmt::print("{}", table_of(costs, committed ? Instructions::kLeaveOut : Instructions::kShow));
  if (!committed) print_system_calls();
  uint64_t over = 0;
  for (const Cost& cost : costs) over += operations_of(cost) > cost.budget;
  return over == 0 ? 0 : 1;
}

void print_copied(const Cost& cost) {
  const auto each = [&](uint64_t total) {
    return per_request(static_cast<int64_t>(total), cost.requests);
  };
  fmt::print(
      "{}: {} requests; each had {} store operations of {} that it may take, {} bytes "
      "copied, {} MACs and seals, {} allocations\n\n",
      cost.name, cost.requests, each(operations_of(cost)), each(cost.budget),
      each(cost.counts.bytes_copied), each(cost.counts.crypto_calls),
      each(cost.counts.allocations));
  SystemCallCounts operations;
  for (size_t kind = 0; kind < kStoreOperationKinds; ++kind)
    if (cost.operations[kind] > 0)
      operations[std::string(store_operation_name(kind))] = cost.operations[kind];
  print_counts("store operation", operations, cost.requests);
  fmt::print("\n");
}

int print_copy(unsigned mib) {
  const TemporaryDirectory directory;
  const std::string share = directory.make("share");
  const auto counts = system_calls_of(kCopyRows, [&](SystemCallMeter& meter) {
    for (const Cost& cost : copy(share, mib, meter)) print_copied(cost);
  });
  if (counts.empty()) {
    std::fprintf(stderr, "semblance: nobody may trace here, so nothing can be counted\n");
    return 1;
  }
  for (uint32_t row = 0; row < kCopyRows; ++row) {
    fmt::print("{}{} MiB {}: system calls of the driver\n\n", row == 0 ? "" : "\n", mib,
               row == 0 ? "in" : "out");
    print_counts("system call", counts[row], copy_requests(mib));
  }
  return 0;
}

}  // namespace

int run_effects(const EffectsArguments& arguments) {
  spdlog::set_level(spdlog::level::err);
  if (!is_plain_build())
    std::fprintf(stderr, "semblance: not the optimised, plain build: its counts differ\n");
  return arguments.copy_mib > 0 ? print_copy(arguments.copy_mib) : print_costs(arguments.committed);
}

}  // namespace semblance
