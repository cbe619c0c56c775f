#include "sim/world/swarm.h"

#include <algorithm>

namespace semblance::sim {

namespace {
constexpr std::string_view kNames[] = {
#define X(enumerator, name, meaning) name,
    SEMBLANCE_FAULT_CLASSES(X)
#undef X
};
// Entities of the swarm's own decisions, beside those of the classes.
constexpr uint64_t kNoFaultsAtAll = 1000;
constexpr uint64_t kLevels = 2000;
}  // namespace

std::string_view fault_class_name(FaultClass fault) { return kNames[static_cast<size_t>(fault)]; }

std::optional<FaultClass> fault_class_of(std::string_view name) {
  for (size_t i = 0; i < kFaultClasses; ++i)
    if (kNames[i] == name) return static_cast<FaultClass>(i);
  return std::nullopt;
}

Swarm Swarm::draw(Chooser& chooser, const std::optional<std::vector<FaultClass>>& only) {
  Swarm swarm;
  // Asked so that 0, the answer of an empty tape, is a run without faults.
  bool any = true;
  if (only)
    chooser.force(Site::kSwarm, kNoFaultsAtAll, 1);
  else
    any = chooser.chance(Site::kSwarm, kNoFaultsAtAll, 950'000);
  for (size_t i = 0; i < kFaultClasses && any; ++i) {
    bool on = false;
    if (only) {
      on = std::ranges::count(*only, static_cast<FaultClass>(i)) != 0;
      chooser.force(Site::kSwarm, i, on);
    } else {
      on = chooser.chance(Site::kSwarm, i, 500'000);
    }
    if (on) swarm.levels_[i] = 1 + chooser.log_uniform(Site::kSwarm, kLevels + i, kLevelMax - 1);
  }
  return swarm;
}

std::string Swarm::text() const {
  std::string text;
  for (size_t i = 0; i < kFaultClasses; ++i) {
    if (levels_[i] == 0) continue;
    if (!text.empty()) text += ' ';
    text += kNames[i];
    text += ':';
    text += std::to_string(levels_[i]);
  }
  return text.empty() ? "none" : text;
}

}  // namespace semblance::sim
