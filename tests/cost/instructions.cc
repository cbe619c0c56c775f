// Plays every canned scenario with the engine's instructions counted. It is run under callgrind by
// instructions.py; each scenario becomes a part of its own in callgrind's output.

#include <valgrind/callgrind.h>

#include <string>
#include <string_view>
#include <utility>

#include "tools/cli/effects/engine_server.h"
#include "tools/cli/effects/scenario.h"

namespace semblance::effects {
namespace {

// Enough for every pool to have its memory.
constexpr unsigned kWarm = 50;
constexpr unsigned kRounds = 10;

class CallgrindMeter : public Meter {
 public:
  ~CallgrindMeter() override { CALLGRIND_STOP_INSTRUMENTATION; }
  void on() override {
    // What goes before is only emulated, which is quicker.
    if (!std::exchange(started_, true)) CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_TOGGLE_COLLECT;
  }
  void off() override { CALLGRIND_TOGGLE_COLLECT; }

 private:
  bool started_ = false;
};

void run(std::string_view only) {
  for (const Scenario& scenario : scenarios()) {
    if (!only.empty() && scenario.name != only) continue;
    CallgrindMeter meter;
    EngineServer server(meter);
    play(server, scenario, kWarm, kRounds);
    const std::string label =
        std::to_string(uint64_t{kRounds} * scenario.requests) + " " + std::string(scenario.name);
    CALLGRIND_DUMP_STATS_AT(label.c_str());
  }
}

}  // namespace
}  // namespace semblance::effects

// One argument: the only scenario to play, or "--plain", which only asks whether this build is one
// whose instructions are worth counting.
int main(int argc, char** argv) {
  const std::string_view argument = argc > 1 ? argv[1] : "";
  if (argument == "--plain") return semblance::effects::is_plain_build() ? 0 : 1;
  semblance::effects::run(argument);
  return 0;
}
