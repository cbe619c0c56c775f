// share::matches against MS-FSA 2.1.4.4 read naively.

#include "engine/share/pattern.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "engine/base/upcase.h"

namespace semblance::share {
namespace {

// The section's rules one by one, by recursion over every choice. Where its text leaves DOS_STAR
// open ("until encountering and matching the final ."), it is read as Windows does it: the final
// period is never part of what DOS_STAR takes.
bool naive(std::u16string_view pattern, std::u16string_view name, size_t last_dot, size_t at) {
  if (pattern.empty()) return name.empty();
  std::u16string_view rest = pattern.substr(1);
  bool end = name.empty();
  switch (pattern.front()) {
    case u'*':
      return naive(rest, name, last_dot, at) ||
             (!end && naive(pattern, name.substr(1), last_dot, at + 1));
    case u'?':
      return !end && naive(rest, name.substr(1), last_dot, at + 1);
    case u'"':
      if (end) return naive(rest, name, last_dot, at);
      return name.front() == u'.' && naive(rest, name.substr(1), last_dot, at + 1);
    case u'>':
      if (end || name.front() == u'.') return naive(rest, name, last_dot, at);
      return naive(rest, name.substr(1), last_dot, at + 1);
    case u'<':
      return naive(rest, name, last_dot, at) ||
             (!end && at != last_dot && naive(pattern, name.substr(1), last_dot, at + 1));
    default:
      return !end && upcase(pattern.front()) == upcase(name.front()) &&
             naive(rest, name.substr(1), last_dot, at + 1);
  }
}

bool reference(std::u16string_view pattern, std::u16string_view name) {
  if (pattern == u"*" || pattern == u"*.*") return true;  // part 1
  return naive(pattern, name, name.rfind(u'.'), 0);
}

std::u16string from(const std::vector<uint8_t>& picks, std::u16string_view alphabet) {
  std::u16string text;
  for (uint8_t pick : picks) text.push_back(alphabet[pick % alphabet.size()]);
  return text;
}

TEST(Pattern, AgreesWithTheSection) {
  EXPECT_TRUE(rc::check([] {
    auto size = [](size_t most) {
      return rc::gen::resize(static_cast<int>(most), rc::gen::arbitrary<std::vector<uint8_t>>());
    };
    std::u16string pattern = from(*size(9), u"*?<>\"..aAbBx");
    std::u16string name = from(*size(9), u"...aAbBxy");
    RC_PRE(!name.empty());
    RC_TAG(reference(pattern, name));
    RC_ASSERT(matches(pattern, name) == reference(pattern, name));
  }));
}

// Patterns made of a name match it: random ones seldom do.
TEST(Pattern, AGeneralisedNameMatches) {
  EXPECT_TRUE(rc::check([](const std::vector<uint8_t>& picks, const std::vector<uint8_t>& how) {
    std::u16string name = from(picks, u"..abcXYZ\u00E4\u00C4\u4E2D");
    RC_PRE(!name.empty());
    std::u16string pattern;
    for (size_t i = 0; i < name.size(); ++i) {
      switch (how.empty() ? 0 : how[i % how.size()] % 4) {
        case 0:
          pattern.push_back(name[i]);
          break;
        case 1:
          pattern.push_back(upcase(name[i]));
          break;
        case 2:
          pattern.push_back(u'?');
          break;
        default:
          pattern.push_back(u'*');
      }
    }
    RC_ASSERT(matches(pattern, name));
  }));
}

TEST(Pattern, SpecialCases) {
  EXPECT_TRUE(matches(u"*.*", u"no dot"));
  EXPECT_TRUE(matches(u"*", u"."));
  EXPECT_FALSE(matches(u"", u"x"));
  EXPECT_TRUE(matches(u"*.txt", u".txt"));
  EXPECT_TRUE(matches(u"<.txt", u"a.b.txt"));
  EXPECT_FALSE(matches(u"<.b", u"a.b.c"));
  EXPECT_TRUE(matches(u">>>", u"ab"));
  EXPECT_FALSE(matches(u">>>", u"abcd"));
  EXPECT_TRUE(matches(u"\u00E4*", u"\u00C4x"));
}

TEST(Pattern, NoPatternIsSlow) {
  std::u16string pattern, name(255, u'a');
  for (int i = 0; i < 127; ++i) pattern += u"*a";
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(matches(pattern + u"b", name));
}

TEST(Pattern, ALiteralIsOneWithoutWildcards) {
  EXPECT_TRUE(rc::check([](const std::vector<uint8_t>& picks) {
    std::u16string name = from(picks, u"abc.");
    RC_ASSERT(is_literal(name));
    RC_ASSERT(name.empty() || matches(name, name));
    for (char16_t c : {u'*', u'?', u'<', u'>', u'"'}) RC_ASSERT(!is_literal(name + c));
  }));
}

}  // namespace
}  // namespace semblance::share
