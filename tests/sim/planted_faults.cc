// Every planted fault is caught within so many seeds; without one, the same seeds hold. Prints the
// table of SIMULATOR.md: fault, oracle, seeds to the catch.
//
//     planted_faults [SEEDS]

#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/campaign/campaign.h"
#include "sim/campaign/planting.h"

namespace {

using namespace semblance::sim;

CampaignResult search(uint64_t seeds) {
  CampaignOptions options;
  options.first = 1;
  options.last = seeds;
  options.jobs = 2;
  options.tapes = "";
  options.failures_max = 1;
  return run_campaign(options, [](const Outcome&) {});
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  std::vector<PlantedFault> faults = planted_faults();
  int missed = 0;
  if (faults.size() < 25) {
    std::printf("only %zu faults are planted in this build\n", faults.size());
    return 1;
  }
  for (const PlantedFault& fault : faults) {
    plant(fault.name);
    CampaignResult result = search(seeds);
    if (result.found.empty()) {
      ++missed;
      std::printf("| %s | %.*s | MISSED | %lu |\n", std::string(fault.name).c_str(),
                  static_cast<int>(fault.what.size()), fault.what.data(),
                  static_cast<unsigned long>(seeds));
      continue;
    }
    const Outcome& caught = result.found.front().outcome;
    std::printf("| %s | %.*s | %s | %lu |\n", std::string(fault.name).c_str(),
                static_cast<int>(fault.what.size()), fault.what.data(), caught.oracle.c_str(),
                static_cast<unsigned long>(caught.seed));
  }
  plant("");
  CampaignResult healthy = search(seeds);
  if (!healthy.found.empty()) {
    ++missed;
    std::printf("without a fault seed %lu fails: %s: %s\n",
                static_cast<unsigned long>(healthy.found.front().outcome.seed),
                healthy.found.front().outcome.oracle.c_str(),
                healthy.found.front().outcome.what.c_str());
  }
  std::printf("%zu faults, %d missed\n", faults.size(), missed);
  return missed == 0 ? 0 : 1;
}
