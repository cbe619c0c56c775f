// What a request costs: DESIGN "Store operations, and the effect budget". Heap allocations are
// counted while the engine steps, by this binary's own operator new.

#include <cstdlib>
#include <new>

#include "tests/engine/harness/catalogue.h"
#include "tests/engine/harness/one_client.h"

namespace {

bool counting = false;
uint64_t allocations = 0;

void* allocate(size_t bytes, size_t alignment = 16) {
  if (counting) ++allocations;
  size_t room = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, room == 0 ? alignment : room);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(size_t bytes) { return allocate(bytes); }
void* operator new[](size_t bytes) { return allocate(bytes); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace semblance::test {
namespace {

using client::on;

class Cost : public OneClient {
 protected:
  Cost() {
    world.before_step = [] { counting = true; };
    world.after_step = [] { counting = false; };
  }
  struct Spent {
    uint64_t allocations;
    uint32_t operations;
  };
  // Of `times` requests together, after enough of them for every pool to have its memory.
  Spent spend(int times, const std::function<void()>& request) {
    for (int i = 0; i < 300; ++i) request();
    world.take_operations();
    allocations = 0;
    for (int i = 0; i < times; ++i) request();
    return {allocations, world.take_operation_count()};
  }
  uint32_t operations_of(const std::function<void()>& request) {
    world.take_operations();
    request();
    return world.take_operation_count();
  }
  void create(std::u16string name, CreateDisposition disposition = CreateDisposition::kOpen) {
    auto opened = smb().create(tree, {.name = std::move(name), .disposition = disposition});
    if (opened) last = opened->id;
  }
  FileId last;
};

TEST_F(Cost, ASmallReadIsOneStoreOperationAndNoAllocation) {
  FileId file = peer.file(tree, u"file", std::string(4096, 'r'));
  Spent spent = spend(1000, [&] { ASSERT_TRUE(smb().read(tree, file, 512, 512).ok()); });
  EXPECT_EQ(spent.operations, 1000u);
  EXPECT_EQ(spent.allocations, 0u);
}

TEST_F(Cost, ASmallWriteIsOneStoreOperationAndNoAllocation) {
  FileId file = peer.file(tree, u"file", std::string(4096, 'w'));
  const std::vector<uint8_t> data(512, 'x');
  Spent spent = spend(1000, [&] { ASSERT_TRUE(smb().write(tree, file, 512, data).has_value()); });
  EXPECT_EQ(spent.operations, 1000u);
  EXPECT_EQ(spent.allocations, 0u);
}

TEST_F(Cost, AnEchoIsNothing) {
  Spent spent = spend(1000, [&] { ASSERT_EQ(smb().echo(), NtStatus::kSuccess); });
  EXPECT_EQ(spent.operations, 0u);
  EXPECT_EQ(spent.allocations, 0u);
}

// With 32 requests in flight the queues are longer, and still made once.
TEST_F(Cost, ManyReadsInFlightAllocateNothing) {
  FileId file = peer.file(tree, u"file", std::string(4096, 'r'));
  Spent spent = spend(100, [&] {
    std::vector<uint64_t> ids;
    for (uint64_t i = 0; i < 32; ++i) {
      Request request = client::read_request(file, i, 512);
      request.credits = 1;
      ids.push_back(peer.client().send(on(tree, std::move(request))));
    }
    world.run();
    for (uint64_t id : ids) ASSERT_TRUE(peer.client().take(id)->ok());
  });
  EXPECT_EQ(spent.operations, 3200u);
  EXPECT_EQ(spent.allocations, 0u);
}

TEST_F(Cost, ALockedFileIsReadForTheSamePrice) {
  FileId file = peer.file(tree, u"file", std::string(4096, 'r'));
  ASSERT_EQ(smb().lock(tree, file, {0, 100, 0x12}), NtStatus::kSuccess);
  EXPECT_EQ(operations_of([&] { smb().read(tree, file, 0, 512); }), 1u);
  EXPECT_EQ(operations_of([&] { smb().write(tree, file, 0, as_bytes("x")); }), 1u);
}

TEST_F(Cost, ACloseIsOneOperation) {
  for (uint16_t flags : {0, 1}) {
    create(u"file", CreateDisposition::kOpenIf);
    smb().write(tree, last, 0, as_bytes("x"));
    EXPECT_EQ(operations_of([&] { smb().close(tree, last, flags); }), 1u + flags);
  }
}

TEST_F(Cost, OpeningAnExistingFileIsAtMostThreeOperations) {
  make(u"file");
  EXPECT_LE(operations_of([&] { create(u"file"); }), 3u);
  peer.directory(tree, u"dir");
  make(u"dir\\file");
  EXPECT_LE(operations_of([&] { create(u"dir\\file"); }), 3u);
}

TEST_F(Cost, MakingAFileIsAtMostFourOperations) {
  create(u"first", CreateDisposition::kCreate);  // the directory is looked at once
  EXPECT_LE(operations_of([&] { create(u"second", CreateDisposition::kCreate); }), 4u);
  world.advance(Duration::seconds(10));
  EXPECT_LE(operations_of([&] { create(u"third", CreateDisposition::kOpenIf); }), 4u);
}

TEST_F(Cost, AMissingNameInALargeDirectoryIsLookedForOnce) {
  world.make_outside("large", OpenWhat::kNewDirectory);
  for (int i = 0; i < 100'000; ++i) world.make_outside("large/file" + std::to_string(i));
  uint32_t first = operations_of([&] { create(u"large\\missing"); });
  EXPECT_GT(first, 10u) << "the directory was not enumerated: what is measured here?";
  EXPECT_LE(operations_of([&] { create(u"large\\missing"); }), 2u);
  EXPECT_LE(operations_of([&] { create(u"large\\other"); }), 2u);
  EXPECT_LE(operations_of([&] { create(u"large\\FILE77"); }), 4u);
  // Our own changes do not spoil it, in whatever order they come.
  for (int i = 0; i < 20; ++i) {
    world.advance(Duration::milliseconds(100));
    std::string digits = std::to_string(i);
    std::u16string name = u"large\\new" + std::u16string(digits.begin(), digits.end());
    EXPECT_LE(operations_of([&] { create(name, CreateDisposition::kCreate); }), 4u) << i;
    EXPECT_LE(operations_of([&] { create(u"large\\missing"); }), 2u) << i;
    smb().close(tree, last);
  }
  // Somebody else's do, once.
  world.advance(Duration::seconds(1));
  world.make_outside("large/outside");
  EXPECT_GT(operations_of([&] { create(u"large\\missing"); }), 10u);
  EXPECT_LE(operations_of([&] { create(u"large\\missing"); }), 2u);
}

TEST_F(Cost, AListingStatsWhatItReturnsAndNoMore) {
  FileId directory = peer.directory(tree, u"dir");
  for (char16_t c = u'a'; c <= u'z'; ++c) make(u"dir\\" + std::u16string(1, c));
  EXPECT_LE(operations_of([&] {
              smb().query_directory(tree, directory, FileInfoClass::kIdBothDirectory, u"*", 65536);
            }),
            26u + 1 + 2);
  EXPECT_LE(operations_of([&] {
              smb().query_directory(tree, directory, FileInfoClass::kNames, u"*", 65536,
                                    wire::kQueryDirectoryReopen);
            }),
            2u);
  EXPECT_LE(operations_of([&] {
              smb().query_directory(tree, directory, FileInfoClass::kIdBothDirectory, u"q", 65536,
                                    wire::kQueryDirectoryReopen);
            }),
            4u);
}

// Every sample once: no ledger row may be over its budget (checked when the world settles), and a
// request that is refused early costs the store nothing.
TEST(CostOfEverything, StaysWithinItsBudget) {
  for (const Sample& sample : every_command()) {
    SCOPED_TRACE(sample.name);
    World world;
    Stage stage = set_stage(world);
    uint64_t id = stage.peer->client().send(sample.make(stage));
    world.run();
    stage.peer->client().cancel(id);
    world.run();
  }
}

TEST(CostOfEverything, ABrokenHandleCostsNothing) {
  World world;
  Stage stage = set_stage(world);
  Stage broken = stage;
  broken.file = broken.directory = broken.pipe = FileId{1, 2};
  world.take_operations();
  for (const Sample& sample : every_command()) {
    std::string name = sample.name;
    bool by_handle = name.starts_with("read") || name.starts_with("write") || name == "flush" ||
                     name == "lock" || name.starts_with("ioctl") || name.starts_with("query") ||
                     name.starts_with("set") || name == "rename" || name == "close" ||
                     name == "change_notify";
    if (!by_handle) continue;
    EXPECT_EQ(stage.peer->sync().call(sample.make(broken)).status(), NtStatus::kFileClosed) << name;
  }
  EXPECT_EQ(world.take_operation_count(), 0u);
}

}  // namespace
}  // namespace semblance::test
