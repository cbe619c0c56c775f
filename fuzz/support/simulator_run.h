#pragma once
// What one input of the fuzzer `simulator` means: a small world whose every decision is drawn from
// the input's bytes (sim::BytesSource).

#include "sim/run/simulation.h"

namespace semblance::fuzz {

inline sim::RunOptions simulator_run() {
  sim::RunOptions options;
  options.seed = 1;
  options.requests = 24;
  return options;
}

}  // namespace semblance::fuzz
