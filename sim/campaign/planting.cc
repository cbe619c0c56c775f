#include "sim/campaign/planting.h"

#include "engine/base/planted.h"

namespace semblance::sim {

#ifdef SEMBLANCE_PLANTED

namespace {
struct Entry {
  Planted fault;
  PlantedFault said;
};
constexpr Entry kEntries[] = {
#define X(enumerator, name, what) {Planted::enumerator, {name, what}},
    SEMBLANCE_PLANTED_FAULTS(X)
#undef X
};
}  // namespace

std::vector<PlantedFault> planted_faults() {
  std::vector<PlantedFault> all;
  for (const Entry& entry : kEntries) all.push_back(entry.said);
  return all;
}

bool plant(std::string_view name) {
  planted = Planted::kNone;
  if (name.empty()) return true;
  for (const Entry& entry : kEntries)
    if (entry.said.name == name) planted = entry.fault;
  return planted != Planted::kNone;
}

#else

std::vector<PlantedFault> planted_faults() { return {}; }
bool plant(std::string_view name) { return name.empty(); }

#endif

}  // namespace semblance::sim
