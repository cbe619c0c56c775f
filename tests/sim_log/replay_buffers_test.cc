// Receive buffers of a replay keep engine.h's promises: contiguous, complete, and in place while
// pinned.

#include "sim/log/replay_buffers.h"

#include <gtest/gtest.h>

#include <string>

namespace semblance::log {
namespace {

constexpr ConnectionId kOne{1, 1};
constexpr BufferId kBuffer{5};

std::string text(const std::optional<MutableBytes>& bytes) {
  return bytes ? std::string(as_text(*bytes)) : "none";
}

TEST(ReplayBuffers, TheUnconsumedRestComesFirst) {
  ReplayBuffers buffers;
  EXPECT_EQ(text(buffers.deliver(kOne, kBuffer, 0, as_bytes("abcdef"))), "abcdef");
  buffers.progress({kOne, 2, 4, false, false});
  EXPECT_EQ(text(buffers.deliver(kOne, kBuffer, 4, as_bytes("gh"))), "cdefgh");
}

TEST(ReplayBuffers, MoreThanTheRestIsRefused) {
  ReplayBuffers buffers;
  EXPECT_EQ(text(buffers.deliver(kOne, kBuffer, 1, as_bytes("a"))), "none");
  EXPECT_EQ(text(buffers.deliver(kOne, kBuffer, 0, as_bytes("abc"))), "abc");
  buffers.progress({kOne, 2, 4, false, false});
  EXPECT_EQ(text(buffers.deliver(kOne, kBuffer, 2, {})), "none");
  EXPECT_EQ(text(buffers.deliver({1, 2}, kBuffer, 1, {})), "none");
}

// Also where the driver appends to the pinned buffer itself.
TEST(ReplayBuffers, WhatIsPinnedStaysUntilItIsReleased) {
  ReplayBuffers buffers;
  const MutableBytes first = *buffers.deliver(kOne, kBuffer, 0, as_bytes("abcd"));
  buffers.progress({kOne, 4, 4, true, false});
  const MutableBytes second = *buffers.deliver(kOne, kBuffer, 0, as_bytes("efgh"));
  buffers.progress({kOne, 4, 4, true, false});
  buffers.closed(kOne);
  EXPECT_EQ(as_text(first), "abcd");
  EXPECT_EQ(as_text(second), "efgh");
  buffers.release({kBuffer});
  EXPECT_EQ(text(buffers.deliver({1, 2}, kBuffer, 0, as_bytes("new"))), "new");
}

TEST(ReplayBuffers, ConsumedMoreThanThereIsCountsAsAll) {
  ReplayBuffers buffers;
  buffers.deliver(kOne, kBuffer, 0, as_bytes("ab"));
  buffers.progress({kOne, 100, 4, false, false});
  EXPECT_EQ(text(buffers.deliver(kOne, kBuffer, 0, as_bytes("c"))), "c");
}

}  // namespace
}  // namespace semblance::log
