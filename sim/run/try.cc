#include <chrono>
#include <cstdio>
#include <cstdlib>
#include "sim/choice/sources.h"
#include "sim/run/simulation.h"
using namespace semblance::sim;
int main(int argc, char** argv) {
  uint64_t from = strtoull(argv[1], 0, 10), to = strtoull(argv[2], 0, 10);
  bool verbose = argc > 3;
  uint64_t req = 0, ev = 0, fail = 0;
  double simt = 0;
  uint64_t h = 0;
  auto t0 = std::chrono::steady_clock::now();
  for (uint64_t s = from; s <= to; ++s) {
    if (verbose) {
      fprintf(stderr, "seed %lu\n", s);
    }
    HashSource src(s);
    Chooser c(src);
    RunOptions o;
    o.seed = s;
    auto r = simulate(c, o);
    req += r.requests;
    ev += r.events;
    simt += r.simulated.ns / 1e9;
    h = h * 31 + r.hash[0];
    if (r.failure) {
      ++fail;
      printf("seed %lu: %s: %s at %.6f (%s; %s; %zu choices)\n", s, r.failure->oracle.c_str(),
             r.failure->what.c_str(), r.failure->when.ns / 1e9, r.shape.c_str(), r.swarm.c_str(),
             r.choices.size());
    }
  }
  double w = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
  printf(
      "seeds=%lu requests=%lu events=%lu simulated_s=%.0f wall_s=%.2f failures=%lu hash=%lx  "
      "seeds/s=%.0f req/s=%.0f\n",
      to - from + 1, req, ev, simt, w, fail, h, (to - from + 1) / w, req / w);
}
