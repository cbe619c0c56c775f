#include "tools/bench/report.h"

#include <fmt/format.h>

#include <vector>

namespace semblance::bench {
namespace {

// Everything once, for both forms.
struct Numbers {
  double operations_per_s = 0, mb_per_s = 0;
  double p50_us = 0, p90_us = 0, p99_us = 0, max_us = 0, mean_us = 0;
  double client_us = 0;
  std::optional<double> server_us, server_user_us, server_system_us;  // for each operation
};

Numbers numbers_of(const Setting& setting, const Measured& measured) {
  const auto operations = static_cast<double>(measured.tally.operations);
  const Histogram& latency = measured.tally.latency;
  const auto each = [&](double seconds) {
    return operations == 0 ? 0 : seconds * 1e6 / operations;
  };
  const auto percentile = [&](double percent) {
    return static_cast<double>(latency.percentile_ns(percent)) / 1e3;
  };
  Numbers n;
  n.operations_per_s = operations / measured.seconds;
  n.mb_per_s = n.operations_per_s * setting.size / 1e6;
  n.p50_us = percentile(50);
  n.p90_us = percentile(90);
  n.p99_us = percentile(99);
  n.max_us = static_cast<double>(latency.max_ns()) / 1e3;
  n.mean_us = latency.mean_ns() / 1e3;
  n.client_us = each(measured.client_cpu.total_s());
  if (measured.server_cpu) {
    n.server_us = each(measured.server_cpu->total_s());
    n.server_user_us = each(measured.server_cpu->user_s);
    n.server_system_us = each(measured.server_cpu->system_s);
  }
  return n;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      out += c;
  }
  return out + '"';
}

// Each failure with its name: a status, or what was wrong.
std::vector<std::pair<std::string, uint64_t>> failures_of(const Tally& tally) {
  std::vector<std::pair<std::string, uint64_t>> failures(tally.wrong.begin(), tally.wrong.end());
  for (const auto& [status, count] : tally.errors)
    failures.emplace_back(
        fmt::format("{} (0x{:08X})", status_name(status), static_cast<uint32_t>(status)), count);
  return failures;
}

}  // namespace

std::string table_of(const Setting& setting, const Measured& measured) {
  const Numbers n = numbers_of(setting, measured);
  std::string out = setting.mode;
  if (setting.size != 0) out += fmt::format(" of {} bytes", setting.size);
  out += fmt::format("{}, depth {}, {} connection{}, {}, dialect {}\n",
                     setting.random ? ", random" : "", setting.depth, setting.connections,
                     setting.connections == 1 ? "" : "s",
                     setting.seal   ? "sealed"
                     : setting.sign ? "signed"
                                    : "neither signed nor sealed",
                     setting.dialect);
  const auto row = [&](std::string_view name, std::string value) {
    out += fmt::format("  {:<22}  {}\n", name, value);
  };
  row("operations", fmt::format("{} in {:.2f} s", measured.tally.operations, measured.seconds));
  row("failed", fmt::format("{}", measured.tally.failed + measured.failed_outside));
  row("operations/s", fmt::format("{:.0f}", n.operations_per_s));
  if (setting.size != 0) row("MB/s", fmt::format("{:.1f}", n.mb_per_s));
  row("latency (us)", fmt::format("p50 {:.1f}  p90 {:.1f}  p99 {:.1f}  max {:.1f}", n.p50_us,
                                  n.p90_us, n.p99_us, n.max_us));
  if (n.server_us)
    row("server CPU/op (us)", fmt::format("{:.2f}  (user {:.2f}, system {:.2f})", *n.server_us,
                                          *n.server_user_us, *n.server_system_us));
  row("client CPU/op (us)", fmt::format("{:.2f}", n.client_us));
  if (measured.depth_reached < setting.depth)
    row("depth reached",
        fmt::format("{}: the server gave no more credits", measured.depth_reached));
  for (const auto& [name, count] : failures_of(measured.tally)) row(name, fmt::format("{}", count));
  return out;
}

std::string json_of(const Setting& setting, const Measured& measured) {
  const Numbers n = numbers_of(setting, measured);
  std::string failures;
  for (const auto& [name, count] : failures_of(measured.tally))
    failures += fmt::format("{}{}: {}", failures.empty() ? "" : ", ", quoted(name), count);
  std::string server = "null";
  if (n.server_us)
    server = fmt::format(R"({{"total": {:.3f}, "user": {:.3f}, "system": {:.3f}}})", *n.server_us,
                         *n.server_user_us, *n.server_system_us);
  std::string out = "{\n";
  out += fmt::format("  \"address\": {}, \"share\": {}, \"dialect\": {},\n",
                     quoted(setting.address), quoted(setting.share), quoted(setting.dialect));
  out += fmt::format("  \"mode\": {}, \"size\": {}, \"depth\": {}, \"connections\": {},\n",
                     quoted(setting.mode), setting.size, setting.depth, setting.connections);
  out += fmt::format("  \"random\": {}, \"signed\": {}, \"sealed\": {},\n", setting.random,
                     setting.sign, setting.seal);
  out +=
      fmt::format("  \"seconds\": {:.6f}, \"operations\": {}, \"failed\": {},\n", measured.seconds,
                  measured.tally.operations, measured.tally.failed + measured.failed_outside);
  out += fmt::format("  \"failures\": {{{}}},\n", failures);
  out += fmt::format("  \"depth_reached\": {},\n", measured.depth_reached);
  out += fmt::format("  \"operations_per_s\": {:.3f}, \"mb_per_s\": {:.3f},\n", n.operations_per_s,
                     n.mb_per_s);
  out += fmt::format(
      "  \"latency_us\": {{\"mean\": {:.3f}, \"p50\": {:.3f}, \"p90\": {:.3f}, \"p99\": {:.3f}, "
      "\"max\": {:.3f}}},\n",
      n.mean_us, n.p50_us, n.p90_us, n.p99_us, n.max_us);
  out += fmt::format("  \"server_cpu_us_per_op\": {},\n", server);
  out += fmt::format("  \"client_cpu_us_per_op\": {:.3f}\n}}\n", n.client_us);
  return out;
}

}  // namespace semblance::bench
