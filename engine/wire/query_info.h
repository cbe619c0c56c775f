#pragma once
// MS-SMB2 2.2.37 SMB2 QUERY_INFO Request, 2.2.38 SMB2 QUERY_INFO Response.

#include "engine/wire/body.h"
#include "engine/wire/buffer_response.h"
#include "engine/wire/ids.h"
#include "engine/wire/info_class.h"

namespace semblance::wire {

// AdditionalInformation for InfoType kSecurity, of QUERY_INFO and SET_INFO
inline constexpr uint32_t kOwnerSecurityInformation = 0x00000001;
inline constexpr uint32_t kGroupSecurityInformation = 0x00000002;
inline constexpr uint32_t kDaclSecurityInformation = 0x00000004;
inline constexpr uint32_t kSaclSecurityInformation = 0x00000008;
inline constexpr uint32_t kLabelSecurityInformation = 0x00000010;
inline constexpr uint32_t kAttributeSecurityInformation = 0x00000020;
inline constexpr uint32_t kScopeSecurityInformation = 0x00000040;
inline constexpr uint32_t kBackupSecurityInformation = 0x00010000;

// Flags, for kFullEa
inline constexpr uint32_t kQueryInfoRestartScan = 0x00000001;
inline constexpr uint32_t kQueryInfoReturnSingleEntry = 0x00000002;
inline constexpr uint32_t kQueryInfoIndexSpecified = 0x00000004;

// StructureSize 41; input (EA list, quota request) at +104.
struct QueryInfoRequest {
  static constexpr uint16_t kStructureSize = 41;

  InfoType info_type{};
  uint8_t file_info_class = 0;  // FileInfoClass or FsInfoClass, by info_type
  uint32_t output_buffer_length = 0;
  uint32_t additional_information = 0;
  uint32_t flags = 0;
  FileId file_id;
  Bytes input;

  static Result<QueryInfoRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    QueryInfoRequest q;
    q.info_type = static_cast<InfoType>(r.u8());
    q.file_info_class = r.u8();
    q.output_buffer_length = r.u32();
    size_t offset = r.u16();
    r.skip(2);
    size_t length = r.u32();
    q.additional_information = r.u32();
    q.flags = r.u32();
    q.file_id = FileId::read(r);
    q.input = variable(r, kStructureSize, offset, length);
    return finish(r, q);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u8(static_cast<uint8_t>(info_type));
    b.u8(file_info_class);
    b.u32(output_buffer_length);
    b.u16(input.empty() ? 0 : variable_offset(kStructureSize));
    b.u16(0);
    b.u32(length_u32(input));
    b.u32(additional_information);
    b.u32(flags);
    file_id.write(b);
    at_least_one_byte(b, input);
  }
};

using QueryInfoResponse = BufferResponse;  // output: file_info.h, fs_info.h

}  // namespace semblance::wire
