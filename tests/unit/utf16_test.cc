#include "engine/base/utf16.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace semblance {
namespace {

using namespace std::literals;

std::optional<std::vector<uint8_t>> to_utf16(std::string_view utf8) {
  auto text = utf16_from_utf8(utf8);
  if (!text) return std::nullopt;
  Bytes bytes = as_bytes(*text);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

std::optional<std::string> to_utf8(Bytes utf16) {
  if (utf16.size() % 2 != 0) return std::nullopt;
  return utf8_from_utf16(utf16_from_wire(utf16));
}

RC_GTEST_PROP(Utf16, WhatUtf16AcceptsComesBackTheSame, ()) {
  auto code_point = rc::gen::map(rc::gen::inRange<uint32_t>(0, 0x110000 - 0x800),
                                 [](uint32_t c) { return c < 0xD800 ? c : c + 0x800; });
  std::vector<uint8_t> utf16;
  for (uint32_t c : *rc::gen::container<std::vector<uint32_t>>(code_point)) {
    auto put = [&](uint32_t unit) {
      utf16.push_back(static_cast<uint8_t>(unit));
      utf16.push_back(static_cast<uint8_t>(unit >> 8));
    };
    if (c >= 0x10000) put(0xD800 + ((c - 0x10000) >> 10));
    put(c < 0x10000 ? c : 0xDC00 + ((c - 0x10000) & 0x3FF));
  }
  auto utf8 = to_utf8(utf16);
  RC_ASSERT(utf8.has_value());
  auto back = to_utf16(*utf8);
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == utf16);
}

RC_GTEST_PROP(Utf16, ArbitraryBytesEitherFailOrComeBackTheSame, (const std::string& bytes)) {
  if (auto utf16 = to_utf16(bytes)) RC_ASSERT(*to_utf8(*utf16) == bytes);
  if (auto utf8 = to_utf8(as_bytes(bytes)))
    RC_ASSERT(std::ranges::equal(*to_utf16(*utf8), as_bytes(bytes)));
}

TEST(Utf16, KnownVectors) {
  EXPECT_EQ(to_utf16("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"),
            (std::vector<uint8_t>{'a', 0, 0xE4, 0, 0xAC, 0x20, 0x3D, 0xD8, 0x00, 0xDE}));
  EXPECT_EQ(to_utf16(""), std::vector<uint8_t>{});
  EXPECT_EQ(to_utf16("\0"sv), (std::vector<uint8_t>{0, 0}));
}

TEST(Utf16, MalformedUtf8IsRefused) {
  for (std::string_view bad : {
           "\x80"sv,
           "\xC0\x80"sv,
           "\xC1\xBF"sv,
           "\xC3"sv,
           "\xC3("sv,
           "\xE0\x9F\xBF"sv,
           "\xED\xA0\x80"sv,
           "\xED\xBF\xBF"sv,
           "\xE2\x82"sv,
           "\xF0\x8F\xBF\xBF"sv,
           "\xF4\x90\x80\x80"sv,
           "\xF5\x80\x80\x80"sv,
           "\xFF"sv,
           "\xF0\x9F\x98"sv,
       })
    EXPECT_FALSE(to_utf16(bad)) << testing::PrintToString(bad);
}

TEST(Utf16, LoneSurrogatesAndOddLengthsAreRefused) {
  const std::vector<std::vector<uint8_t>> all = {
      {0x3D, 0xD8}, {0x00, 0xDE}, {0x3D, 0xD8, 'a', 0}, {0x3D, 0xD8, 0x3D, 0xD8}, {'a'}};
  for (const std::vector<uint8_t>& bad : all)
    EXPECT_FALSE(to_utf8(bad)) << testing::PrintToString(bad);
}

}  // namespace
}  // namespace semblance
