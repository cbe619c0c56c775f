#include "sim/log/effects_digest.h"

#include "sim/log/fingerprint.h"

namespace semblance::log {

EffectsDigest digest_of(std::span<const Effect> effects) {
  EffectsDigest digest;
  digest.marks.reserve(effects.size());
  for (const Effect& effect : effects) {
    Fingerprint print;
    print("effect", effect);
    const Hash128 own = hash128(print.all());
    digest.marks.push_back({static_cast<uint8_t>(effect.index()), static_cast<uint32_t>(own[0])});
    // Chained, so that the last one covers all.
    const uint64_t chain[] = {digest.hash[0], digest.hash[1], own[0], own[1]};
    digest.hash = hash128({reinterpret_cast<const uint8_t*>(chain), sizeof chain});
  }
  return digest;
}

}  // namespace semblance::log
