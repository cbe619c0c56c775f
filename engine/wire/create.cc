#include "engine/wire/create.h"

namespace semblance::wire {

namespace {

Bytes context_chain(Reader& r, uint16_t structure_size, size_t offset, size_t length) {
  if (length != 0 && offset % 8 != 0) return r.fail();
  return variable(r, structure_size, offset, length);
}

constexpr size_t kResponseContextsOffsetAt = kHeaderSize + 80;

}  // namespace

Result<CreateRequest> CreateRequest::parse(Bytes element) {
  Reader r = open_body(element, kStructureSize);
  CreateRequest c;
  r.skip(1);  // SecurityFlags
  c.requested_oplock_level = static_cast<OplockLevel>(r.u8());
  c.impersonation_level = static_cast<ImpersonationLevel>(r.u32());
  r.skip(16);  // SmbCreateFlags, Reserved
  c.desired_access = r.u32();
  c.file_attributes = r.u32();
  c.share_access = r.u32();
  c.create_disposition = static_cast<CreateDisposition>(r.u32());
  c.create_options = r.u32();
  size_t name_offset = r.u16(), name_length = r.u16();
  size_t contexts_offset = r.u32(), contexts_length = r.u32();
  c.name = variable_name(r, kStructureSize, name_offset, name_length);
  c.contexts = context_chain(r, kStructureSize, contexts_offset, contexts_length);
  return finish(r, c);
}

void CreateRequest::build(Builder& b) const {
  size_t name_end = variable_offset(kStructureSize) + name.size();
  b.u16(kStructureSize);
  b.u8(0);
  b.u8(static_cast<uint8_t>(requested_oplock_level));
  b.u32(static_cast<uint32_t>(impersonation_level));
  b.zeros(16);
  b.u32(desired_access);
  b.u32(file_attributes);
  b.u32(share_access);
  b.u32(static_cast<uint32_t>(create_disposition));
  b.u32(create_options);
  b.u16(variable_offset(kStructureSize));
  b.u16(length_u16(name));
  b.u32(contexts.empty() ? 0 : static_cast<uint32_t>(align_up(name_end, 8)));
  b.u32(length_u32(contexts));
  if (contexts.empty()) {
    at_least_one_byte(b, name);
  } else {
    b.bytes(name);
    b.align(8);
    b.bytes(contexts);
  }
}

Result<CreateResponse> CreateResponse::parse(Bytes element) {
  Reader r = open_body(element, kStructureSize);
  CreateResponse c;
  c.oplock_level = static_cast<OplockLevel>(r.u8());
  c.flags = r.u8();
  c.create_action = static_cast<CreateAction>(r.u32());
  c.creation_time = {r.u64()};
  c.last_access_time = {r.u64()};
  c.last_write_time = {r.u64()};
  c.change_time = {r.u64()};
  c.allocation_size = r.u64();
  c.end_of_file = r.u64();
  c.file_attributes = r.u32();
  r.skip(4);
  c.file_id = FileId::read(r);
  size_t contexts_offset = r.u32(), contexts_length = r.u32();
  c.contexts = context_chain(r, kStructureSize, contexts_offset, contexts_length);
  return finish(r, c);
}

void CreateResponse::build(Builder& b) const {
  MutableBytes to = b.reserve(kStructureSize - 1);
  if (to.empty()) return;
  uint8_t* p = to.data();
  store<uint16_t>(p, kStructureSize);
  store<uint8_t>(p + 2, static_cast<uint8_t>(oplock_level));
  store<uint8_t>(p + 3, flags);
  store<uint32_t>(p + 4, static_cast<uint32_t>(create_action));
  store<uint64_t>(p + 8, creation_time.ticks);
  store<uint64_t>(p + 16, last_access_time.ticks);
  store<uint64_t>(p + 24, last_write_time.ticks);
  store<uint64_t>(p + 32, change_time.ticks);
  store<uint64_t>(p + 40, allocation_size);
  store<uint64_t>(p + 48, end_of_file);
  store<uint32_t>(p + 56, file_attributes);
  store<uint32_t>(p + 60, 0);
  store<uint64_t>(p + 64, file_id.persistent);
  store<uint64_t>(p + 72, file_id.volatile_id);
  store<uint32_t>(p + 80, contexts.empty() ? 0 : variable_offset(kStructureSize));
  store<uint32_t>(p + 84, length_u32(contexts));
  b.bytes(contexts);
}

void CreateResponse::finish_contexts(Builder& b) {
  size_t begin = variable_offset(kStructureSize);
  if (!b.ok() || b.size() <= begin) return;
  b.patch_u32(kResponseContextsOffsetAt, static_cast<uint32_t>(begin));
  b.patch_u32(kResponseContextsOffsetAt + 4, static_cast<uint32_t>(b.size() - begin));
}

}  // namespace semblance::wire
