#include "engine/wire/reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "engine/wire/builder.h"

namespace semblance::wire {
namespace {

TEST(Reader, PastTheEndIsZeroAndStaysBad) {
  const uint8_t bytes[] = {1, 2, 3};
  Reader reader(bytes);
  EXPECT_EQ(reader.u16(), 0x0201);
  EXPECT_EQ(reader.u16(), 0);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u8(), 3);
  EXPECT_FALSE(reader.ok());
}

TEST(Reader, FieldByOffsetMayNotLeaveTheMessage) {
  const uint8_t bytes[8] = {};
  EXPECT_TRUE(Reader(bytes).at(8, 0).empty());
  Reader reader(bytes);
  EXPECT_EQ(reader.at(4, 4).size(), 4u);
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.at(5, 4).empty());
  EXPECT_FALSE(reader.ok());
  Reader wrapped(bytes);
  EXPECT_TRUE(wrapped.at(4, SIZE_MAX - 2).empty());
  EXPECT_FALSE(wrapped.ok());
}

RC_GTEST_PROP(Builder, NeverWritesOutsideItsSpan, (std::vector<uint8_t> data, uint8_t room)) {
  std::vector<uint8_t> memory(room + 1u, 0xA5);
  Builder builder(MutableBytes(memory).first(room));
  builder.bytes(data);
  builder.align(8);
  builder.u64(1);
  RC_ASSERT(memory[room] == 0xA5);
  RC_ASSERT(builder.ok() == (align_up(data.size(), 8) + 8 <= room));
}

}  // namespace
}  // namespace semblance::wire
