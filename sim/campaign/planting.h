#pragma once
// Faults planted in the engine (engine/base/planted.h), by name. Builds without them have none.

#include <string_view>
#include <vector>

namespace semblance::sim {

struct PlantedFault {
  std::string_view name, what;
};
// Empty in a build without planted faults.
std::vector<PlantedFault> planted_faults();

// From here on the fault of this name is in force; "" ends it. False if this build has none such.
bool plant(std::string_view name);

}  // namespace semblance::sim
