#include "sim/log/trace_hash.h"

#include <xxhash.h>

#include "engine/base/check.h"
#include "sim/log/fingerprint.h"

namespace semblance::log {
namespace {

// What a fingerprint in the stream is of.
enum class Entry : uint8_t { kEvent, kEffect, kSent };

}  // namespace

Hash128 hash128(Bytes bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

uint64_t hash64(Bytes bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void TraceHash::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

TraceHash::TraceHash() : state_(XXH3_createState()) {
  CHECK(state_ != nullptr && XXH3_128bits_reset(state_.get()) == XXH_OK);
}
TraceHash::~TraceHash() = default;
TraceHash::TraceHash(TraceHash&&) noexcept = default;
TraceHash& TraceHash::operator=(TraceHash&&) noexcept = default;

void TraceHash::event(Instant now, const Event& event) {
  Fingerprint print;
  print("entry", Entry::kEvent);
  print("now", now);
  print("event", event);
  if (const auto* done = std::get_if<StoreDone>(&event))
    print("read", Bytes(reads_.take_filled(*done)));
  update(print.all());
}

void TraceHash::effect(const Effect& effect) {
  Fingerprint print;
  print("entry", Entry::kEffect);
  print("effect", effect);
  update(print.all());
  if (const auto* run = std::get_if<RunStore>(&effect)) reads_.note(*run);
}

void TraceHash::sent(ConnectionId connection, Bytes bytes) {
  Fingerprint print;
  print("entry", Entry::kSent);
  print("connection", connection);
  print("bytes", bytes);
  update(print.all());
}

std::array<uint64_t, 2> TraceHash::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return {hash.low64, hash.high64};
}

void TraceHash::update(Bytes bytes) {
  CHECK(XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()) == XXH_OK);
}

}  // namespace semblance::log
