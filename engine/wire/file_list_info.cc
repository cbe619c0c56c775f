#include "engine/wire/file_list_info.h"

namespace semblance::wire {

StreamEntry StreamEntry::read(Reader& r) {
  StreamEntry e;
  size_t name_length = r.u32();
  e.stream_size = r.u64();
  e.stream_allocation_size = r.u64();
  e.stream_name = r.bytes(name_length);
  return e;
}

void StreamEntry::write(Builder& b) const {
  b.u32(length_u32(stream_name));
  b.u64(stream_size);
  b.u64(stream_allocation_size);
  b.bytes(stream_name);
}

FullEaEntry FullEaEntry::read(Reader& r) {
  FullEaEntry e;
  e.flags = r.u8();
  size_t name_length = r.u8();
  size_t value_length = r.u16();
  e.ea_name = r.bytes(name_length);
  if (r.u8() != 0) r.fail();
  e.ea_value = r.bytes(value_length);
  return e;
}

void FullEaEntry::write(Builder& b) const {
  CHECK(ea_name.size() <= UINT8_MAX);
  b.u8(flags);
  b.u8(static_cast<uint8_t>(ea_name.size()));
  b.u16(length_u16(ea_value));
  b.bytes(ea_name);
  b.u8(0);
  b.bytes(ea_value);
}

}  // namespace semblance::wire
