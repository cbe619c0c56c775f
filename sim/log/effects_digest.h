#pragma once
// The effects of one step as the log keeps them: a hash of all, and of each so much that a
// difference can be pinned to one of them.

#include <span>
#include <vector>

#include "engine/engine.h"
#include "sim/log/content_hash.h"

namespace semblance::log {

struct EffectMark {
  uint8_t kind;   // position in Effect
  uint32_t hash;  // of its content
  auto operator<=>(const EffectMark&) const = default;
};

struct EffectsDigest {
  Hash128 hash{};
  std::vector<EffectMark> marks;
  bool operator==(const EffectsDigest&) const = default;
};

EffectsDigest digest_of(std::span<const Effect> effects);

}  // namespace semblance::log
