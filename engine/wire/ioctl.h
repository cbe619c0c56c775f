#pragma once
// MS-SMB2 2.2.31 SMB2 IOCTL Request, 2.2.32 SMB2 IOCTL Response.

#include "engine/wire/body.h"
#include "engine/wire/fsctl.h"
#include "engine/wire/ids.h"

namespace semblance::wire {

inline constexpr uint32_t kIoctlFlagIsFsctl = 0x00000001;

// StructureSize 57.
//
//     +64 fixed part (56)   +120 input, then (never used) output
struct IoctlRequest {
  static constexpr uint16_t kStructureSize = 57;

  uint32_t ctl_code = 0;  // kFsctl...
  FileId file_id;         // all ones where the code is not about a file
  uint32_t max_input_response = 0;
  uint32_t max_output_response = 0;
  uint32_t flags = 0;
  Bytes input;
  Bytes output;

  static Result<IoctlRequest> parse(Bytes element);
  void build(Builder& b) const;
};

// StructureSize 49.
//
//     +64 fixed part (48)   +112 input (pipes only) | pad to 8 | output
//
// InputOffset always points to +112, and OutputOffset there too when there is no input.
struct IoctlResponse {
  static constexpr uint16_t kStructureSize = 49;
  static constexpr size_t kOutputOffset = variable_offset(kStructureSize);

  uint32_t ctl_code = 0;
  FileId file_id;
  uint32_t flags = 0;
  Bytes input;
  Bytes output;

  static Result<IoctlResponse> parse(Bytes element);
  void build(Builder& b) const;

  // For output written in place: build with both empty, write the output behind it, then call this
  // with the same builder.
  static void finish_output(Builder& b);
};

}  // namespace semblance::wire
