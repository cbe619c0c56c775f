#include "sim/choice/sources.h"

#include <algorithm>

#include "engine/base/check.h"

namespace semblance::sim {

namespace {

// FNV-1a of the site's name, so that a number may change.
constexpr uint64_t key_of(std::string_view name) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  return hash;
}

constexpr uint64_t kSiteKeys[] = {
#define X(enumerator, name, what) key_of(name),
    SEMBLANCE_SITES(X)
#undef X
};

// `random` scaled to [0, bound).
uint64_t scaled(uint64_t random, uint64_t bound) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(random) * bound) >> 64);
}

// The index that `random` falls on.
uint32_t by_weight(uint64_t random, std::span<const uint32_t> weights) {
  uint64_t sum = 0;
  for (uint32_t weight : weights) sum += weight;
  CHECK(sum > 0);
  uint64_t at = scaled(random, sum);
  uint32_t i = 0;
  for (; at >= weights[i]; ++i) at -= weights[i];
  return i;
}

}  // namespace

uint32_t HashSource::decide(const Decision& decision, uint32_t bound,
                            std::span<const uint32_t> weights) {
  uint64_t random = seed_ ^ kSiteKeys[static_cast<size_t>(decision.site)];
  random = scramble(random + decision.entity * 0x9E3779B97F4A7C15);
  random = scramble(random + decision.occurrence);
  if (weights.empty()) return static_cast<uint32_t>(scaled(random, bound));
  return by_weight(random, weights);
}

TapeSource::TapeSource(std::span<const Choice> choices) {
  for (const Choice& choice : choices) values_[choice.decision] = choice.value;
}

uint32_t TapeSource::decide(const Decision& decision, uint32_t bound, std::span<const uint32_t>) {
  auto found = values_.find(decision);
  return found == values_.end() ? 0 : std::min(found->second, bound - 1);
}

uint32_t BytesSource::decide(const Decision&, uint32_t bound, std::span<const uint32_t> weights) {
  if (bytes_.empty()) return 0;
  if (!weights.empty()) {
    // One byte; its last value stands for the last answer, however unlikely that is.
    uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    if (byte == UINT8_MAX) return bound - 1;
    return by_weight(uint64_t{byte} << 56, weights);
  }
  uint64_t value = 0;
  for (uint64_t reach = 1; reach < bound && !bytes_.empty(); reach <<= 8) {
    value = (value << 8) | bytes_.front();
    bytes_ = bytes_.subspan(1);
  }
  return static_cast<uint32_t>(value % bound);
}

uint32_t Odometer::decide(const Decision&, uint32_t bound, std::span<const uint32_t>) {
  if (at_ == digits_.size()) digits_.push_back({0, bound});
  CHECK(digits_[at_].bound == bound);  // the same answers lead to the same question
  return digits_[at_++].value;
}

bool Odometer::advance() {
  digits_.resize(at_);  // what this run did not ask for any more
  at_ = 0;
  while (!digits_.empty()) {
    if (++digits_.back().value < digits_.back().bound) return true;
    digits_.pop_back();
  }
  return false;
}

}  // namespace semblance::sim
