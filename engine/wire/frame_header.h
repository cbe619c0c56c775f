#pragma once
// MS-SMB2 2.1 Direct TCP transport (and RFC 1002 4.3.1 session packets, which look alike).

#include "engine/base/status.h"
#include "engine/wire/builder.h"
#include "engine/wire/reader.h"

namespace semblance::wire {

inline constexpr size_t kFrameHeaderSize = 4;
inline constexpr uint32_t kFrameLengthMax = 0xFFFFFF;

// RFC 1002 packet types; direct TCP knows the first alone.
inline constexpr uint8_t kFrameSessionMessage = 0x00;
inline constexpr uint8_t kFrameSessionRequest = 0x81;
inline constexpr uint8_t kFramePositiveResponse = 0x82;
inline constexpr uint8_t kFrameNegativeResponse = 0x83;
inline constexpr uint8_t kFrameKeepAlive = 0x85;

// The four bytes before every message. The length is big-endian, unlike anything else here.
struct FrameHeader {
  uint8_t type = kFrameSessionMessage;
  uint32_t length = 0;  // of what follows; at most kFrameLengthMax

  static Result<FrameHeader> parse(Bytes bytes) {
    if (bytes.size() < kFrameHeaderSize) return fail(NtStatus::kInvalidParameter);
    return FrameHeader{bytes[0], static_cast<uint32_t>(bytes[1]) << 16 | bytes[2] << 8 | bytes[3]};
  }
  void build(Builder& b) const {
    b.u8(type);
    b.u8(static_cast<uint8_t>(length >> 16));
    b.u8(static_cast<uint8_t>(length >> 8));
    b.u8(static_cast<uint8_t>(length));
  }
};

}  // namespace semblance::wire
