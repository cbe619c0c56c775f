// The simulated disk under random histories: it answers as MemoryStore does; a kill keeps what is
// live; a power loss keeps what is durable and invents nothing.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>

#include "io/store/posix_store.h"
#include "tests/sim/disk_history.h"

namespace semblance::sim::test {
namespace {

std::vector<Step> some_steps() {
  const auto sector = rc::gen::element<uint32_t>(0, 100, 511, 512, 513, 1024, 2000);
  const auto path = rc::gen::inRange<uint32_t>(0, std::size(kPaths));
  const auto step = rc::gen::build<Step>(
      rc::gen::set(&Step::what, rc::gen::map(rc::gen::inRange(0u, kDoKinds),
                                             [](uint32_t kind) { return static_cast<Do>(kind); })),
      rc::gen::set(&Step::path, path), rc::gen::set(&Step::other, path),
      rc::gen::set(&Step::offset, sector), rc::gen::set(&Step::size, sector),
      rc::gen::set(&Step::value, rc::gen::inRange<uint8_t>(0, 255)));
  return *rc::gen::container<std::vector<Step>>(step);
}

// Draws for a pick: mostly the kindest, or everything.
Pick some_pick() {
  const auto draws = *rc::gen::container<std::vector<uint32_t>>(
      rc::gen::oneOf(rc::gen::just(0u), rc::gen::just(1u), rc::gen::inRange(0u, 100u)));
  return [draws, at = size_t{0}](uint32_t bound) mutable {
    return draws.empty() ? 0 : draws[at++ % draws.size()] % bound;
  };
}

TEST(DiskProperties, AnswersAsTheStoreInMemoryDoes) {
  EXPECT_TRUE(rc::check([] {
    Disk disk;
    MemoryStore memory;
    Actor on_disk(disk), in_memory(memory);
    uint64_t now = FileTime::kUnixEpoch;
    for (const Step& step : some_steps()) {
      disk.set_now({++now});
      memory.set_now({now});
      RC_ASSERT(on_disk.perform(step) == in_memory.perform(step));
    }
    RC_ASSERT(disk.open_count() == memory.open_count());
    RC_ASSERT(disk.object_count() == memory.object_count());
  }));
}

TEST(DiskProperties, AnswersAsAKernelDoes) {
  const char* scratch = std::getenv("TEST_TMPDIR");
  std::string place = std::string(scratch ? scratch : "/tmp") + "/semblance-disk-XXXXXX";
  ASSERT_NE(::mkdtemp(place.data()), nullptr);
  int share = 0;
  EXPECT_TRUE(rc::check([&] {
    const std::string root = place + '/' + std::to_string(share++);
    std::filesystem::create_directory(root);
    const auto kernel = PosixStore::open({root}, 64).value();
    Disk disk(1, 64);
    Actor on_disk(disk, Actor::Detail::kPortable), on_kernel(*kernel, Actor::Detail::kPortable);
    for (const Step& step : some_steps()) {
      const std::string expected = on_kernel.perform(step);
      RC_ASSERT(on_disk.perform(step) == expected);
    }
  }));
  std::filesystem::remove_all(place);
}

TEST(DiskProperties, AKillLosesHandlesOnly) {
  EXPECT_TRUE(rc::check([] {
    Disk disk;
    Actor actor(disk);
    for (const Step& step : some_steps()) actor.perform(step);
    const uint64_t before = disk.content_hash();
    disk.kill();
    RC_ASSERT(disk.content_hash() == before);
    RC_ASSERT(disk.open_count() == 0u);
    // What only a handle kept alive is gone.
    for (const Disk::Inode inode : disk.inodes()) RC_ASSERT(disk.stat(inode).links > 0u);
    // The kindest power loss is a kill.
    disk.lose_power([](uint32_t) { return 0; });
    RC_ASSERT(disk.content_hash() == before);
  }));
}

TEST(DiskProperties, APowerLossKeepsWhatIsDurableAndInventsNothing) {
  EXPECT_TRUE(rc::check([] {
    Disk disk;
    Actor setup(disk);
    for (const Step& step : some_steps()) setup.perform(step);
    disk.sync();
    Witness witness(disk);
    // Several lives on one disk.
    for (int life = 0; life < 3; life++) {
      Actor actor(disk);
      for (const Step& step : some_steps()) witness.observe(step, actor.perform(step));
      disk.lose_power(some_pick());
      const std::string wrong = witness.verdict();
      RC_LOG() << wrong;
      RC_ASSERT(wrong.empty());
      // What is found after a power loss is durable: another changes nothing.
      const uint64_t found = disk.content_hash();
      disk.lose_power([](uint32_t bound) { return bound - 1; });
      RC_ASSERT(disk.content_hash() == found);
      witness.all_durable();
    }
  }));
}

// Every fourth operation or so fails.
class FailingDisk : public Disk {
 public:
  explicit FailingDisk(Pick pick) : pick_(std::move(pick)) {}

  StoreResult execute(const StoreOperation& operation) override {
    const auto errors = errors_of(operation);
    if (errors.empty() || pick_(4) != 3) return Disk::execute(operation);
    return fail(operation, errors[pick_(static_cast<uint32_t>(errors.size()))], pick_);
  }

 private:
  Pick pick_;
};

TEST(DiskProperties, FailuresPromiseNothingAndBreakNothing) {
  EXPECT_TRUE(rc::check([] {
    FailingDisk disk(some_pick());
    Witness witness(disk);
    Actor actor(disk);
    for (const Step& step : some_steps()) witness.observe(step, actor.perform(step));
    disk.lose_power(some_pick());
    const std::string wrong = witness.verdict();
    RC_LOG() << wrong;
    RC_ASSERT(wrong.empty());
  }));
}

TEST(DiskProperties, WhatIsSyncedIsSafe) {
  EXPECT_TRUE(rc::check([] {
    Disk disk;
    Actor actor(disk);
    for (const Step& step : some_steps()) actor.perform(step);
    disk.sync();
    const uint64_t before = disk.content_hash();
    for (const Disk::Inode inode : disk.inodes()) RC_ASSERT(disk.is_durable(inode));
    disk.lose_power(some_pick());
    RC_ASSERT(disk.content_hash() == before);
  }));
}

}  // namespace
}  // namespace semblance::sim::test
