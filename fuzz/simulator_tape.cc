// simulator_tape FILE TAPE: an input of the fuzzer `simulator` as a tape, for `semblance sim
// --tape`. Runs it in a child process, so an input that aborts becomes a tape like any other.

#include <cstdio>
#include <fstream>
#include <iterator>

#include "fuzz/support/simulator_run.h"
#include "sim/campaign/isolated.h"
#include "sim/choice/sources.h"

int main(int argc, char** argv) {
  using namespace semblance;
  if (argc != 3) {
    std::fprintf(stderr, "usage: simulator_tape FILE TAPE\n");
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "can't read %s\n", argv[1]);
    return 1;
  }
  std::vector<char> read{std::istreambuf_iterator<char>(in), {}};
  std::vector<uint8_t> bytes(read.begin(), read.end());

  sim::RunOptions options = fuzz::simulator_run();
  sim::BytesSource source(bytes);
  sim::Tape tape;
  tape.seed = options.seed;
  tape.requests = options.requests;
  tape.choices = sim::choices_of(source, options);
  sim::Outcome outcome = sim::replay_isolated(tape, options);
  tape.oracle = outcome.oracle;
  tape.what = outcome.what;
  if (auto written = sim::write_tape(tape, argv[2]); !written) {
    std::fprintf(stderr, "%s\n", written.error().c_str());
    return 1;
  }
  std::printf("%s: %zu choices; %s\n", argv[2], tape.choices.size(),
              tape.oracle.empty() ? "holds" : (tape.oracle + ": " + tape.what).c_str());
}
