// What the receiver sees: frames, in them SMB2 compounds, transforms, or SMB1; and the body that
// each element's command names, as a request or as a response.

#include "engine/wire/change_notify.h"
#include "engine/wire/close.h"
#include "engine/wire/create.h"
#include "engine/wire/error_response.h"
#include "engine/wire/flush.h"
#include "engine/wire/frame_header.h"
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
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using namespace wire;

template <typename Body>
bool parses(Bytes element) {
  Result<Body> body = Body::parse(element);
  look_at(body);
  return body.has_value();
}

struct Parsers {
  bool (*request)(Bytes);
  bool (*response)(Bytes);
};

bool parses_oplock_break(Bytes element) {
  return parses<OplockBreak>(element) || parses<LeaseBreak>(element);
}
bool parses_break_notification(Bytes element) {
  return parses<OplockBreak>(element) || parses<LeaseBreakNotification>(element) ||
         parses<LeaseBreak>(element);
}

// By command.
constexpr Parsers kParsers[kCommandCount] = {
    {parses<NegotiateRequest>, parses<NegotiateResponse>},
    {parses<SessionSetupRequest>, parses<SessionSetupResponse>},
    {parses<SimpleBody>, parses<SimpleBody>},
    {parses<TreeConnectRequest>, parses<TreeConnectResponse>},
    {parses<SimpleBody>, parses<SimpleBody>},
    {parses<CreateRequest>, parses<CreateResponse>},
    {parses<CloseRequest>, parses<CloseResponse>},
    {parses<FlushRequest>, parses<SimpleBody>},
    {parses<ReadRequest>, parses<ReadResponse>},
    {parses<WriteRequest>, parses<WriteResponse>},
    {parses<LockRequest>, parses<SimpleBody>},
    {parses<IoctlRequest>, parses<IoctlResponse>},
    {parses<SimpleBody>, parses<SimpleBody>},
    {parses<SimpleBody>, parses<SimpleBody>},
    {parses<QueryDirectoryRequest>, parses<BufferResponse>},
    {parses<ChangeNotifyRequest>, parses<BufferResponse>},
    {parses<QueryInfoRequest>, parses<BufferResponse>},
    {parses<SetInfoRequest>, parses<SetInfoResponse>},
    {parses_oplock_break, parses_break_notification},
};

void walk_compound(Bytes message) {
  for (;;) {
    Result<Header> header = Header::parse(message);
    if (!header) return;
    std::array<uint8_t, kHeaderSize> again;
    Builder b(again);
    header->build(b);
    CHECK(b.ok() && equal(*header, *Header::parse(again)));
    size_t next = header->next_command;
    if (next != 0 && (next % 8 != 0 || next < kHeaderSize || next + kHeaderSize > message.size()))
      return;
    Bytes element = next == 0 ? message : message.first(next);
    auto command = static_cast<size_t>(header->command);
    if (command < kCommandCount) {
      const Parsers& parsers = kParsers[command];
      (header->is_response() ? parsers.response : parsers.request)(element);
      if (header->is_response()) parses<ErrorResponse>(element);
    }
    if (next == 0) return;
    message = message.subspan(next);
  }
}

void take_message(Bytes message) {
  switch (protocol_id(message)) {
    case kProtocolIdSmb2:
      return walk_compound(message);
    case kProtocolIdSmb1:
      return round_trip<Smb1NegotiateRequest>(message);
    case kProtocolIdTransform:
      return round_trip<TransformHeader>(message);
    case kProtocolIdCompression:
      return round_trip<CompressionHeader>(message);
    default:
      return;
  }
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  Bytes rest(data, size);
  while (auto frame = wire::FrameHeader::parse(rest)) {
    rest = rest.subspan(wire::kFrameHeaderSize);
    // The last message may be cut short; it is looked at all the same.
    size_t length = std::min<size_t>(frame->length, rest.size());
    fuzz::take_message(rest.first(length));
    rest = rest.subspan(length);
  }
  return 0;
}
