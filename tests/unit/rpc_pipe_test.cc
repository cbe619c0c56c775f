#include "engine/rpc/pipe.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/rpc/srvsvc.h"
#include "engine/rpc/wkssvc.h"
#include "engine/wire/ndr.h"

namespace semblance::rpc {
namespace {

namespace dce = wire::dcerpc;
using Blob = std::vector<uint8_t>;

struct TestView : ServiceView {
  std::vector<ShareView> shares = {{.name = "share", .comment = "Files"},
                                   {.name = "secret", .hidden = true},
                                   {.name = "\xc3\xa4", .comment = "", .flags = 0x30}};
  size_t share_count() const override { return shares.size(); }
  ShareView share(size_t index) const override { return shares.at(index); }
  std::string_view server_name() const override { return "SEMBLANCE"; }
  std::string_view server_comment() const override { return "test"; }
  std::string_view domain() const override { return "WORKGROUP"; }
};

// ---- A client's PDUs ----------------------------------------------------------------------------

template <typename Body>
Blob pdu(dce::PduType type, uint8_t flags, uint32_t call_id, Body body) {
  Blob space(70'000);
  wire::Builder out(space);
  dce::Header{.type = type, .flags = flags, .call_id = call_id}.build(out);
  body(out);
  EXPECT_TRUE(out.ok());
  out.patch_u16(8, static_cast<uint16_t>(out.size()));
  space.resize(out.size());
  return space;
}

struct Offer {
  uint16_t id;
  dce::Syntax abstract_syntax, transfer;
};

constexpr dce::Syntax kNdr64{{0x33, 0x05, 0x71, 0x71, 0xBA, 0xBE, 0x37, 0x49, 0x83, 0x19, 0xB5,
                              0xDB, 0xEF, 0x9C, 0xCC, 0x36},
                             1};
constexpr dce::Syntax kFeatures{
    {0x2C, 0x1C, 0xB7, 0x6C, 0x12, 0x98, 0x40, 0x45, 3, 0, 0, 0, 0, 0, 0, 0}, 1};

Blob bind(const std::vector<Offer>& offers, dce::PduType type = dce::PduType::kBind,
          uint16_t receive_max = 4280) {
  return pdu(type, 3, 1, [&](wire::Builder& out) {
    out.u16(4280);
    out.u16(receive_max);
    out.u32(0);
    out.u8(static_cast<uint8_t>(offers.size()));
    out.zeros(3);
    for (const Offer& offer : offers) {
      out.u16(offer.id);
      out.u16(1);
      out.bytes(offer.abstract_syntax.uuid);
      out.u32(offer.abstract_syntax.version);
      out.bytes(offer.transfer.uuid);
      out.u32(offer.transfer.version);
    }
  });
}

Blob request(uint16_t opnum, Bytes stub, uint8_t flags = 3, uint32_t call_id = 7,
             uint16_t context = 0) {
  return pdu(dce::PduType::kRequest, flags, call_id, [&](wire::Builder& out) {
    out.u32(static_cast<uint32_t>(stub.size()));
    out.u16(context);
    out.u16(opnum);
    out.bytes(stub);
  });
}

template <typename Write>
Blob stub_of(Write write) {
  Blob space(4096);
  wire::NdrWriter out(space);
  write(out);
  space.resize(out.size());
  return space;
}

Blob enum_stub(uint32_t level, uint32_t preferred = 0xFFFFFFFF, uint32_t resume = 0) {
  return stub_of([&](wire::NdrWriter& out) {
    out.pointer();
    out.wide_string(u"\\\\server");
    out.u32(level);
    out.u32(level);
    out.pointer();
    out.u32(0);
    out.null();
    out.u32(preferred);
    out.pointer();
    out.u32(resume);
  });
}
Blob share_info_stub(std::u16string_view name, uint32_t level) {
  return stub_of([&](wire::NdrWriter& out) {
    out.null();
    out.wide_string(name);
    out.u32(level);
  });
}
Blob level_stub(uint32_t level) {
  return stub_of([&](wire::NdrWriter& out) {
    out.pointer();
    out.wide_string(u"S");
    out.u32(level);
  });
}

// ---- Reading replies ----------------------------------------------------------------------------

// One message, read in pieces of `piece` bytes.
Blob read_message(Pipe& pipe, size_t piece = 1024) {
  Blob message;
  bool more = true;
  while (more) {
    Blob buffer(piece);
    const size_t size = pipe.read(buffer, more);
    message.insert(message.end(), buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(size));
  }
  return message;
}

// The reassembled stub of the response that waits, checking its fragments.
Blob read_response(Pipe& pipe, size_t* fragments = nullptr) {
  Blob stub;
  for (size_t count = 1;; ++count) {
    const Blob message = read_message(pipe);
    const auto header = dce::Header::parse(message);
    if (!header || header->type != dce::PduType::kResponse) {
      ADD_FAILURE() << "no response";
      return {};
    }
    EXPECT_EQ(header->fragment_size, message.size());
    EXPECT_EQ(header->first(), count == 1);
    EXPECT_EQ(header->call_id, 7u);
    stub.insert(stub.end(), message.begin() + dce::kResponseOverhead, message.end());
    if (fragments) *fragments = count;
    if (header->last()) return stub;
  }
}

uint32_t read_fault(Pipe& pipe) {
  const Blob message = read_message(pipe);
  const auto header = dce::Header::parse(message);
  if (!header || header->type != dce::PduType::kFault || message.size() != 32) return 0;
  return load<uint32_t>(message.data() + 24);
}

struct Bound {
  TestView view;
  Pipe pipe;
  explicit Bound(PipeName name = PipeName::kSrvsvc) : pipe(name) {
    const auto& syntax = name == PipeName::kSrvsvc ? kSrvsvcInterface : kWkssvcInterface;
    EXPECT_EQ(pipe.write(bind({{0, syntax, dce::kNdr32}}), view), NtStatus::kSuccess);
    read_message(pipe);
  }
  Blob call(uint16_t opnum, Bytes stub) {
    EXPECT_EQ(pipe.write(request(opnum, stub), view), NtStatus::kSuccess);
    return read_response(pipe);
  }
};

struct Result {
  dce::ContextOutcome outcome;
  uint16_t reason;
};
std::vector<Result> results_of(const Blob& ack) {
  wire::Reader reader(ack);
  reader.seek(24);
  reader.skip(reader.u16());
  reader.seek(align_up(reader.position(), 4));
  const uint8_t count = reader.u8();
  reader.skip(3);
  std::vector<Result> results;
  for (int i = 0; i < count; ++i) {
    const auto outcome = dce::ContextOutcome{reader.u16()};
    results.push_back({outcome, reader.u16()});
    reader.skip(20);
  }
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
  return results;
}

// ---- Names and binding --------------------------------------------------------------------------

TEST(PipeName, IsAnEnumerationWithoutCase) {
  EXPECT_EQ(pipe_by_name(u"srvsvc"), PipeName::kSrvsvc);
  EXPECT_EQ(pipe_by_name(u"SRVSVC"), PipeName::kSrvsvc);
  EXPECT_EQ(pipe_by_name(u"WksSvc"), PipeName::kWkssvc);
  EXPECT_FALSE(pipe_by_name(u"lsarpc"));
  EXPECT_FALSE(pipe_by_name(u"nosuchpipe"));
  EXPECT_FALSE(pipe_by_name(u""));
}

TEST(Bind, EveryContextHasItsOwnResult) {
  TestView view;
  Pipe pipe(PipeName::kSrvsvc);
  dce::Syntax newer = kSrvsvcInterface;
  newer.version = 4;
  ASSERT_EQ(pipe.write(bind({{0, kSrvsvcInterface, dce::kNdr32},
                             {1, kSrvsvcInterface, kNdr64},
                             {2, kSrvsvcInterface, kFeatures},
                             {3, kWkssvcInterface, dce::kNdr32},
                             {4, newer, dce::kNdr32}}),
                       view),
            NtStatus::kSuccess);
  const Blob ack = read_message(pipe);
  EXPECT_EQ(dce::Header::parse(ack)->type, dce::PduType::kBindAck);
  const auto results = results_of(ack);
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results[0].outcome, dce::ContextOutcome::kAcceptance);
  EXPECT_EQ(results[1].outcome, dce::ContextOutcome::kProviderRejection);
  EXPECT_EQ(results[1].reason, 2);
  EXPECT_EQ(results[2].outcome, dce::ContextOutcome::kNegotiateAck);
  EXPECT_EQ(results[2].reason, dce::kKeepConnectionOnOrphan);
  EXPECT_EQ(results[3].outcome, dce::ContextOutcome::kProviderRejection);
  EXPECT_EQ(results[3].reason, 1);
  EXPECT_EQ(results[4].outcome, dce::ContextOutcome::kProviderRejection);
}

TEST(Bind, AlterContextAddsAContext) {
  Bound bound;
  bound.pipe.write(bind({{9, kSrvsvcInterface, dce::kNdr32}}, dce::PduType::kAlterContext),
                   bound.view);
  const Blob ack = read_message(bound.pipe);
  EXPECT_EQ(dce::Header::parse(ack)->type, dce::PduType::kAlterContextResp);
  EXPECT_EQ(results_of(ack).at(0).outcome, dce::ContextOutcome::kAcceptance);
  bound.pipe.write(request(21, level_stub(100), 3, 7, 9), bound.view);
  EXPECT_FALSE(read_response(bound.pipe).empty());
}

TEST(Bind, ASecondBindAndAnAuthenticatedOneAreNaked) {
  Bound bound;
  bound.pipe.write(bind({{0, kSrvsvcInterface, dce::kNdr32}}), bound.view);
  EXPECT_EQ(dce::Header::parse(read_message(bound.pipe))->type, dce::PduType::kBindNak);
  Pipe fresh(PipeName::kSrvsvc);
  Blob secured = bind({{0, kSrvsvcInterface, dce::kNdr32}});
  secured[10] = 8;  // auth_length
  fresh.write(secured, bound.view);
  EXPECT_EQ(dce::Header::parse(read_message(fresh))->type, dce::PduType::kBindNak);
}

// ---- Calls --------------------------------------------------------------------------------------

TEST(Srvsvc, ShareEnumLevel1ListsWhatIsNotHidden) {
  Bound bound;
  const Blob stub = bound.call(15, enum_stub(1));
  wire::NdrReader in(stub);
  EXPECT_EQ(in.u32(), 1u);
  EXPECT_EQ(in.u32(), 1u);
  EXPECT_TRUE(in.pointer());
  EXPECT_EQ(in.u32(), 3u);
  EXPECT_TRUE(in.pointer());
  EXPECT_EQ(in.u32(), 3u);
  for (uint32_t type : {0u, 0u, 0x80000003u}) {
    EXPECT_TRUE(in.pointer());
    EXPECT_EQ(in.u32(), type);
    EXPECT_TRUE(in.pointer());
  }
  EXPECT_EQ(in.wide_string(), u"share");
  EXPECT_EQ(in.wide_string(), u"Files");
  EXPECT_EQ(in.wide_string(), u"\u00e4");
  EXPECT_EQ(in.wide_string(), u"");
  EXPECT_EQ(in.wide_string(), u"IPC$");
  in.wide_string();
  EXPECT_EQ(in.u32(), 3u);  // TotalEntries
  EXPECT_TRUE(in.pointer());
  EXPECT_EQ(in.u32(), 0u);  // resume handle
  EXPECT_EQ(in.u32(), 0u);  // status
  EXPECT_TRUE(in.ok());
}

TEST(Srvsvc, ASmallBufferIsResumed) {
  Bound bound;
  std::vector<std::u16string> names;
  uint32_t resume = 0;
  for (int round = 0; round < 3; ++round) {
    const Blob stub = bound.call(15, enum_stub(0, 1, resume));
    wire::NdrReader in(stub);
    in.u32(), in.u32(), in.pointer();
    ASSERT_EQ(in.u32(), 1u);
    in.pointer(), in.u32(), in.pointer();
    names.push_back(in.wide_string());
    EXPECT_EQ(in.u32(), 3u - static_cast<uint32_t>(round));
    in.pointer();
    resume = in.u32();
    EXPECT_EQ(in.u32(), round < 2 ? 234u : 0u);
    EXPECT_TRUE(in.ok());
  }
  EXPECT_EQ(names, (std::vector<std::u16string>{u"share", u"\u00e4", u"IPC$"}));
}

TEST(Srvsvc, ManySharesComeInFragments) {
  Bound bound;
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("share" + std::to_string(i));
  bound.view.shares.clear();
  for (const auto& name : names) bound.view.shares.push_back({.name = name, .comment = "c"});
  bound.pipe.write(request(15, enum_stub(502)), bound.view);
  size_t fragments = 0;
  const Blob stub = read_response(bound.pipe, &fragments);
  EXPECT_GT(fragments, 3u);
  wire::NdrReader in(stub);
  in.u32(), in.u32(), in.pointer();
  EXPECT_EQ(in.u32(), 301u);
  EXPECT_EQ(load<uint32_t>(stub.data() + stub.size() - 4), 0u);
  EXPECT_EQ(bound.pipe.readable(), 0u);
}

TEST(Srvsvc, EveryLevelOfShareGetInfo) {
  Bound bound;
  const std::pair<uint32_t, size_t> kFields[] = {{0, 1}, {1, 3}, {2, 8}, {501, 4}, {502, 10}};
  for (const auto& [level, fields] : kFields) {
    const Blob stub = bound.call(16, share_info_stub(u"SHARE", level));
    wire::NdrReader in(stub);
    EXPECT_EQ(in.u32(), level);
    EXPECT_TRUE(in.pointer());
    for (size_t i = 0; i < fields; ++i) in.u32();
    EXPECT_EQ(in.wide_string(), u"share");
    EXPECT_EQ(load<uint32_t>(stub.data() + stub.size() - 4), 0u);
  }
  const Blob flags = bound.call(16, share_info_stub(u"\u00c4", 1005));
  ASSERT_EQ(flags.size(), 16u);
  EXPECT_EQ(load<uint32_t>(flags.data() + 8), 0x30u);
  EXPECT_EQ(bound.call(16, share_info_stub(u"SECRET", 1)).back(), 0) << "hidden, not absent";
}

TEST(Srvsvc, UnknownShareAndUnknownLevelAreErrorsOfTheCall) {
  Bound bound;
  const auto status = [](const Blob& stub) {
    return load<uint32_t>(stub.data() + stub.size() - 4);
  };
  EXPECT_EQ(status(bound.call(16, share_info_stub(u"absent", 1))), 2310u);
  EXPECT_EQ(status(bound.call(16, share_info_stub(u"share", 503))), 124u);
  EXPECT_EQ(status(bound.call(16, share_info_stub(u"share", 77))), 124u);
  EXPECT_EQ(status(bound.call(21, level_stub(103))), 124u);
  EXPECT_EQ(status(bound.call(15, enum_stub(503))), 124u);
}

TEST(Srvsvc, ServerGetInfo102) {
  Bound bound;
  const Blob stub = bound.call(21, level_stub(102));
  wire::NdrReader in(stub);
  EXPECT_EQ(in.u32(), 102u);
  EXPECT_TRUE(in.pointer());
  EXPECT_EQ(in.u32(), 500u);
  for (int i = 0; i < 12; ++i) in.u32();
  EXPECT_EQ(in.wide_string(), u"SEMBLANCE");
  EXPECT_EQ(in.wide_string(), u"test");
  EXPECT_EQ(in.wide_string(), u"C:\\");
  EXPECT_EQ(in.u32(), 0u);
  EXPECT_TRUE(in.ok());
}

TEST(Wkssvc, WkstaGetInfo100) {
  Bound bound(PipeName::kWkssvc);
  const Blob stub = bound.call(0, level_stub(100));
  wire::NdrReader in(stub);
  in.u32(), in.pointer();
  EXPECT_EQ(in.u32(), 500u);
  for (int i = 0; i < 4; ++i) in.u32();
  EXPECT_EQ(in.wide_string(), u"SEMBLANCE");
  EXPECT_EQ(in.wide_string(), u"WORKGROUP");
  EXPECT_EQ(in.u32(), 0u);
}

TEST(Calls, OutsideTheTableAreFaults) {
  Bound bound;
  const auto fault = [&](const Blob& bytes) {
    bound.pipe.write(bytes, bound.view);
    return read_fault(bound.pipe);
  };
  EXPECT_EQ(fault(request(200, {})), 0x1C010002u);
  EXPECT_EQ(fault(request(12, {})), 5u);
  EXPECT_EQ(fault(request(21, level_stub(100), 3, 7, 44)), 0x1C010003u);
  EXPECT_EQ(fault(request(21, {})), 0x6F7u);
  // The pipe is as good as before.
  EXPECT_FALSE(bound.call(21, level_stub(100)).empty());
}

TEST(Calls, FragmentsOfARequestAreJoinedAndBounded) {
  Bound bound;
  const Blob stub = level_stub(100);
  bound.pipe.write(request(21, Bytes(stub).first(8), 1), bound.view);
  bound.pipe.write(request(21, Bytes(stub).subspan(8, 4), 0), bound.view);
  EXPECT_EQ(bound.pipe.readable(), 0u);
  bound.pipe.write(request(21, Bytes(stub).subspan(12), 2), bound.view);
  EXPECT_EQ(load<uint32_t>(read_response(bound.pipe).data()), 100u);

  const Blob large(5000);
  bound.pipe.write(request(21, large, 1), bound.view);
  for (int i = 0; i < 100; ++i) bound.pipe.write(request(21, large, 0), bound.view);
  bound.pipe.write(request(21, large, 2), bound.view);
  EXPECT_EQ(read_fault(bound.pipe), 0x1C00001Bu);
}

TEST(Calls, AnotherCallAmidFragmentsDisconnects) {
  Bound bound;
  bound.pipe.write(request(21, {}, 1, 7), bound.view);
  EXPECT_EQ(bound.pipe.write(request(21, {}, 3, 8), bound.view), NtStatus::kPipeDisconnected);
  EXPECT_TRUE(bound.pipe.disconnected());
}

TEST(Calls, AClientThatNeverReadsIsDisconnected) {
  Bound bound;
  const Blob call = request(15, enum_stub(1));
  NtStatus status = NtStatus::kSuccess;
  size_t calls = 0;
  while (status == NtStatus::kSuccess && calls < 10'000) {
    status = bound.pipe.write(call, bound.view);
    ++calls;
  }
  EXPECT_EQ(status, NtStatus::kPipeDisconnected);
  size_t unread = 0;
  while (bound.pipe.readable() != 0) unread += read_message(bound.pipe).size();
  EXPECT_LE(unread, Pipe::kUnreadMax + Pipe::kReplyStubMax * 2);
}

// ---- Any bytes, in any pieces -------------------------------------------------------------------

// How the stream is cut makes no difference, and messages keep their bounds.
RC_GTEST_PROP(Pipe, PiecesMakeNoDifference, (std::vector<uint8_t> cuts)) {
  Blob stream = bind({{0, kSrvsvcInterface, dce::kNdr32}});
  for (const Blob& call : {request(15, enum_stub(2)), request(16, share_info_stub(u"share", 1)),
                           request(99, {}), request(21, level_stub(101))}) {
    stream.insert(stream.end(), call.begin(), call.end());
  }
  const auto run = [&](const std::vector<uint8_t>& sizes, size_t piece) {
    TestView view;
    Pipe pipe(PipeName::kSrvsvc);
    Bytes left = stream;
    for (size_t i = 0; !left.empty(); ++i) {
      const size_t size =
          sizes.empty() ? left.size() : std::min<size_t>(left.size(), 1 + sizes[i % sizes.size()]);
      RC_ASSERT(pipe.write(left.first(size), view) == NtStatus::kSuccess);
      left = left.subspan(size);
    }
    std::vector<Blob> messages;
    while (pipe.readable() != 0) messages.push_back(read_message(pipe, piece));
    return messages;
  };
  const auto whole = run({}, 70'000);
  RC_ASSERT(whole.size() == 5u);
  RC_ASSERT(run(cuts, *rc::gen::inRange<size_t>(1, 100)) == whole);
}

RC_GTEST_PROP(Pipe, HostileStreamsAreBounded, (Blob noise)) {
  TestView view;
  Pipe pipe(PipeName::kSrvsvc);
  Blob stream = bind({{0, kSrvsvcInterface, dce::kNdr32}, {2, kSrvsvcInterface, kFeatures}});
  for (const Blob& call :
       {request(15, enum_stub(1)), request(16, share_info_stub(u"share", 2)), request(15, noise),
        request(16, noise), request(21, noise), request(21, level_stub(102), 1)}) {
    stream.insert(stream.end(), call.begin(), call.end());
  }
  const int flips = *rc::gen::inRange(0, 6);
  for (int i = 0; i < flips; ++i) {
    stream[*rc::gen::inRange<size_t>(0, stream.size())] = *rc::gen::arbitrary<uint8_t>();
  }
  stream.insert(stream.end(), noise.begin(), noise.end());
  const NtStatus status = pipe.write(stream, view);
  RC_ASSERT(status == NtStatus::kSuccess || status == NtStatus::kPipeDisconnected);
  size_t total = 0;
  while (pipe.readable() != 0) {
    const Blob message = read_message(pipe);
    RC_ASSERT(dce::Header::parse(message).has_value());
    RC_ASSERT(message.size() <= Pipe::kFragmentReceiveMax);
    total += message.size();
  }
  RC_ASSERT(total < 100'000u);
}

}  // namespace
}  // namespace semblance::rpc
