#pragma once
// `semblance bench ADDR`: the load generator of tools/bench, from its options to its report.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace semblance {

struct BenchArguments {
  std::string address;  // HOST[:PORT]
  std::string share = "share", user, mode = "read", dialect = "3.1.1", json;
  std::optional<uint32_t> size;
  std::optional<size_t> depth;
  size_t connections = 1, entries = 1000, file_mb = 16;
  double warmup_s = 1, seconds = 5;
  int server_pid = 0;
  bool random = false, sign = false, seal = false, progress = false;
};

void add_bench_options(CLI::App& bench, BenchArguments& arguments);

// Runs the load and prints its report. The exit code: 0, 1 when an operation failed or the load
// could not run, 2 for options that make no sense.
int run_bench(const BenchArguments& arguments);

}  // namespace semblance
