#include "engine/wire/negotiate.h"

namespace semblance::wire {

namespace {

// 2.2.3.1: the first context is 8-aligned from the header on; the list has no length of its own.
Bytes context_list(Reader& r, uint16_t structure_size, size_t offset, uint16_t count) {
  if (count == 0) return {};
  if (offset % 8 != 0 || offset > r.all().size()) return r.fail();
  return variable(r, structure_size, offset, r.all().size() - offset);
}

}  // namespace

Result<NegotiateRequest> NegotiateRequest::parse(Bytes element) {
  Reader r = open_body(element, kStructureSize);
  NegotiateRequest n;
  size_t dialect_count = r.u16();
  n.security_mode = r.u16();
  r.skip(2);
  n.capabilities = r.u32();
  n.client_guid = r.array<16>();
  size_t context_offset = r.u32();
  uint16_t context_count = r.u16();
  r.skip(2);
  if (dialect_count == 0) r.fail();
  n.dialects = {r.bytes(dialect_count * 2)};
  if (n.offers(Dialect::kSmb311)) {
    n.context_count = context_count;
    n.contexts = context_list(r, kStructureSize, context_offset, context_count);
  }
  return finish(r, n);
}

void NegotiateRequest::build(Builder& b) const {
  size_t dialects_end = variable_offset(kStructureSize) + dialects.raw.size();
  b.u16(kStructureSize);
  b.u16(static_cast<uint16_t>(dialects.size()));
  b.u16(security_mode);
  b.u16(0);
  b.u32(capabilities);
  b.bytes(client_guid);
  b.u32(context_count == 0 ? 0 : static_cast<uint32_t>(align_up(dialects_end, 8)));
  b.u16(context_count);
  b.u16(0);
  b.bytes(dialects.raw);
  if (context_count == 0) return;
  b.align(8);
  b.bytes(contexts);
}

Result<NegotiateResponse> NegotiateResponse::parse(Bytes element) {
  Reader r = open_body(element, kStructureSize);
  NegotiateResponse n;
  n.security_mode = r.u16();
  n.dialect_revision = static_cast<Dialect>(r.u16());
  uint16_t context_count = r.u16();
  n.server_guid = r.array<16>();
  n.capabilities = r.u32();
  n.max_transact_size = r.u32();
  n.max_read_size = r.u32();
  n.max_write_size = r.u32();
  n.system_time = {r.u64()};
  n.server_start_time = {r.u64()};
  size_t buffer_offset = r.u16(), buffer_length = r.u16();
  size_t context_offset = r.u32();
  n.security_buffer = variable(r, kStructureSize, buffer_offset, buffer_length);
  if (n.dialect_revision == Dialect::kSmb311) {
    n.context_count = context_count;
    n.contexts = context_list(r, kStructureSize, context_offset, context_count);
  }
  return finish(r, n);
}

void NegotiateResponse::build(Builder& b) const {
  size_t buffer_end = variable_offset(kStructureSize) + security_buffer.size();
  b.u16(kStructureSize);
  b.u16(security_mode);
  b.u16(static_cast<uint16_t>(dialect_revision));
  b.u16(context_count);
  b.bytes(server_guid);
  b.u32(capabilities);
  b.u32(max_transact_size);
  b.u32(max_read_size);
  b.u32(max_write_size);
  b.u64(system_time.ticks);
  b.u64(server_start_time.ticks);
  b.u16(variable_offset(kStructureSize));
  b.u16(length_u16(security_buffer));
  b.u32(context_count == 0 ? 0 : static_cast<uint32_t>(align_up(buffer_end, 8)));
  b.bytes(security_buffer);
  if (context_count == 0) return;
  b.align(8);
  b.bytes(contexts);
}

}  // namespace semblance::wire
