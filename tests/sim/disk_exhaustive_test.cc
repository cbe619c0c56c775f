// Every outcome of every power loss after every history of up to four steps of a small grammar.

#include <gtest/gtest.h>

#include "tests/sim/disk_history.h"

namespace semblance::sim::test {
namespace {

// Paths: 0 a, 1 b, 2 d, 3 d/a. On the disk, durable: a (700 bytes of 'A') and d.
constexpr Step kGrammar[] = {
    {Do::kCreate, 3},
    {.what = Do::kWrite, .path = 0, .offset = 512, .size = 500, .value = 'W'},
    {.what = Do::kTruncate, .path = 0, .size = 100},
    {.what = Do::kFlush, .path = 0},
    {.what = Do::kFlush, .path = 3},
    {.what = Do::kWriteThrough, .path = 3, .offset = 0, .size = 20, .value = 'T'},
    {.what = Do::kSetDos, .path = 0, .value = 2},
    {.what = Do::kRename, .path = 0, .other = 1},
    {.what = Do::kRename, .path = 1, .other = 3},
    {.what = Do::kRename, .path = 3, .other = 0},
    {.what = Do::kUnlink, .path = 3},
    {.what = Do::kRemoveDirectory, .path = 2},
    {.what = Do::kMakeDirectory, .path = 2},
};

struct Counted {
  uint64_t histories = 0, outcomes = 0;
};

void explore(const std::vector<Step>& steps, Counted& counted) {
  Odometer odometer;
  counted.histories++;
  do {
    Disk disk;
    Actor actor(disk);
    actor.perform({Do::kCreate, 0});
    actor.perform({.what = Do::kWrite, .path = 0, .size = 700, .value = 'A'});
    actor.perform({Do::kMakeDirectory, 2});
    disk.sync();
    Witness witness(disk);
    for (const Step& step : steps) witness.observe(step, actor.perform(step));
    disk.lose_power(odometer.pick());
    counted.outcomes++;
    ASSERT_EQ(witness.verdict(), "") << [&] {
      std::string text;
      for (const Step& step : steps)
        text += std::to_string(&step - steps.data()) + ':' +
                std::to_string(static_cast<int>(step.what)) + ' ' + std::string(kPaths[step.path]) +
                "; ";
      return text;
    }();
  } while (odometer.next());
}

void extend(std::vector<Step>& steps, size_t length, Counted& counted) {
  explore(steps, counted);
  if (steps.size() == length) return;
  for (const Step& step : kGrammar) {
    steps.push_back(step);
    extend(steps, length, counted);
    steps.pop_back();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(DiskExhaustive, EveryOutcomeOfEverySmallHistoryIsLegal) {
  Counted counted;
  std::vector<Step> steps;
  extend(steps, 4, counted);
  RecordProperty("histories", std::to_string(counted.histories));
  RecordProperty("outcomes", std::to_string(counted.outcomes));
  std::printf("%llu histories, %llu outcomes\n", static_cast<unsigned long long>(counted.histories),
              static_cast<unsigned long long>(counted.outcomes));
  EXPECT_GT(counted.outcomes, 5 * counted.histories);
}

}  // namespace
}  // namespace semblance::sim::test
