#pragma once
// The one place where a run's decisions come from.
//
// A decision is asked for by site (what is decided), entity (for whom: a client, a command, a
// connection) and a bound; the chooser counts the occurrences of each (site, entity). What answers
// is a Source: sources.h. Every answer but 0 is recorded, so any run of any source can be replayed
// and minimised as a tape. 0 is by convention the uneventful answer: nothing, no fault, at once,
// in order.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/choice/site.h"

namespace semblance::sim {

struct Decision {
  Site site{};
  uint64_t entity = 0;
  uint32_t occurrence = 0;
  auto operator<=>(const Decision&) const = default;
};
struct Choice {
  Decision decision;
  uint32_t value = 0;
  bool operator==(const Choice&) const = default;
};

class Source {
 public:
  virtual ~Source() = default;
  // A value below `bound` (at least 1). With weights (`bound` of them) the source may follow them;
  // without, every value is as likely.
  virtual uint32_t decide(const Decision& decision, uint32_t bound,
                          std::span<const uint32_t> weights) = 0;
  // An answer was given without asking: see Chooser::force.
  virtual void forced(const Decision&, uint32_t /*value*/) {}
};

class Chooser {
 public:
  // `source` outlives the chooser.
  explicit Chooser(Source& source) : source_(source) {}

  // A value below `bound`, which is at least 1.
  uint32_t pick(Site site, uint64_t entity, uint32_t bound);
  // True with `ppm` in a million; never asks when that is 0.
  bool chance(Site site, uint64_t entity, uint32_t ppm);
  // An index of `weights`. A first weight of 0 makes 0 reachable from tapes only.
  uint32_t weighted(Site site, uint64_t entity, std::span<const uint32_t> weights);
  uint32_t weighted(Site site, uint64_t entity, std::initializer_list<uint32_t> weights) {
    return weighted(site, entity, std::span(weights.begin(), weights.size()));
  }
  // Decides by itself, so that a tape of the run says so too.
  void force(Site site, uint64_t entity, uint32_t value);
  // 0 to `max`, each power of two as likely as the next.
  uint32_t log_uniform(Site site, uint64_t entity, uint32_t max);

  // All answers that were not 0, in the order in which they were given.
  const std::vector<Choice>& choices() const { return choices_; }

 private:
  uint32_t ask(Site site, uint64_t entity, uint32_t bound, std::span<const uint32_t> weights);

  Source& source_;
  // Looked up, never walked through.
  std::unordered_map<uint64_t, uint32_t> occurrences_[static_cast<size_t>(Site::kCount)];
  std::vector<Choice> choices_;
};

// The entity of what one client does in its n-th command.
constexpr uint64_t command_entity(uint32_t client, uint32_t command) {
  return (uint64_t{client} << 32) | command;
}

}  // namespace semblance::sim
