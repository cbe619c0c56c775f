// Negotiate contexts and create contexts: each layout, the lists, and lists that peers break.

#include "engine/wire/durable_contexts.h"
#include "engine/wire/lease_contexts.h"
#include "engine/wire/negotiate_contexts.h"
#include "engine/wire/open_contexts.h"
#include "tests/unit/wire_layout_suite.h"

namespace semblance::wire {

using test::Arena;

void make_valid(Arena&, MaximalAccessRequest& m) {
  if (!m.has_timestamp) m.timestamp = {};
}

void make_valid(Arena&, LeaseContext& l) {
  l.version = *rc::gen::element(LeaseVersion::kV1, LeaseVersion::kV2);
  if (l.version == LeaseVersion::kV2) return;
  l.parent_lease_key = {};
  l.epoch = 0;
}

void make_valid(Arena&, AaplResponse& a) {
  if (!(a.reply_bitmap & kAaplServerCaps)) a.server_capabilities = 0;
  if (!(a.reply_bitmap & kAaplVolumeCaps)) a.volume_capabilities = 0;
  if (!(a.reply_bitmap & kAaplModelInfo)) a.model = {};
}

namespace test {

using NegotiateTypes =
    testing::Types<PreauthIntegrityContext, EncryptionContext, CompressionContext, NetnameContext,
                   TransportContext, RdmaTransformContext, SigningContext>;
INSTANTIATE_TYPED_TEST_SUITE_P(Negotiate, Layout, NegotiateTypes);

using OpenTypes = testing::Types<MaximalAccessRequest, MaximalAccessResponse, QueryOnDiskIdRequest,
                                 QueryOnDiskIdResponse, AllocationSizeContext, TimewarpContext,
                                 EaBufferContext, SecurityDescriptorContext, AppInstanceIdContext,
                                 AppInstanceVersionContext, AaplRequest, AaplResponse>;
INSTANTIATE_TYPED_TEST_SUITE_P(Open, Layout, OpenTypes);

using HandleTypes = testing::Types<DurableHandleRequest, DurableHandleResponse,
                                   DurableHandleReconnect, DurableHandleRequestV2,
                                   DurableHandleResponseV2, DurableHandleReconnectV2, LeaseContext>;
INSTANTIATE_TYPED_TEST_SUITE_P(Handle, Layout, HandleTypes);

std::vector<uint8_t> written(const Builder& b) { return {b.written().begin(), b.written().end()}; }

// ---- negotiate contexts

std::vector<NegotiateContext> some_negotiate_contexts(Arena& arena) {
  std::vector<NegotiateContext> contexts(*rc::gen::inRange(0, 6));
  for (NegotiateContext& context : contexts) arena.fill(context);
  return contexts;
}

RC_GTEST_PROP(NegotiateContexts, WrittenListReadsBackWithAnyTrailingBytes, ()) {
  Arena arena;
  std::vector<NegotiateContext> contexts = some_negotiate_contexts(arena);
  std::vector<uint8_t> memory(4096);
  Builder b(memory);
  NegotiateContextWriter writer(b);
  for (const NegotiateContext& context : contexts) writer.add(context);
  b.bytes(arena.bytes());
  std::vector<uint8_t> list = written(b);
  NegotiateContexts reader(list, writer.count());
  for (const NegotiateContext& context : contexts) {
    std::optional<NegotiateContext> read = reader.next();
    RC_ASSERT(read.has_value());
    RC_ASSERT(same(*read, context));
  }
  RC_ASSERT(!reader.next());
  RC_ASSERT(reader.ok());
}

RC_GTEST_PROP(NegotiateContexts, TruncatedListFailsUnlessOnlyPaddingIsCut, ()) {
  Arena arena;
  std::vector<NegotiateContext> contexts = some_negotiate_contexts(arena);
  std::vector<uint8_t> memory(4096);
  Builder b(memory);
  NegotiateContextWriter writer(b);
  for (const NegotiateContext& context : contexts) writer.add(context);
  size_t cut = *rc::gen::inRange<size_t>(0, b.size() + 1);
  std::vector<uint8_t> list(memory.begin(), memory.begin() + cut);
  NegotiateContexts reader(list, writer.count());
  while (reader.next()) {
  }
  RC_ASSERT(reader.ok() == (cut == b.size()));
}

RC_GTEST_PROP(NegotiateContexts, NoiseIsSafe, (const std::vector<uint8_t>& list, uint16_t count)) {
  NegotiateContexts reader(list, count);
  size_t steps = 0;
  while (reader.next()) ++steps;
  RC_ASSERT(steps <= list.size() / 8);
}

TEST(NegotiateContexts, PaddingIsNotLookedAt) {
  const uint8_t list[] = {0xFF, 0x7F, 1,    0,    0,    0, 0, 0, 'x', 0xFF, 0xFF, 0xFF,
                          0xFF, 0xFF, 0xFF, 0xFF, 0x02, 0, 0, 0, 0,   0,    0,    0};
  NegotiateContexts reader(list, 2);
  EXPECT_EQ(static_cast<int>(reader.next()->type), 0x7FFF);
  EXPECT_EQ(reader.next()->type, NegotiateContextType::kEncryption);
  EXPECT_TRUE(reader.ok());
}

TEST(NegotiateContexts, PreauthIntegrityWrittenByteForByte) {
  const uint16_t hashes[] = {0x0001};
  const uint8_t salt[] = {0xAA, 0xBB};
  const uint16_t ciphers[] = {0x0002, 0x0001};
  uint8_t memory[64];
  Builder b(memory);
  NegotiateContextWriter writer(b);
  writer.add(PreauthIntegrityContext{U16List::of(hashes), salt});
  writer.add(EncryptionContext{U16List::of(ciphers)});
  EXPECT_EQ(written(b), (std::vector<uint8_t>{1,    0, 8, 0, 0, 0, 0, 0, 1, 0, 2, 0, 1, 0, 0xAA,
                                              0xBB, 2, 0, 6, 0, 0, 0, 0, 0, 2, 0, 2, 0, 1, 0}));
}

// ---- create contexts

struct Chain {
  std::vector<CreateContext> contexts;
  std::vector<uint8_t> bytes;
};

Chain some_chain(Arena& arena) {
  Chain chain;
  std::vector<uint8_t> memory(8192);
  Builder b(memory);
  CreateContextWriter writer(b);
  size_t count = *rc::gen::inRange<size_t>(1, 6);
  for (size_t i = 0; i < count; ++i) {
    chain.contexts.push_back({arena.bytes(1, 1), arena.bytes()});
    writer.add_raw(chain.contexts.back().name, chain.contexts.back().data);
  }
  chain.bytes = written(b);
  return chain;
}

RC_GTEST_PROP(CreateContexts, WrittenChainReadsBack, ()) {
  Arena arena;
  Chain chain = some_chain(arena);
  CreateContexts reader(chain.bytes);
  for (const CreateContext& context : chain.contexts) {
    std::optional<CreateContext> read = reader.next();
    RC_ASSERT(read.has_value());
    RC_ASSERT(same(*read, context));
  }
  RC_ASSERT(!reader.next());
  RC_ASSERT(reader.ok());
}

RC_GTEST_PROP(CreateContexts, ChainCutInsideAContextFails, ()) {
  Arena arena;
  Chain chain = some_chain(arena);
  // Behind the last data there may be padding that carries nothing: cut before it.
  size_t padding = chain.contexts.back().data.empty() ? 8 : 0;
  RC_PRE(chain.bytes.size() > padding + 1);
  size_t cut = *rc::gen::inRange<size_t>(1, chain.bytes.size() - padding);
  std::vector<uint8_t> list(chain.bytes.begin(), chain.bytes.begin() + cut);
  CreateContexts reader(list);
  while (reader.next()) {
  }
  RC_ASSERT(!reader.ok());
}

RC_GTEST_PROP(CreateContexts, HostileChainEndsAndIsSafe, ()) {
  Arena arena;
  Chain chain = some_chain(arena);
  size_t at = *rc::gen::inRange<size_t>(0, chain.bytes.size());
  chain.bytes[at] = *rc::gen::element<uint8_t>(0, 1, 8, 16, 0x80, 0xFF);
  chain.bytes.shrink_to_fit();
  CreateContexts reader(chain.bytes);
  size_t steps = 0;
  while (reader.next()) ++steps;
  RC_ASSERT(steps <= chain.bytes.size() / 16);
}

// One context "MxAc" without data and room for a second one behind it.
std::vector<uint8_t> two_contexts() {
  std::vector<uint8_t> memory(128);
  Builder b(memory);
  CreateContextWriter writer(b);
  writer.add(MaximalAccessRequest{});
  writer.add(QueryOnDiskIdRequest{});
  return written(b);
}

bool chain_is_good(Bytes chain) {
  CreateContexts reader(chain);
  while (reader.next()) {
  }
  return reader.ok();
}

TEST(CreateContexts, WrittenByteForByte) {
  EXPECT_EQ(two_contexts(),
            (std::vector<uint8_t>{
                24, 0, 0, 0, 16, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'M', 'x', 'A', 'c', 0, 0, 0, 0,
                0,  0, 0, 0, 16, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'Q', 'F', 'i', 'd', 0, 0, 0, 0}));
}

TEST(CreateContexts, BrokenNextIsRefused) {
  std::vector<uint8_t> chain = two_contexts();
  ASSERT_TRUE(chain_is_good(chain));
  for (uint32_t next : {4u, 8u, 20u, 25u, 48u, 56u, 0xFFFFFFF8u}) {
    store(chain.data(), next);
    EXPECT_FALSE(chain_is_good(chain)) << next;
  }
}

TEST(CreateContexts, NameOfNoByteIsRefused) {
  std::vector<uint8_t> chain = two_contexts();
  store<uint16_t>(chain.data() + 6, 0);
  EXPECT_FALSE(chain_is_good(chain));
}

TEST(CreateContexts, FieldThatReachesIntoTheNextContextIsRefused) {
  std::vector<uint8_t> chain = two_contexts();
  store<uint16_t>(chain.data() + 10, 24);
  store<uint32_t>(chain.data() + 12, 8);
  EXPECT_FALSE(chain_is_good(chain));
}

TEST(CreateContexts, NamesThatAreGuidsKeepTheirZeroBytes) {
  EXPECT_EQ(kContextAppInstanceId.size(), 16u);
  EXPECT_EQ(kContextAppInstanceVersion.size(), 16u);
  EXPECT_EQ(kContextSvhdxOpenDevice.size(), 16u);
}

TEST(LeaseContext, OnlyTwoLengthsExist) {
  std::vector<uint8_t> data(64);
  for (size_t size = 0; size <= data.size(); ++size)
    EXPECT_EQ(LeaseContext::parse(Bytes(data).first(size)).has_value(), size == 32 || size == 52)
        << size;
}

}  // namespace test
}  // namespace semblance::wire
