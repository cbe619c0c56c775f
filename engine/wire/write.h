#pragma once
// MS-SMB2 2.2.21 SMB2 WRITE Request, 2.2.22 SMB2 WRITE Response.

#include "engine/wire/body.h"
#include "engine/wire/ids.h"
#include "engine/wire/read.h"

namespace semblance::wire {

inline constexpr uint32_t kWriteFlagWriteThrough = 0x00000001;
inline constexpr uint32_t kWriteFlagUnbuffered = 0x00000002;

// StructureSize 49.
//
//     +64 fixed part (48)   +112 data at DataOffset, which may not exceed 0x100 (3.3.5.13)
struct WriteRequest {
  static constexpr uint16_t kStructureSize = 49;
  static constexpr size_t kDataOffset = variable_offset(kStructureSize);
  static constexpr size_t kDataOffsetMax = 0x100;

  uint64_t offset = 0;
  FileId file_id;
  uint32_t channel = 0;
  uint32_t remaining_bytes = 0;
  uint32_t flags = 0;
  Bytes data;                // empty when the channel carries it
  Bytes write_channel_info;  // RDMA only; then `data` is empty

  static Result<WriteRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    WriteRequest w;
    size_t data_offset = r.u16();
    size_t data_length = r.u32();
    w.offset = r.u64();
    w.file_id = FileId::read(r);
    w.channel = r.u32();
    w.remaining_bytes = r.u32();
    size_t info_offset = r.u16(), info_length = r.u16();
    w.flags = r.u32();
    if (data_offset > kDataOffsetMax) r.fail();
    w.data = variable(r, kStructureSize, data_offset, data_length);
    if (w.channel != kChannelNone)
      w.write_channel_info = variable(r, kStructureSize, info_offset, info_length);
    return finish(r, w);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u16(kDataOffset);
    b.u32(length_u32(data));
    b.u64(offset);
    file_id.write(b);
    b.u32(channel);
    b.u32(remaining_bytes);
    b.u16(write_channel_info.empty() ? 0 : static_cast<uint16_t>(kDataOffset + data.size()));
    b.u16(length_u16(write_channel_info));
    b.u32(flags);
    b.bytes(data);
    if (data.empty() || !write_channel_info.empty()) at_least_one_byte(b, write_channel_info);
  }
};

// StructureSize 17; 16 bytes, since the channel information of a response is unused.
struct WriteResponse {
  static constexpr uint16_t kStructureSize = 17;

  uint32_t count = 0;
  uint32_t remaining = 0;

  static Result<WriteResponse> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    WriteResponse w;
    r.skip(2);
    w.count = r.u32();
    w.remaining = r.u32();
    r.skip(4);
    return finish(r, w);
  }
  void build(Builder& b) const {
    MutableBytes to = b.reserve(kStructureSize - 1);
    if (to.empty()) return;
    uint8_t* p = to.data();
    store<uint32_t>(p, kStructureSize);
    store<uint32_t>(p + 4, count);
    store<uint64_t>(p + 8, remaining);
  }
};

}  // namespace semblance::wire
