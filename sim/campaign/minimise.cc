#include "sim/campaign/minimise.h"

#include <algorithm>
#include <map>

namespace semblance::sim {

namespace {

using Group = std::vector<Decision>;

class Minimiser {
 public:
  Minimiser(std::vector<Choice> choices, const StillFails& still_fails, uint32_t runs_max)
      : choices_(std::move(choices)), still_fails_(still_fails), left_(runs_max) {}

  std::vector<Choice> run() {
    for (size_t before = SIZE_MAX; choices_.size() < before && left_ > 0;) {
      before = choices_.size();
      remove(groups([](const Decision& d) { return by_command(d); }));
      remove(groups([](const Decision& d) { return by_site(d); }));
      remove(groups([](const Decision& d) { return d; }));
    }
    shrink_values();
    return std::move(choices_);
  }

 private:
  // The decisions of one command of a client belong together.
  static Decision by_command(const Decision& d) {
    bool of_client = d.site >= Site::kCommand && d.site <= Site::kLogin;
    return {of_client ? Site::kCommand : d.site, of_client ? d.entity : UINT64_MAX, 0};
  }
  static Decision by_site(const Decision& d) { return {d.site, d.entity, 0}; }

  template <typename Key>
  std::vector<Group> groups(Key key) const {
    std::map<Decision, Group> by_key;
    for (const Choice& choice : choices_) by_key[key(choice.decision)].push_back(choice.decision);
    std::vector<Group> all;
    for (auto& [which, group] : by_key) all.push_back(std::move(group));
    return all;
  }

  bool try_it(std::vector<Choice> smaller) {
    if (left_ == 0) return false;
    --left_;
    if (!still_fails_(smaller)) return false;
    choices_ = std::move(smaller);
    return true;
  }

  // Delta debugging: half of the groups at a time, then quarters, down to one.
  void remove(std::vector<Group> groups) {
    std::ranges::reverse(groups);  // late things first
    for (size_t chunk = (groups.size() + 1) / 2; chunk > 0 && left_ > 0;) {
      for (size_t at = 0; at < groups.size() && left_ > 0;) {
        size_t end = std::min(at + chunk, groups.size());
        if (try_it(without(groups, at, end)))
          groups.erase(groups.begin() + static_cast<ptrdiff_t>(at),
                       groups.begin() + static_cast<ptrdiff_t>(end));
        else
          at = end;
      }
      chunk /= 2;
    }
  }

  std::vector<Choice> without(const std::vector<Group>& groups, size_t begin, size_t end) const {
    std::vector<Decision> gone;
    for (size_t i = begin; i < end; ++i)
      gone.insert(gone.end(), groups[i].begin(), groups[i].end());
    std::ranges::sort(gone);
    std::vector<Choice> rest;
    for (const Choice& choice : choices_)
      if (!std::ranges::binary_search(gone, choice.decision)) rest.push_back(choice);
    return rest;
  }

  void shrink_values() {
    for (size_t i = 0; i < choices_.size() && left_ > 0; ++i) {
      for (uint32_t value : {1u, choices_[i].value / 2}) {
        if (value == 0 || value >= choices_[i].value) continue;
        std::vector<Choice> smaller = choices_;
        smaller[i].value = value;
        if (try_it(std::move(smaller))) break;
      }
    }
  }

  std::vector<Choice> choices_;
  const StillFails& still_fails_;
  uint32_t left_;
};

}  // namespace

std::vector<Choice> minimise(std::vector<Choice> choices, const StillFails& still_fails,
                             uint32_t runs_max) {
  return Minimiser(std::move(choices), still_fails, runs_max).run();
}

}  // namespace semblance::sim
