#pragma once
// MS-SMB2 2.2.33 SMB2 QUERY_DIRECTORY Request, 2.2.34 SMB2 QUERY_DIRECTORY Response.

#include "engine/wire/body.h"
#include "engine/wire/buffer_response.h"
#include "engine/wire/ids.h"
#include "engine/wire/info_class.h"

namespace semblance::wire {

inline constexpr uint8_t kQueryDirectoryRestartScans = 0x01;
inline constexpr uint8_t kQueryDirectoryReturnSingleEntry = 0x02;
inline constexpr uint8_t kQueryDirectoryIndexSpecified = 0x04;
inline constexpr uint8_t kQueryDirectoryReopen = 0x10;

// StructureSize 33; the search pattern in UTF-16LE at +96.
struct QueryDirectoryRequest {
  static constexpr uint16_t kStructureSize = 33;

  FileInfoClass file_information_class{};
  uint8_t flags = 0;
  uint32_t file_index = 0;
  FileId file_id;
  uint32_t output_buffer_length = 0;
  Bytes file_name;

  static Result<QueryDirectoryRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    QueryDirectoryRequest q;
    q.file_information_class = static_cast<FileInfoClass>(r.u8());
    q.flags = r.u8();
    q.file_index = r.u32();
    q.file_id = FileId::read(r);
    size_t offset = r.u16(), length = r.u16();
    q.output_buffer_length = r.u32();
    q.file_name = variable_name(r, kStructureSize, offset, length);
    return finish(r, q);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u8(static_cast<uint8_t>(file_information_class));
    b.u8(flags);
    b.u32(file_index);
    file_id.write(b);
    b.u16(variable_offset(kStructureSize));
    b.u16(length_u16(file_name));
    b.u32(output_buffer_length);
    at_least_one_byte(b, file_name);
  }
};

using QueryDirectoryResponse = BufferResponse;  // output: see directory_entry.h

}  // namespace semblance::wire
