#include "sim/log/read_targets.h"

#include <algorithm>
#include <utility>

namespace semblance::log {

void ReadTargets::note(const RunStore& effect) {
  const MutableBytes into = std::visit(
      [](const auto& operation) -> MutableBytes {
        if constexpr (requires { operation.into; })
          return operation.into;
        else
          return {};
      },
      effect.what);
  const uint32_t index = effect.operation.index;
  if (into.empty() && index >= targets_.size()) return;
  if (index >= targets_.size()) targets_.resize(index + 1);
  targets_[index] = {effect.operation.generation, into};
}

MutableBytes ReadTargets::take(const StoreDone& done) {
  const uint32_t index = done.operation.index;
  if (index >= targets_.size() || targets_[index].generation != done.operation.generation)
    return {};
  const MutableBytes into = std::exchange(targets_[index].into, {});
  return done.result.ok() ? into : MutableBytes{};
}

MutableBytes ReadTargets::take_filled(const StoreDone& done) {
  const MutableBytes into = take(done);
  const auto* count = std::get_if<StoreCount>(&done.result.value);
  if (count == nullptr) return {};
  return into.first(std::min<uint64_t>(count->count, into.size()));
}

}  // namespace semblance::log
