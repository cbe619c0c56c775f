#include "engine/share/pattern.h"

#include <bitset>

#include "engine/base/upcase.h"

namespace semblance::share {
namespace {

constexpr size_t kUnitsMax = 255;
// Positions within the pattern that are reached after some of the name: a set, so nothing recurs.
using States = std::bitset<kUnitsMax + 2>;

// Adds what can be reached without taking a character of the name.
void close_over(States& states, std::u16string_view pattern, bool at_end, char16_t next) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (!states[i]) continue;
    char16_t p = pattern[i];
    bool skips =
        p == u'*' || p == u'<' || (p == u'>' && (at_end || next == u'.')) || (p == u'"' && at_end);
    if (skips) states.set(i + 1);
  }
}

// Whether pattern unit `p` takes character `c`; `dot_follows` tells of a later '.' in the name.
bool takes(char16_t p, char16_t c, bool dot_follows) {
  switch (p) {
    case u'*':
    case u'?':
      return true;
    case u'<':
      return c != u'.' || dot_follows;
    case u'>':
      return c != u'.';
    case u'"':
      return c == u'.';
    default:
      return upcase(p) == upcase(c);
  }
}

}  // namespace

bool matches(std::u16string_view pattern, std::u16string_view name) {
  if (pattern.size() > kUnitsMax) return false;
  if (pattern == u"*" || pattern == u"*.*") return true;  // a name without a dot too
  size_t last_dot = name.rfind(u'.');
  States states;
  states.set(0);
  for (size_t n = 0; n < name.size() && states.any(); ++n) {
    close_over(states, pattern, false, name[n]);
    bool dot_follows = last_dot != std::u16string_view::npos && last_dot > n;
    States next;
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (!states[i] || !takes(pattern[i], name[n], dot_follows)) continue;
      bool stays = pattern[i] == u'*' || pattern[i] == u'<';
      next.set(stays ? i : i + 1);
    }
    states = next;
  }
  close_over(states, pattern, true, 0);
  return states[pattern.size()];
}

bool is_literal(std::u16string_view pattern) {
  return pattern.find_first_of(u"*?<>\"") == std::u16string_view::npos;
}

}  // namespace semblance::share
