// The running hash: content counts, all of it, and nothing else.

#include "sim/log/trace_hash.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <new>
#include <set>

#include "tests/sim_log/samples.h"

namespace semblance::log {
namespace {

using Digest = std::array<uint64_t, 2>;

Digest digest_of(const Event& event) {
  TraceHash hash;
  hash.event({1}, event);
  return hash.digest();
}
Digest digest_of(const Effect& effect) {
  TraceHash hash;
  hash.effect(effect);
  return hash.digest();
}

template <class Sample>
void expect_equal_elsewhere(const std::vector<Sample>& here, const std::vector<Sample>& there) {
  ASSERT_EQ(here.size(), there.size());
  for (size_t i = 0; i < here.size(); i++) {
    EXPECT_EQ(digest_of(here[i]), digest_of(there[i])) << "sample " << i;
    // The same in memory that was not zero before: padding does not count.
    alignas(Sample) unsigned char memory[sizeof(Sample)];
    std::memset(memory, 0xa5, sizeof memory);
    auto* copy = new (memory) Sample(here[i]);
    EXPECT_EQ(digest_of(here[i]), digest_of(*copy)) << "sample " << i;
    std::destroy_at(copy);
  }
}

TEST(TraceHash, EqualContentAtOtherAddressesIsEqual) {
  Arena one, two;
  expect_equal_elsewhere(sample_events(one), sample_events(two));
  expect_equal_elsewhere(sample_effects(one), sample_effects(two));
}

template <class Sample>
void expect_every_field_counts(Arena& arena, const std::vector<Sample>& samples) {
  std::set<Digest> all;
  for (const Sample& sample : samples) {
    EXPECT_TRUE(all.insert(digest_of(sample)).second) << "kind " << sample.index();
    for (int place = 0;; place++) {
      Sample changed = sample;
      Editor editor(arena, place);
      editor("", changed);
      if (editor.fields_seen() <= place) break;
      EXPECT_TRUE(all.insert(digest_of(changed)).second)
          << "kind " << sample.index() << ", field " << place;
    }
  }
}

TEST(TraceHash, EveryFieldOfEveryEventCounts) {
  Arena arena;
  expect_every_field_counts(arena, sample_events(arena));
}

TEST(TraceHash, EveryFieldOfEveryEffectCounts) {
  Arena arena;
  expect_every_field_counts(arena, sample_effects(arena));
}

TEST(TraceHash, TimeOrderAndKindCount) {
  TraceHash one, two, three, four;
  one.event({1}, Drain{});
  two.event({2}, Drain{});
  EXPECT_NE(one.digest(), two.digest());
  three.effect(TransmitReady{{1, 1}});
  three.effect(TransmitReady{{2, 1}});
  four.effect(TransmitReady{{2, 1}});
  four.effect(TransmitReady{{1, 1}});
  EXPECT_NE(three.digest(), four.digest());
}

TEST(TraceHash, SentBytesAndTheirConnectionCount) {
  const uint8_t bytes[] = {1, 2, 3}, others[] = {1, 2, 4};
  TraceHash none, one, two, three;
  one.sent({1, 1}, bytes);
  two.sent({1, 1}, others);
  three.sent({2, 1}, bytes);
  EXPECT_NE(none.digest(), one.digest());
  EXPECT_NE(one.digest(), two.digest());
  EXPECT_NE(one.digest(), three.digest());
}

// What the destination of a read holds counts when the read is done, as far as it was filled.
class TraceHashOfRead : public testing::Test {
 protected:
  Digest read(uint8_t before, uint8_t filled, uint8_t after, OperationId answered = {3, 9}) {
    std::vector<uint8_t> into(100, before);
    TraceHash hash;
    hash.effect(RunStore{{3, 9}, StoreRead{StoreHandle{1}, 0, into}});
    std::fill_n(into.begin(), 60, filled);
    std::fill(into.begin() + 60, into.end(), after);
    hash.event({1}, StoreDone{answered, {StoreError::kNone, StoreCount{60}}});
    return hash.digest();
  }
};

TEST_F(TraceHashOfRead, WhatWasReadCounts) { EXPECT_NE(read(0, 1, 0), read(0, 2, 0)); }
TEST_F(TraceHashOfRead, WhatWasThereBeforeDoesNot) { EXPECT_EQ(read(0, 1, 0), read(7, 1, 0)); }
TEST_F(TraceHashOfRead, WhatLiesBehindDoesNot) { EXPECT_EQ(read(0, 1, 0), read(0, 1, 7)); }
TEST_F(TraceHashOfRead, NothingIsReadForAStrangeAnswer) {
  EXPECT_EQ(read(0, 1, 0, {3, 8}), read(0, 2, 0, {3, 8}));
  EXPECT_EQ(read(0, 1, 0, {4, 9}), read(0, 2, 0, {4, 9}));
}

// The simulator hashes everything it does. The bound is loose: it catches an allocation or a
// quadratic loop, not a slow machine.
TEST(TraceHash, IsCheap) {
  const uint8_t message[200] = {};
  TraceHash hash;
  const auto start = std::chrono::steady_clock::now();
  constexpr int kRounds = 100'000;
  for (int i = 0; i < kRounds; i++) {
    hash.event(
        {i}, BytesReceived{
                 {1, 1}, BufferId{1}, MutableBytes(const_cast<uint8_t*>(message), sizeof message)});
    hash.effect(ReceiveProgress{{1, 1}, 200, 4, false, false});
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  std::printf("%.0f ns an event with 200 bytes and an effect\n", took.count() / kRounds);
  EXPECT_LT(took.count() / kRounds, 10'000);
}

}  // namespace
}  // namespace semblance::log
