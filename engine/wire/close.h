#pragma once
// MS-SMB2 2.2.15 SMB2 CLOSE Request, 2.2.16 SMB2 CLOSE Response.

#include "engine/base/time.h"
#include "engine/wire/body.h"
#include "engine/wire/ids.h"

namespace semblance::wire {

// Flags of both: the response carries the attributes.
inline constexpr uint16_t kCloseFlagPostqueryAttrib = 0x0001;

// StructureSize 24.
struct CloseRequest {
  static constexpr uint16_t kStructureSize = 24;

  uint16_t flags = 0;
  FileId file_id;

  static Result<CloseRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    CloseRequest c;
    c.flags = r.u16();
    r.skip(4);
    c.file_id = FileId::read(r);
    return finish(r, c);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u16(flags);
    b.u32(0);
    file_id.write(b);
  }
};

// StructureSize 60. Everything is 0 without kCloseFlagPostqueryAttrib.
struct CloseResponse {
  static constexpr uint16_t kStructureSize = 60;

  uint16_t flags = 0;
  FileTime creation_time;
  FileTime last_access_time;
  FileTime last_write_time;
  FileTime change_time;
  uint64_t allocation_size = 0;
  uint64_t end_of_file = 0;
  uint32_t file_attributes = 0;

  static Result<CloseResponse> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    CloseResponse c;
    c.flags = r.u16();
    r.skip(4);
    c.creation_time = {r.u64()};
    c.last_access_time = {r.u64()};
    c.last_write_time = {r.u64()};
    c.change_time = {r.u64()};
    c.allocation_size = r.u64();
    c.end_of_file = r.u64();
    c.file_attributes = r.u32();
    return finish(r, c);
  }
  void build(Builder& b) const {
    MutableBytes to = b.reserve(kStructureSize);
    if (to.empty()) return;
    uint8_t* p = to.data();
    store<uint16_t>(p, kStructureSize);
    store<uint16_t>(p + 2, flags);
    store<uint32_t>(p + 4, 0);
    store<uint64_t>(p + 8, creation_time.ticks);
    store<uint64_t>(p + 16, last_access_time.ticks);
    store<uint64_t>(p + 24, last_write_time.ticks);
    store<uint64_t>(p + 32, change_time.ticks);
    store<uint64_t>(p + 40, allocation_size);
    store<uint64_t>(p + 48, end_of_file);
    store<uint32_t>(p + 56, file_attributes);
  }
};

}  // namespace semblance::wire
