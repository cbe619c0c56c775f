#pragma once
// The three responses that are an output buffer and nothing else: MS-SMB2 2.2.34 QUERY_DIRECTORY,
// 2.2.36 CHANGE_NOTIFY, 2.2.38 QUERY_INFO.

#include "engine/wire/body.h"

namespace semblance::wire {

// StructureSize 9.
//
//     +64 StructureSize  +66 OutputBufferOffset  +68 OutputBufferLength (4)  +72 output
struct BufferResponse {
  static constexpr uint16_t kStructureSize = 9;
  static constexpr size_t kOutputOffset = variable_offset(kStructureSize);

  Bytes output;

  static Result<BufferResponse> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    size_t offset = r.u16(), length = r.u32();
    return finish(r, BufferResponse{variable(r, kStructureSize, offset, length)});
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u16(output.empty() ? 0 : kOutputOffset);
    b.u32(length_u32(output));
    b.bytes(output);
  }

  // For output written in place: build with an empty output, write behind it, then call this with
  // the same builder.
  static void finish_output(Builder& b) {
    if (!b.ok() || b.size() <= kOutputOffset) return;
    b.patch_u16(kHeaderSize + 2, kOutputOffset);
    b.patch_u32(kHeaderSize + 4, static_cast<uint32_t>(b.size() - kOutputOffset));
  }
};

}  // namespace semblance::wire
