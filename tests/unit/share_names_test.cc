// Names on the wire and in the store: both ways, without a pair that looks alike.

#include "engine/share/names.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "engine/base/utf16.h"

namespace semblance::share {
namespace {

std::u16string some_wire_name() {
  const auto units = *rc::gen::container<std::vector<char16_t>>(rc::gen::oneOf(
      rc::gen::element<char16_t>(u'a', u'B', u'.', u' ', u'\u00E4', 0x4E2D, u'~', u'-'),
      rc::gen::inRange<char16_t>(0xF000, 0xF080), rc::gen::element<char16_t>(0xF07F, 0xE000),
      rc::gen::inRange<char16_t>(0x20, 0x7F)));
  return {units.begin(), units.end()};
}

// A component as a disk could hold it: UTF-8, no '/' and no NUL.
std::string some_stored_name() {
  auto units = *rc::gen::container<std::vector<char16_t>>(rc::gen::oneOf(
      rc::gen::element<char16_t>(u'.', u' ', u':', u'\\', u'*', u'"', u'a', u'A', 0xF07F),
      rc::gen::inRange<char16_t>(0xF000, 0xF080), rc::gen::inRange<char16_t>(1, 0x2F),
      rc::gen::inRange<char16_t>(0x30, 0x250)));
  std::u16string text(units.begin(), units.end());
  std::string utf8 = *utf8_from_utf16(text);
  RC_PRE(!utf8.empty() && utf8 != "." && utf8 != "..");
  return utf8;
}

Result<std::string> path_of(std::u16string_view wire) { return store_path(as_bytes(wire)); }

TEST(Names, WhatTheWireSaysComesBackAsItWas) {
  EXPECT_TRUE(rc::check([] {
    std::u16string wire = some_wire_name();
    auto path = path_of(wire);
    RC_TAG(path.has_value());
    if (!path || path->empty()) return;
    RC_PRE(wire.back() != u'\\');
    if (path->find('/') != std::string::npos) return;
    auto back = wire_name(*path);
    RC_ASSERT(back.has_value());
    // A blank or dot at the end is shown as macOS would write it, for clients that can't spell it.
    if (wire.back() == u' ') wire.back() = 0xF028;
    if (wire.back() == u'.') wire.back() = 0xF029;
    RC_ASSERT(*back == wire);
  }));
}

TEST(Names, WhatIsShownOpensItself) {
  EXPECT_TRUE(rc::check([] {
    std::string stored = some_stored_name();
    auto wire = wire_name(stored);
    if (!wire) return;
    auto path = path_of(*wire);
    RC_ASSERT(path.has_value());
    RC_ASSERT(*path == stored);
  }));
}

TEST(Names, NoTwoStoredNamesLookAlike) {
  EXPECT_TRUE(rc::check([] {
    std::string a = some_stored_name(), b = some_stored_name();
    RC_PRE(a != b);
    auto wire_a = wire_name(a), wire_b = wire_name(b);
    if (wire_a && wire_b) RC_ASSERT(*wire_a != *wire_b);
  }));
}

// The pairs that come nearest: one character and what stands for it.
TEST(Names, CharactersAndTheirStandInsAreApart) {
  for (char16_t c = 1; c < 0x80; ++c)
    for (char16_t stand_in = 0xF000; stand_in < 0xF080; ++stand_in)
      for (const char16_t* around : {u"", u"x"}) {
        std::u16string plain = around + std::u16string(1, c);
        std::u16string other = around + std::u16string(1, stand_in);
        if (c == u'/' || plain == u".") continue;
        auto a = wire_name(*utf8_from_utf16(plain)), b = wire_name(*utf8_from_utf16(other));
        ASSERT_TRUE(a && b);
        EXPECT_NE(*a, *b) << int{c} << " " << int{stand_in};
      }
}

TEST(Names, PathsGoComponentByComponent) {
  EXPECT_TRUE(rc::check([] {
    std::u16string path;
    std::string expected;
    int count = *rc::gen::inRange(1, 6);
    for (int i = 0; i < count; ++i) {
      std::string stored = some_stored_name();
      auto wire = wire_name(stored);
      RC_PRE(wire.has_value());
      path += (i == 0 ? u"" : u"\\") + *wire;
      expected = joined(expected, stored);
    }
    auto got = path_of(path);
    RC_ASSERT(got.has_value());
    RC_ASSERT(*got == expected);
    RC_ASSERT(wire_path(*got) == u"\\" + path);
    RC_ASSERT(component_count(*got) == static_cast<uint32_t>(count));
    RC_ASSERT(joined(parent_path(*got), last_component(*got)) == *got);
    RC_ASSERT(count == 1 || is_beneath(*got, parent_path(*got)));
  }));
}

TEST(Names, NoAcceptedPathLeadsAnywhereElse) {
  EXPECT_TRUE(rc::check([](const std::vector<uint16_t>& units) {
    std::u16string wire;
    for (uint16_t unit : units)
      wire.push_back(unit % 3 == 0 ? u"\\./:"[unit / 3 % 4] : static_cast<char16_t>(unit));
    auto path = path_of(wire);
    if (!path) return;
    RC_ASSERT(path->find('\0') == std::string::npos);
    std::string rest = *path + "/";
    if (path->empty()) return;
    for (size_t slash; (slash = rest.find('/')) != std::string::npos; rest.erase(0, slash + 1)) {
      std::string component = rest.substr(0, slash);
      RC_ASSERT(!component.empty() && component != "." && component != "..");
    }
  }));
}

TEST(Names, StandInsForTheParentAreNoWayOut) {
  for (const std::u16string& name :
       {std::u16string{0xF029}, std::u16string{u'.', 0xF029}, std::u16string{0xF029, 0xF029}}) {
    auto path = path_of(name);
    if (path) {
      EXPECT_NE(*path, ".");
      EXPECT_NE(*path, "..");
    }
  }
}

TEST(Names, LengthIsCountedInUnitsOfTheWire) {
  EXPECT_TRUE(path_of(std::u16string(255, u'x')).has_value());
  EXPECT_EQ(path_of(std::u16string(256, u'x')).error(), NtStatus::kObjectNameInvalid);
  EXPECT_TRUE(path_of(std::u16string(255, 0x4E2D)).has_value());
  EXPECT_TRUE(wire_name(std::string(255, 'x')).has_value());
  EXPECT_FALSE(wire_name(std::string(256, 'x')).has_value());
}

}  // namespace
}  // namespace semblance::share
