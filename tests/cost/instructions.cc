// Plays every canned scenario with the engine's instructions counted, to be run under callgrind by
// instructions_test.py; each becomes a part of its own in callgrind's output.

#include <valgrind/callgrind.h>

#include "tools/cli/effects/engine_server.h"
#include "tools/cli/effects/scenario.h"

namespace semblance::effects {
namespace {

constexpr unsigned kWarm = 300;
constexpr unsigned kRounds = 20;

class CallgrindMeter : public Meter {
 public:
  void on() override { CALLGRIND_TOGGLE_COLLECT; }
  void off() override { CALLGRIND_TOGGLE_COLLECT; }
};

int run(std::string_view only) {
  for (const Scenario& scenario : scenarios()) {
    if (!only.empty() && scenario.name != only) continue;
    CallgrindMeter meter;
    EngineServer server(meter);
    play(server, scenario, kWarm, kRounds);
    const std::string label = std::string(scenario.name) + "\t" +
                              std::to_string(uint64_t{kRounds} * scenario.requests);
    CALLGRIND_DUMP_STATS_AT(label.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace semblance::effects

// One argument: the only scenario to play.
int main(int argc, char** argv) { return semblance::effects::run(argc > 1 ? argv[1] : ""); }
