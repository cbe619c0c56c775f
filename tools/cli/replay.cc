#include "tools/cli/replay.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

#include "sim/log/replayer.h"
#include "tools/commit.h"

namespace semblance {

int replay_log(const std::string& file, bool trace) {
  std::ifstream log(file, std::ios::binary);
  if (!log) {
    std::fprintf(stderr, "semblance: %s: %s\n", file.c_str(), std::strerror(errno));
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const log::ReplayReport report = log::replay(log, trace ? &std::cout : nullptr);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  if (report.outcome == log::ReplayOutcome::kUnreadable) {
    std::fprintf(stderr, "semblance: %s: %s", file.c_str(), report.account.c_str());
    if (report.steps == 0) return 2;
  } else {
    std::printf("%s", report.account.c_str());
  }
  if (report.outcome != log::ReplayOutcome::kAgrees && report.build != build_commit())
    std::printf("recorded by %s, replayed by %s\n", report.build.c_str(),
                std::string(build_commit()).c_str());
  const char* const verdict = report.outcome == log::ReplayOutcome::kAgrees    ? "agrees"
                              : report.outcome == log::ReplayOutcome::kDiffers ? "differs"
                                                                               : "unreadable";
  std::printf("%s: steps=%llu events=%llu effects=%llu bytes=%llu wall_s=%.3f\n", verdict,
              static_cast<unsigned long long>(report.steps),
              static_cast<unsigned long long>(report.events),
              static_cast<unsigned long long>(report.effects),
              static_cast<unsigned long long>(report.bytes), took.count());
  return static_cast<int>(report.outcome);
}

}  // namespace semblance
