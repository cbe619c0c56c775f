#include "sim/log/content_hash.h"

#include <xxhash.h>

#include "engine/base/check.h"

namespace semblance::log {

Hash128 hash128(Bytes bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

uint64_t hash64(Bytes bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void ContentHash::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

ContentHash::ContentHash() : state_(XXH3_createState()) {
  CHECK(state_ != nullptr);
  reset();
}
ContentHash::~ContentHash() = default;
ContentHash::ContentHash(ContentHash&&) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&&) noexcept = default;

void ContentHash::add(Bytes bytes) {
  if (!bytes.empty())
    CHECK(XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()) == XXH_OK);
}

Hash128 ContentHash::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return {hash.low64, hash.high64};
}

void ContentHash::reset() { CHECK(XXH3_128bits_reset(state_.get()) == XXH_OK); }

}  // namespace semblance::log
