#pragma once
// MS-SMB2 2.2.2 SMB2 ERROR Response.

#include "engine/wire/body.h"

namespace semblance::wire {

// StructureSize 9. Every response whose status is neither a success nor one of the statuses that
// 3.3.4.4 lists (MORE_PROCESSING_REQUIRED, BUFFER_OVERFLOW, NOTIFY_ENUM_DIR, ...) has this body.
struct ErrorResponse {
  static constexpr uint16_t kStructureSize = 9;

  uint8_t error_context_count = 0;  // 3.1.1 only; else 0
  Bytes error_data;                 // contexts or plain data

  static Result<ErrorResponse> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    ErrorResponse e;
    e.error_context_count = r.u8();
    r.skip(1);
    e.error_data = r.bytes(r.u32());
    return finish(r, e);
  }

  // Without data one zero byte stands in for it, as 2.2.2 demands.
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u8(error_context_count);
    b.u8(0);
    b.u32(length_u32(error_data));
    at_least_one_byte(b, error_data);
  }
};

// 2.2.2.1 SMB2 ERROR Context Response: in 3.1.1, ErrorData is a list of these, 8-aligned.
inline constexpr uint32_t kErrorIdDefault = 0x00000000;
inline constexpr uint32_t kErrorIdShareRedirect = 0x72645253;

// 2.2.2.2.1 Symbolic Link Error Response, the ErrorData of STATUS_STOPPED_ON_SYMLINK.
// Names stand one behind the other: SubstituteName, then PrintName.
struct SymbolicLinkError {
  static constexpr uint32_t kTag = 0x4C4D5953;         // "SYML"
  static constexpr uint32_t kReparseTag = 0xA000000C;  // IO_REPARSE_TAG_SYMLINK
  static constexpr uint32_t kFlagRelative = 0x00000001;

  uint16_t unparsed_path_length = 0;  // bytes of the requested name behind the link
  uint32_t flags = 0;
  Bytes substitute_name;
  Bytes print_name;

  static Result<SymbolicLinkError> parse(Bytes data) {
    constexpr size_t kPathBuffer = 28;
    Reader r(data);
    SymbolicLinkError e;
    r.skip(4);
    if (r.u32() != kTag) r.fail();
    if (r.u32() != kReparseTag) r.fail();
    r.skip(2);
    e.unparsed_path_length = r.u16();
    size_t substitute_offset = r.u16(), substitute_length = r.u16();
    size_t print_offset = r.u16(), print_length = r.u16();
    e.flags = r.u32();
    e.substitute_name = r.at(kPathBuffer + substitute_offset, substitute_length);
    e.print_name = r.at(kPathBuffer + print_offset, print_length);
    return finish(r, e);
  }
  void build(Builder& b) const {
    uint32_t names = length_u16(substitute_name) + length_u16(print_name);
    b.u32(24 + names);  // SymLinkLength counts from behind itself
    b.u32(kTag);
    b.u32(kReparseTag);
    b.u16(static_cast<uint16_t>(12 + names));
    b.u16(unparsed_path_length);
    b.u16(0);
    b.u16(length_u16(substitute_name));
    b.u16(length_u16(substitute_name));
    b.u16(length_u16(print_name));
    b.u32(flags);
    b.bytes(substitute_name);
    b.bytes(print_name);
  }
};

}  // namespace semblance::wire
