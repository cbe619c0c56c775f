#pragma once
// MS-SMB2 2.2.19 SMB2 READ Request, 2.2.20 SMB2 READ Response.

#include "engine/wire/body.h"
#include "engine/wire/ids.h"

namespace semblance::wire {

inline constexpr uint8_t kReadFlagUnbuffered = 0x01;
inline constexpr uint8_t kReadFlagRequestCompressed = 0x02;

// Channel of READ and WRITE requests
inline constexpr uint32_t kChannelNone = 0x00000000;
inline constexpr uint32_t kChannelRdmaV1 = 0x00000001;
inline constexpr uint32_t kChannelRdmaV1Invalidate = 0x00000002;
inline constexpr uint32_t kChannelRdmaTransform = 0x00000003;

// StructureSize 49; channel information, if any, at +112.
struct ReadRequest {
  static constexpr uint16_t kStructureSize = 49;

  uint8_t padding = 0;  // where in the response the client would like the data; may be ignored
  uint8_t flags = 0;
  uint32_t length = 0;
  uint64_t offset = 0;
  FileId file_id;
  uint32_t minimum_count = 0;
  uint32_t channel = 0;
  uint32_t remaining_bytes = 0;
  Bytes read_channel_info;

  static Result<ReadRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    ReadRequest q;
    q.padding = r.u8();
    q.flags = r.u8();
    q.length = r.u32();
    q.offset = r.u64();
    q.file_id = FileId::read(r);
    q.minimum_count = r.u32();
    q.channel = r.u32();
    q.remaining_bytes = r.u32();
    size_t info_offset = r.u16(), info_length = r.u16();
    // Without a channel the two fields mean nothing and are ignored.
    if (q.channel != kChannelNone)
      q.read_channel_info = variable(r, kStructureSize, info_offset, info_length);
    return finish(r, q);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u8(padding);
    b.u8(flags);
    b.u32(length);
    b.u64(offset);
    file_id.write(b);
    b.u32(minimum_count);
    b.u32(channel);
    b.u32(remaining_bytes);
    b.u16(read_channel_info.empty() ? 0 : variable_offset(kStructureSize));
    b.u16(length_u16(read_channel_info));
    at_least_one_byte(b, read_channel_info);
  }
};

// StructureSize 17.
//
//     +64 fixed part (16)   +80 data (DataOffset = 80 in ours)
struct ReadResponse {
  static constexpr uint16_t kStructureSize = 17;
  static constexpr size_t kDataOffset = variable_offset(kStructureSize);

  uint32_t data_remaining = 0;
  uint32_t flags = 0;  // 3.1.1: RDMA transform; else reserved
  Bytes data;

  static Result<ReadResponse> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    ReadResponse p;
    size_t data_offset = r.u8();
    r.skip(1);
    size_t data_length = r.u32();
    p.data_remaining = r.u32();
    p.flags = r.u32();
    p.data = variable(r, kStructureSize, data_offset, data_length);
    return finish(r, p);
  }
  void build(Builder& b) const {
    build_fixed(b, length_u32(data), data_remaining, flags);
    b.bytes(data);
  }

  // The 16 fixed bytes alone. The caller places `data_length` bytes of data behind them, at
  // kDataOffset: in the same buffer or as another segment.
  static void build_fixed(Builder& b, uint32_t data_length, uint32_t data_remaining = 0,
                          uint32_t flags = 0) {
    MutableBytes to = b.reserve(kStructureSize - 1);
    if (to.empty()) return;
    uint8_t* p = to.data();
    store<uint32_t>(p, kStructureSize | static_cast<uint32_t>(kDataOffset) << 16);
    store<uint32_t>(p + 4, data_length);
    store<uint32_t>(p + 8, data_remaining);
    store<uint32_t>(p + 12, flags);
  }
};

}  // namespace semblance::wire
