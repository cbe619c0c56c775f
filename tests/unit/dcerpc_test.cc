#include "engine/wire/dcerpc.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/wire/ndr.h"

namespace semblance::wire {
namespace {

using namespace dcerpc;

TEST(Dcerpc, BindAckOfAPipeByteForByte) {
  std::vector<uint8_t> space(128);
  Builder out(space);
  const ContextResult results[] = {{}, {ContextOutcome::kNegotiateAck, 2}};
  BindAck{.call_id = 2,
          .fragment_size_max = 4280,
          .association_group = 1,
          .secondary_address = "\\PIPE\\srvsvc",
          .results = results}
      .build(out);
  ASSERT_TRUE(out.ok());
  const uint8_t expected[] = {
      5,    0,    12,   3,    0x10, 0,    0,    0,    92,   0,    0,    0,
      2,    0,    0,    0,                          // header
      0xB8, 0x10, 0xB8, 0x10, 1,    0,    0,    0,  // sizes, group
      13,   0,    '\\', 'P',  'I',  'P',  'E',  '\\', 's',  'r',  'v',  's',
      'v',  'c',  0,        // address
      0,                    // to 4
      2,    0,    0,    0,  // results
      0,    0,    0,    0,    0x04, 0x5D, 0x88, 0x8A, 0xEB, 0x1C, 0xC9, 0x11,
      0x9F, 0xE8, 0x08, 0x00, 0x2B, 0x10, 0x48, 0x60, 2,    0,    0,    0,  //
      3,    0,    2,    0,    0,    0,    0,    0,    0,    0,    0,    0,
      0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0};
  EXPECT_TRUE(std::ranges::equal(out.written(), expected));
}

TEST(Dcerpc, OtherVersionsAndByteOrdersAreNotRead) {
  std::vector<uint8_t> good = {5, 0, 0, 3, 0x10, 0, 0, 0, 24, 0, 0, 0, 1, 0, 0, 0};
  EXPECT_TRUE(Header::parse(good));
  for (const auto& [at, value] : {std::pair<size_t, uint8_t>{0, 4}, {1, 2}, {4, 0}, {8, 15}}) {
    auto bad = good;
    bad[at] = value;
    EXPECT_FALSE(Header::parse(bad)) << at;
  }
  good.pop_back();
  EXPECT_FALSE(Header::parse(good));
}

TEST(Dcerpc, AContextWithoutTransferSyntaxIsMalformed) {
  std::vector<uint8_t> element(24);
  Reader reader(element);
  (void)next_context(reader);
  EXPECT_FALSE(reader.ok());
}

TEST(Ndr, AStringByteForByte) {
  std::vector<uint8_t> space(64);
  NdrWriter out(space);
  out.wide_string(u"ab");
  out.u32(7);
  const uint8_t expected[] = {3,   0, 0,   0, 0, 0, 0, 0, 3, 0, 0, 0,   // max, offset, actual
                              'a', 0, 'b', 0, 0, 0, 0, 0, 7, 0, 0, 0};  // text, zero, pad, next
  EXPECT_TRUE(std::ranges::equal(out.written(), expected));
  EXPECT_EQ(NdrWriter::wide_string_size(u"ab"), 20u);
  NdrReader in(expected);
  EXPECT_EQ(in.wide_string(), u"ab");
  EXPECT_EQ(in.u32(), 7u);
  EXPECT_TRUE(in.ok());
}

TEST(Ndr, LyingStringsAreRefused) {
  const auto refused = [](uint32_t max, uint32_t offset, uint32_t count, char16_t last) {
    std::vector<uint8_t> bytes(16);
    store(bytes.data(), max);
    store(bytes.data() + 4, offset);
    store(bytes.data() + 8, count);
    store(bytes.data() + 14, last);
    NdrReader in(bytes);
    (void)in.wide_string();
    return !in.ok();
  };
  EXPECT_FALSE(refused(2, 0, 2, 0));
  EXPECT_TRUE(refused(1, 0, 2, 0)) << "more than the maximum";
  EXPECT_TRUE(refused(2, 1, 2, 0)) << "an offset";
  EXPECT_TRUE(refused(2, 0, 0, 0)) << "not even a terminating zero";
  EXPECT_TRUE(refused(2, 0, 2, u'x')) << "not terminated";
  EXPECT_TRUE(refused(~0u, 0, ~0u, 0)) << "beyond the stub";
}

RC_GTEST_PROP(Ndr, ValuesRoundTrip, (std::vector<uint8_t> text, uint32_t number)) {
  std::u16string wide(text.begin(), text.end());
  std::vector<uint8_t> space(4096);
  NdrWriter out(space);
  out.pointer();
  out.wide_string(wide);
  out.u32(number);
  out.null();
  NdrReader in(out.written());
  RC_ASSERT(in.unique_string() == wide);
  RC_ASSERT(in.u32() == number);
  RC_ASSERT(!in.unique_string() && in.ok());
}

}  // namespace
}  // namespace semblance::wire
