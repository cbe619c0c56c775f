#pragma once
// MS-SMB2 2.2.5 SMB2 SESSION_SETUP Request, 2.2.6 SMB2 SESSION_SETUP Response.

#include "engine/wire/body.h"

namespace semblance::wire {

inline constexpr uint8_t kSessionSetupFlagBinding = 0x01;

// SessionFlags of the response
inline constexpr uint16_t kSessionFlagIsGuest = 0x0001;
inline constexpr uint16_t kSessionFlagIsNull = 0x0002;
inline constexpr uint16_t kSessionFlagEncryptData = 0x0004;

// StructureSize 25; SecurityBuffer at +88.
struct SessionSetupRequest {
  static constexpr uint16_t kStructureSize = 25;

  uint8_t flags = 0;
  uint8_t security_mode = 0;  // kNegotiateSigning...
  uint32_t capabilities = 0;  // only kGlobalCapDfs has a meaning
  uint32_t channel = 0;
  uint64_t previous_session_id = 0;
  Bytes security_buffer;

  static Result<SessionSetupRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    SessionSetupRequest s;
    s.flags = r.u8();
    s.security_mode = r.u8();
    s.capabilities = r.u32();
    s.channel = r.u32();
    size_t offset = r.u16(), length = r.u16();
    s.previous_session_id = r.u64();
    s.security_buffer = variable(r, kStructureSize, offset, length);
    return finish(r, s);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u8(flags);
    b.u8(security_mode);
    b.u32(capabilities);
    b.u32(channel);
    b.u16(variable_offset(kStructureSize));
    b.u16(length_u16(security_buffer));
    b.u64(previous_session_id);
    at_least_one_byte(b, security_buffer);
  }
};

// StructureSize 9; SecurityBuffer at +72.
struct SessionSetupResponse {
  static constexpr uint16_t kStructureSize = 9;

  uint16_t session_flags = 0;
  Bytes security_buffer;

  static Result<SessionSetupResponse> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    SessionSetupResponse s;
    s.session_flags = r.u16();
    size_t offset = r.u16(), length = r.u16();
    s.security_buffer = variable(r, kStructureSize, offset, length);
    return finish(r, s);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u16(session_flags);
    b.u16(variable_offset(kStructureSize));
    b.u16(length_u16(security_buffer));
    b.bytes(security_buffer);
  }
};

}  // namespace semblance::wire
