// Every SMB2 message, and the headers around them.

#include "engine/wire/change_notify.h"
#include "engine/wire/close.h"
#include "engine/wire/create.h"
#include "engine/wire/error_response.h"
#include "engine/wire/flush.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/fsctl.h"
#include "engine/wire/header.h"
#include "engine/wire/ioctl.h"
#include "engine/wire/lock.h"
#include "engine/wire/negotiate.h"
#include "engine/wire/oplock_break.h"
#include "engine/wire/query_directory.h"
#include "engine/wire/query_info.h"
#include "engine/wire/read.h"
#include "engine/wire/session_setup.h"
#include "engine/wire/set_info.h"
#include "engine/wire/simple_body.h"
#include "engine/wire/smb1_negotiate.h"
#include "engine/wire/transform_header.h"
#include "engine/wire/tree_connect.h"
#include "engine/wire/write.h"
#include "tests/unit/wire_layout_suite.h"

namespace semblance::wire {

using test::Arena;

void make_valid(Arena&, Header& h) {
  if (h.is_async())
    h.process_id = h.tree_id = 0;
  else
    h.async_id = 0;
}

void make_valid(Arena&, FrameHeader& f) { f.length &= kFrameLengthMax; }

void make_valid(Arena& arena, NegotiateRequest& n) {
  std::vector<uint8_t> dialects(n.dialects.raw.begin(), n.dialects.raw.end());
  bool smb311 = *rc::gen::arbitrary<bool>();
  dialects.push_back(smb311 ? 0x11 : 0x02);
  dialects.push_back(smb311 ? 0x03 : 0x02);
  n.dialects.raw = arena.keep(dialects);
  if (!n.offers(Dialect::kSmb311)) n.context_count = 0;
  if (n.context_count == 0) n.contexts = {};
}

void make_valid(Arena&, NegotiateResponse& n) {
  if (*rc::gen::arbitrary<bool>()) n.dialect_revision = Dialect::kSmb311;
  if (n.dialect_revision != Dialect::kSmb311) n.context_count = 0;
  if (n.context_count == 0) n.contexts = {};
}

void make_valid(Arena& arena, TreeConnectRequest& t) { t.path = arena.bytes(2); }
void make_valid(Arena& arena, CreateRequest& c) { c.name = arena.bytes(2); }

void make_valid(Arena&, ReadRequest& r) {
  if (*rc::gen::arbitrary<bool>()) r.channel = kChannelNone;
  if (r.channel == kChannelNone) r.read_channel_info = {};
}

void make_valid(Arena&, WriteRequest& w) {
  if (*rc::gen::arbitrary<bool>()) w.channel = kChannelNone;
  if (w.channel == kChannelNone) w.write_channel_info = {};
}

void make_valid(Arena& arena, LockRequest& l) { l.locks = arena.bytes(LockElement::kSize, 1); }
void make_valid(Arena& arena, CopyChunkRequest& c) { c.chunks = arena.bytes(CopyChunk::kSize); }

namespace test {

using Requests =
    testing::Types<NegotiateRequest, SessionSetupRequest, SimpleBody, TreeConnectRequest,
                   CreateRequest, CloseRequest, FlushRequest, ReadRequest, WriteRequest,
                   LockRequest, IoctlRequest, QueryDirectoryRequest, ChangeNotifyRequest,
                   QueryInfoRequest, SetInfoRequest, OplockBreak, LeaseBreak>;
INSTANTIATE_TYPED_TEST_SUITE_P(Request, Layout, Requests);

using Responses =
    testing::Types<ErrorResponse, NegotiateResponse, SessionSetupResponse, TreeConnectResponse,
                   CreateResponse, CloseResponse, ReadResponse, WriteResponse, IoctlResponse,
                   BufferResponse, SetInfoResponse, LeaseBreakNotification>;
INSTANTIATE_TYPED_TEST_SUITE_P(Response, Layout, Responses);

using Others =
    testing::Types<Header, FrameHeader, TransformHeader, CompressionHeader, Smb1NegotiateRequest,
                   SymbolicLinkError, ValidateNegotiateInfoRequest, ValidateNegotiateInfoResponse,
                   ResumeKeyResponse, CopyChunkRequest, CopyChunkResponse>;
INSTANTIATE_TYPED_TEST_SUITE_P(Other, Layout, Others);

template <typename T>
class Message : public testing::Test {};
TYPED_TEST_SUITE_P(Message);

// Given any message whose StructureSize is off by one either way, parsing fails.
TYPED_TEST_P(Message, WrongStructureSizeIsInvalidParameter) {
  EXPECT_TRUE(rc::check([] {
    Arena arena;
    std::vector<uint8_t> bytes = encode(any<TypeParam>(arena));
    bytes[kHeaderSize] ^= 1;
    Result<TypeParam> parsed = TypeParam::parse(bytes);
    RC_ASSERT(!parsed && parsed.error() == NtStatus::kInvalidParameter);
  }));
}
REGISTER_TYPED_TEST_SUITE_P(Message, WrongStructureSizeIsInvalidParameter);
INSTANTIATE_TYPED_TEST_SUITE_P(Request, Message, Requests);
INSTANTIATE_TYPED_TEST_SUITE_P(Response, Message, Responses);

template <typename T>
NtStatus status_of(Bytes bytes) {
  Result<T> parsed = T::parse(bytes);
  return parsed ? NtStatus::kSuccess : parsed.error();
}

TEST(Offsets, MayNotPointIntoTheFixedPart) {
  const uint8_t data[] = {1, 2, 3, 4};
  std::vector<uint8_t> bytes = encode(WriteRequest{.data = data});
  ASSERT_EQ(status_of<WriteRequest>(bytes), NtStatus::kSuccess);
  store<uint16_t>(bytes.data() + kHeaderSize + 2, kHeaderSize);
  EXPECT_EQ(status_of<WriteRequest>(bytes), NtStatus::kInvalidParameter);
}

TEST(Offsets, WriteDataMayBeginAt0x100ButNoFurther) {
  std::vector<uint8_t> bytes = encode(WriteRequest{});
  bytes.resize(0x180);
  store<uint32_t>(bytes.data() + kHeaderSize + 4, 8);
  store<uint16_t>(bytes.data() + kHeaderSize + 2, 0x100);
  EXPECT_EQ(status_of<WriteRequest>(bytes), NtStatus::kSuccess);
  store<uint16_t>(bytes.data() + kHeaderSize + 2, 0x101);
  EXPECT_EQ(status_of<WriteRequest>(bytes), NtStatus::kInvalidParameter);
}

TEST(Offsets, LengthThatWrapsAroundIsRefused) {
  std::vector<uint8_t> bytes = encode(IoctlRequest{});
  store<uint32_t>(bytes.data() + kHeaderSize + 24, 0xFFFFFFF8);
  store<uint32_t>(bytes.data() + kHeaderSize + 28, 0xFFFFFFFF);
  EXPECT_EQ(status_of<IoctlRequest>(bytes), NtStatus::kInvalidParameter);
}

TEST(CreateRequest, OddNameLengthIsInvalidParameter) {
  const uint8_t name[] = {'a', 0, 'b'};
  EXPECT_EQ(status_of<CreateRequest>(encode(CreateRequest{.name = name})),
            NtStatus::kInvalidParameter);
}

TEST(CreateRequest, UnalignedContextsAreInvalidParameter) {
  const uint8_t contexts[24] = {};
  std::vector<uint8_t> bytes = encode(CreateRequest{.contexts = contexts});
  ASSERT_EQ(status_of<CreateRequest>(bytes), NtStatus::kSuccess);
  bytes.resize(bytes.size() + 4);
  store<uint32_t>(bytes.data() + kHeaderSize + 48, 124);
  EXPECT_EQ(status_of<CreateRequest>(bytes), NtStatus::kInvalidParameter);
}

TEST(LockRequest, ElementsReadBackAndNoneIsInvalidParameter) {
  uint8_t memory[2 * LockElement::kSize];
  Builder b(memory);
  LockElement{1, 2, kLockFlagSharedLock}.write(b);
  LockElement{3, 4, kLockFlagUnlock}.write(b);
  std::vector<uint8_t> bytes = encode(LockRequest{.lock_sequence = 0x25, .locks = memory});
  Result<LockRequest> parsed = LockRequest::parse(bytes);
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->lock_count(), 2u);
  EXPECT_EQ(parsed->lock(1).offset, 3u);
  EXPECT_EQ(parsed->lock(1).length, 4u);
  EXPECT_EQ(parsed->lock(1).flags, kLockFlagUnlock);
  EXPECT_EQ(parsed->lock_sequence_number(), 5);
  EXPECT_EQ(parsed->lock_sequence_index(), 2u);
  store<uint16_t>(bytes.data() + kHeaderSize + 2, 0);
  EXPECT_EQ(status_of<LockRequest>(bytes), NtStatus::kInvalidParameter);
}

TEST(NegotiateRequest, WithoutDialectsIsInvalidParameter) {
  EXPECT_EQ(status_of<NegotiateRequest>(encode(NegotiateRequest{})), NtStatus::kInvalidParameter);
}

TEST(NegotiateRequest, ContextFieldsAreIgnoredWithoutDialect311) {
  const uint16_t dialects[] = {0x0202, 0x0302};
  std::vector<uint8_t> bytes = encode(NegotiateRequest{.dialects = U16List::of(dialects)});
  store<uint64_t>(bytes.data() + kHeaderSize + 28, UINT64_MAX);  // ClientStartTime
  Result<NegotiateRequest> parsed = NegotiateRequest::parse(bytes);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->context_count, 0);
}

// Given output written in place behind the fixed part, the message equals the one built from a
// view.
template <typename T, typename Finish>
void in_place_equals_view(T with_output, T without, Bytes output, Finish finish) {
  std::vector<uint8_t> memory(4096);
  Builder b(memory);
  b.zeros(kHeaderSize);
  without.build(b);
  b.bytes(output);
  finish(b);
  RC_ASSERT(b.ok());
  RC_ASSERT(std::ranges::equal(b.written(), encode(with_output)));
}

RC_GTEST_PROP(InPlace, BufferResponse, (const std::vector<uint8_t>& output)) {
  in_place_equals_view(BufferResponse{output}, BufferResponse{}, output,
                       [](Builder& b) { BufferResponse::finish_output(b); });
}

RC_GTEST_PROP(InPlace, IoctlResponse, (const std::vector<uint8_t>& output)) {
  in_place_equals_view(IoctlResponse{.ctl_code = 7, .output = output}, IoctlResponse{.ctl_code = 7},
                       output, [](Builder& b) { IoctlResponse::finish_output(b); });
}

RC_GTEST_PROP(InPlace, CreateResponse, (const std::vector<uint8_t>& contexts)) {
  in_place_equals_view(CreateResponse{.end_of_file = 7, .contexts = contexts},
                       CreateResponse{.end_of_file = 7}, contexts,
                       [](Builder& b) { CreateResponse::finish_contexts(b); });
}

RC_GTEST_PROP(InPlace, ReadResponse, (const std::vector<uint8_t>& data)) {
  std::vector<uint8_t> memory(4096);
  Builder b(memory);
  b.zeros(kHeaderSize);
  ReadResponse::build_fixed(b, static_cast<uint32_t>(data.size()));
  RC_ASSERT(b.size() == ReadResponse::kDataOffset);
  b.bytes(data);
  RC_ASSERT(std::ranges::equal(b.written(), encode(ReadResponse{.data = data})));
}

}  // namespace test
}  // namespace semblance::wire
