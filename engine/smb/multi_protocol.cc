#include "engine/smb/multi_protocol.h"

#include "engine/smb/chain.h"
#include "engine/smb/negotiation.h"
#include "engine/smb/outgoing.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/smb1_negotiate.h"

namespace semblance::smb {

void multi_protocol_negotiate(EngineState& e, Connection& c, Bytes message) {
  auto request = wire::Smb1NegotiateRequest::parse(message);
  bool wildcard = request && request->offers_smb_2_wildcard && e.config.dialect_max >= 0x0210;
  bool smb_2_002 = request && request->offers_smb_2_002 && e.config.dialect_min <= 0x0202;
  if (!wildcard && !smb_2_002) {
    violate(e, c, "SMB1 peer offers no SMB2 dialect");
    return;
  }
  Region region = c.outbox.reserve(e.transmit, 1024);
  if (!region) {
    violate(e, c, "no room to negotiate");
    return;
  }
  // The greeting takes message id 0; the NEGOTIATE that follows a wildcard has id 1.
  wire::Dialect dialect = wildcard ? wire::Dialect::kSmb2Wildcard : wire::Dialect::kSmb202;
  c.window.consume(0, 1);
  c.window.grant(1);
  c.phase = wildcard ? ConnectionPhase::kWildcard : ConnectionPhase::kNegotiated;
  settle_dialect(e, c, wildcard ? wire::Dialect::kSmb210 : dialect);
  MutableBytes reply = c.outbox.bytes(e.transmit, region);
  wire::Builder frame(reply.first(wire::kFrameHeaderSize));
  wire::Builder element(reply.subspan(wire::kFrameHeaderSize));
  wire::Header h;
  h.command = wire::Command::kNegotiate;
  h.credits = 1;
  h.flags = wire::kFlagServerToRedir;
  h.build(element);
  std::array<uint8_t, 256> token;
  wire::NegotiateResponse response = negotiate_response(e, c, token);
  response.dialect_revision = dialect;
  response.build(element);
  CHECK(element.ok());
  wire::FrameHeader{wire::kFrameSessionMessage, static_cast<uint32_t>(element.size())}.build(frame);
  queue(e, c, region, wire::kFrameHeaderSize + element.size());
}

}  // namespace semblance::smb
