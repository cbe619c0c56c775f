#include "engine/wire/dcerpc.h"

#include <algorithm>

namespace semblance::wire::dcerpc {
namespace {

constexpr uint8_t kVersion = 5;
constexpr uint8_t kVersionMinor = 0;
constexpr uint8_t kVersionMinorMax = 1;
// Integers little-endian, characters ASCII, floats IEEE.
constexpr uint8_t kDataRepresentation = 0x10;
constexpr size_t kFragmentSizeAt = 8;

constexpr uint8_t kBindTimePrefix[8] = {0x2C, 0x1C, 0xB7, 0x6C, 0x12, 0x98, 0x40, 0x45};

Syntax read_syntax(Reader& reader) {
  Syntax syntax;
  syntax.uuid = reader.array<16>();
  syntax.version = reader.u32();
  return syntax;
}

void put_syntax(Builder& out, const Syntax& syntax) {
  out.bytes(syntax.uuid);
  out.u32(syntax.version);
}

// Writes the header at the builder's end; finish() fills in the size.
class Pdu {
 public:
  Pdu(Builder& out, PduType type, uint8_t flags, uint32_t call_id) : out_(out), start_(out.size()) {
    Header{.type = type, .flags = flags, .call_id = call_id}.build(out);
  }
  size_t size() const { return out_.size() - start_; }
  void finish() {
    if (out_.ok()) out_.patch_u16(start_ + kFragmentSizeAt, static_cast<uint16_t>(size()));
  }

 private:
  Builder& out_;
  size_t start_;
};

constexpr uint8_t kWhole = kFirstFragment | kLastFragment;

}  // namespace

std::optional<Header> Header::parse(Bytes pdu) {
  Reader reader(pdu);
  const uint8_t version = reader.u8();
  const uint8_t minor = reader.u8();
  Header header;
  header.type = PduType{reader.u8()};
  header.flags = reader.u8();
  const uint8_t representation = reader.u8();
  reader.skip(3);
  header.fragment_size = reader.u16();
  header.auth_size = reader.u16();
  header.call_id = reader.u32();
  if (!reader.ok() || version != kVersion || minor > kVersionMinorMax ||
      representation != kDataRepresentation || header.fragment_size < kSize) {
    return std::nullopt;
  }
  return header;
}

void Header::build(Builder& out) const {
  out.u8(kVersion);
  out.u8(kVersionMinor);
  out.u8(static_cast<uint8_t>(type));
  out.u8(flags);
  out.u8(kDataRepresentation);
  out.zeros(3);
  out.u16(fragment_size);
  out.u16(auth_size);
  out.u32(call_id);
}

std::optional<uint8_t> bind_time_features(const Syntax& syntax) {
  if (syntax.version != 1 || !std::ranges::equal(Bytes(syntax.uuid).first(8), kBindTimePrefix)) {
    return std::nullopt;
  }
  return syntax.uuid[8];
}

std::optional<Bind> Bind::parse(Bytes body) {
  Reader reader(body);
  Bind bind;
  bind.transmit_size_max = reader.u16();
  bind.receive_size_max = reader.u16();
  bind.association_group = reader.u32();
  bind.context_count = reader.u8();
  reader.skip(3);
  bind.contexts = reader.bytes(reader.remaining());
  if (!reader.ok()) return std::nullopt;
  return bind;
}

ContextElement next_context(Reader& reader) {
  ContextElement element;
  element.id = reader.u16();
  const uint8_t transfer_count = reader.u8();
  reader.skip(1);
  element.abstract_syntax = read_syntax(reader);
  for (unsigned i = 0; i < transfer_count && reader.ok(); ++i) {
    const Syntax transfer = read_syntax(reader);
    if (transfer == kNdr32) element.offers_ndr32 = true;
    if (transfer_count == 1) element.features = bind_time_features(transfer);
  }
  if (transfer_count == 0) reader.fail();
  return element;
}

void BindAck::build(Builder& out) const {
  Pdu pdu(out, type, kWhole, call_id);
  out.u16(fragment_size_max);
  out.u16(fragment_size_max);
  out.u32(association_group);
  // The length counts the terminating zero; no address at all has neither.
  const size_t address_size = secondary_address.empty() ? 0 : secondary_address.size() + 1;
  out.u16(static_cast<uint16_t>(address_size));
  out.bytes(as_bytes(secondary_address));
  if (address_size != 0) out.u8(0);
  out.zeros(align_up(pdu.size(), 4) - pdu.size());
  out.u8(static_cast<uint8_t>(results.size()));
  out.zeros(3);
  for (const ContextResult& result : results) {
    out.u16(static_cast<uint16_t>(result.outcome));
    out.u16(result.reason);
    put_syntax(out, result.outcome == ContextOutcome::kAcceptance ? kNdr32 : Syntax{});
  }
  pdu.finish();
}

void build_bind_nak(Builder& out, uint32_t call_id, NakReason reason) {
  Pdu pdu(out, PduType::kBindNak, kWhole, call_id);
  out.u16(static_cast<uint16_t>(reason));
  out.u8(1);  // one supported version
  out.u8(kVersion);
  out.u8(kVersionMinor);
  out.zeros(3);
  pdu.finish();
}

std::optional<Request> Request::parse(Bytes body, uint8_t header_flags) {
  Reader reader(body);
  Request request;
  reader.skip(4);  // alloc_hint: a hint, and the peer's
  request.context_id = reader.u16();
  request.opnum = reader.u16();
  if (header_flags & kObjectUuid) reader.skip(16);
  request.stub = reader.bytes(reader.remaining());
  if (!reader.ok()) return std::nullopt;
  return request;
}

void build_response(Builder& out, uint8_t flags, uint32_t call_id, uint16_t context_id, size_t left,
                    Bytes stub) {
  Pdu pdu(out, PduType::kResponse, flags, call_id);
  out.u32(static_cast<uint32_t>(left));
  out.u16(context_id);
  out.zeros(2);  // cancel count, reserved
  out.bytes(stub);
  pdu.finish();
}

void build_fault(Builder& out, uint32_t call_id, uint16_t context_id, Fault status) {
  // "Did not execute": the client may repeat the call elsewhere.
  constexpr uint8_t kDidNotExecute = 0x20;
  Pdu pdu(out, PduType::kFault, kWhole | kDidNotExecute, call_id);
  out.u32(0);
  out.u16(context_id);
  out.zeros(2);
  out.u32(static_cast<uint32_t>(status));
  out.zeros(4);
  pdu.finish();
}

}  // namespace semblance::wire::dcerpc
