#pragma once
// Makes a failing run small: whole commands of clients first, then faults, then every choice alone,
// then smaller values. What is taken away becomes 0, the uneventful answer.

#include <functional>

#include "sim/campaign/tape.h"

namespace semblance::sim {

// Whether these choices still fail in the same way.
using StillFails = std::function<bool(const std::vector<Choice>&)>;

// At most `runs_max` calls of `still_fails`. The result fails, as `choices` does.
std::vector<Choice> minimise(std::vector<Choice> choices, const StillFails& still_fails,
                             uint32_t runs_max);

}  // namespace semblance::sim
