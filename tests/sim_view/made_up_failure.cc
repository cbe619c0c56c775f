// Writes the page of a run to standard output and says that it failed half way: with what an oracle
// might say at its worst. The run is the first in which everything happens that a page can show.

#include <cstdlib>
#include <string_view>

#include "sim/choice/sources.h"
#include "sim/run/simulation.h"
#include "sim/view/page.h"

namespace semblance::sim {
namespace {

constexpr uint64_t kSeedsMax = 3000;
constexpr int64_t kStart = 1'000'000'000;  // the scheduler's first instant
constexpr std::string_view kKinds[] = {"open", "close", "hung_up", "up", "down",
                                       "req",  "pend",  "res",     "op", "apply",
                                       "done", "crash", "restart", "bar"};

void draw(uint64_t seed, FILE* out) {
  Page page(out);
  RunOptions options;
  options.seed = seed;
  options.faults = {FaultClass::kSplit,  FaultClass::kStall, FaultClass::kSlowDisk,
                    FaultClass::kRepeat, FaultClass::kCrash, FaultClass::kOutside};
  options.watchers = {&page};
  HashSource source(seed);
  Chooser chooser(source);
  RunResult result = simulate(chooser, options);
  page.finish({.seed = seed,
               .requests = result.requests,
               .swarm = result.swarm,
               .shape = result.shape,
               .oracle = "made_up",
               .what = "\"quoted\" </script><!-- & 'so on' [request 40: command 5, ...]",
               .failed_at_ns = kStart + result.simulated.ns / 2,
               .replay = "semblance sim --seeds " + std::to_string(seed)});
}

bool shows_all(std::string_view page) {
  for (std::string_view kind : kKinds)
    if (page.find("\"k\":\"" + std::string(kind) + "\"") == std::string_view::npos) return false;
  return true;
}

int main() {
  for (uint64_t seed = 1; seed <= kSeedsMax; ++seed) {
    char* text = nullptr;
    size_t size = 0;
    FILE* memory = ::open_memstream(&text, &size);
    draw(seed, memory);
    std::fclose(memory);
    bool good = shows_all({text, size});
    if (good) std::fwrite(text, 1, size, stdout);
    std::free(text);
    if (good) return 0;
  }
  std::fputs("no seed shows everything\n", stderr);
  return 1;
}

}  // namespace
}  // namespace semblance::sim

int main() { return semblance::sim::main(); }
