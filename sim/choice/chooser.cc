#include "sim/choice/chooser.h"

#include <array>
#include <bit>

#include "engine/base/check.h"

namespace semblance::sim {

namespace {
constexpr std::string_view kNames[] = {
#define X(enumerator, name, what) name,
    SEMBLANCE_SITES(X)
#undef X
};
}  // namespace

std::string_view site_name(Site site) {
  CHECK(site < Site::kCount);
  return kNames[static_cast<size_t>(site)];
}

Site site_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<Site>(i);
  return Site::kCount;
}

uint32_t Chooser::ask(Site site, uint64_t entity, uint32_t bound,
                      std::span<const uint32_t> weights) {
  CHECK(bound >= 1);
  if (bound == 1) return 0;
  uint32_t occurrence = occurrences_[static_cast<size_t>(site)][entity]++;
  Decision decision{site, entity, occurrence};
  uint32_t value = source_.decide(decision, bound, weights);
  CHECK(value < bound);
  if (value != 0) choices_.push_back({decision, value});
  return value;
}

void Chooser::force(Site site, uint64_t entity, uint32_t value) {
  Decision decision{site, entity, occurrences_[static_cast<size_t>(site)][entity]++};
  source_.forced(decision, value);
  if (value != 0) choices_.push_back({decision, value});
}

uint32_t Chooser::pick(Site site, uint64_t entity, uint32_t bound) {
  return ask(site, entity, bound, {});
}

bool Chooser::chance(Site site, uint64_t entity, uint32_t ppm) {
  if (ppm == 0) return false;
  constexpr uint32_t kMillion = 1'000'000;
  std::array<uint32_t, 2> weights = {ppm >= kMillion ? 0 : kMillion - ppm, ppm};
  return ask(site, entity, 2, weights) == 1;
}

uint32_t Chooser::weighted(Site site, uint64_t entity, std::span<const uint32_t> weights) {
  return ask(site, entity, static_cast<uint32_t>(weights.size()), weights);
}

uint32_t Chooser::log_uniform(Site site, uint64_t entity, uint32_t max) {
  auto bits = static_cast<uint32_t>(std::bit_width(max));
  uint32_t power = pick(site, entity, bits + 1);
  if (power == 0) return 0;
  uint32_t low = 1u << (power - 1);
  uint32_t high = power == bits ? max : 2 * low - 1;
  return low + pick(site, entity, high - low + 1);
}

}  // namespace semblance::sim
