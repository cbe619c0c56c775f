#pragma once
// MS-SMB2 2.2.39 SMB2 SET_INFO Request, 2.2.40 SMB2 SET_INFO Response.

#include "engine/wire/body.h"
#include "engine/wire/ids.h"
#include "engine/wire/info_class.h"

namespace semblance::wire {

// StructureSize 33; the buffer at +96.
struct SetInfoRequest {
  static constexpr uint16_t kStructureSize = 33;

  InfoType info_type{};
  uint8_t file_info_class = 0;  // FileInfoClass or FsInfoClass, by info_type
  uint32_t additional_information = 0;
  FileId file_id;
  Bytes buffer;

  static Result<SetInfoRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    SetInfoRequest s;
    s.info_type = static_cast<InfoType>(r.u8());
    s.file_info_class = r.u8();
    size_t length = r.u32();
    size_t offset = r.u16();
    r.skip(2);
    s.additional_information = r.u32();
    s.file_id = FileId::read(r);
    s.buffer = variable(r, kStructureSize, offset, length);
    return finish(r, s);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u8(static_cast<uint8_t>(info_type));
    b.u8(file_info_class);
    b.u32(length_u32(buffer));
    b.u16(variable_offset(kStructureSize));
    b.u16(0);
    b.u32(additional_information);
    file_id.write(b);
    at_least_one_byte(b, buffer);
  }
};

// StructureSize 2, and that is all of it.
struct SetInfoResponse {
  static constexpr uint16_t kStructureSize = 2;

  static Result<SetInfoResponse> parse(Bytes element) {
    return finish(open_body(element, kStructureSize), SetInfoResponse{});
  }
  void build(Builder& b) const { b.u16(kStructureSize); }
};

}  // namespace semblance::wire
