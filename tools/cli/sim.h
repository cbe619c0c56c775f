#pragma once
// `semblance sim`: runs seeds of the simulated world, or a tape.

#include <string>
#include <vector>

namespace semblance {

struct SimArguments {
  std::string seeds = "1..100";
  double minutes = 0;
  unsigned jobs = 1;
  std::string tape, pcap, html, tapes = ".";
  std::vector<std::string> faults;
  unsigned requests = 100;
  unsigned failures = 10;  // at which to stop
  bool trace = false;
};

// Exit code: 0 when every oracle held, 1 when one did not, 2 for arguments that make no sense.
int run_sim(const SimArguments& arguments);

}  // namespace semblance
