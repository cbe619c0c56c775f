#pragma once
// MS-FSCC 2.4 information classes of named pipes, of fixed size; the same shape as file_info.h.

#include "engine/wire/info_body.h"
#include "engine/wire/info_class.h"

namespace semblance::wire {

// MS-FSCC FilePipeInformation.
struct FilePipeInformation {
  static constexpr auto kClass = FileInfoClass::kPipe;
  static constexpr size_t kSize = 8;
  uint32_t read_mode = 0;        // 0 bytes, 1 messages
  uint32_t completion_mode = 0;  // 0 wait, 1 do not

  static Result<FilePipeInformation> parse(Bytes data) {
    Reader r(data);
    FilePipeInformation i;
    i.read_mode = r.u32();
    i.completion_mode = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u32(read_mode);
    b.u32(completion_mode);
  }
};
// MS-FSCC FilePipeLocalInformation.
struct FilePipeLocalInformation {
  static constexpr auto kClass = FileInfoClass::kPipeLocal;
  static constexpr size_t kSize = 40;
  uint32_t named_pipe_type = 0;
  uint32_t named_pipe_configuration = 0;
  uint32_t maximum_instances = 0;
  uint32_t current_instances = 0;
  uint32_t inbound_quota = 0;
  uint32_t read_data_available = 0;
  uint32_t outbound_quota = 0;
  uint32_t write_quota_available = 0;
  uint32_t named_pipe_state = 0;
  uint32_t named_pipe_end = 0;

  static Result<FilePipeLocalInformation> parse(Bytes data) {
    Reader r(data);
    FilePipeLocalInformation i;
    i.named_pipe_type = r.u32();
    i.named_pipe_configuration = r.u32();
    i.maximum_instances = r.u32();
    i.current_instances = r.u32();
    i.inbound_quota = r.u32();
    i.read_data_available = r.u32();
    i.outbound_quota = r.u32();
    i.write_quota_available = r.u32();
    i.named_pipe_state = r.u32();
    i.named_pipe_end = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u32(named_pipe_type);
    b.u32(named_pipe_configuration);
    b.u32(maximum_instances);
    b.u32(current_instances);
    b.u32(inbound_quota);
    b.u32(read_data_available);
    b.u32(outbound_quota);
    b.u32(write_quota_available);
    b.u32(named_pipe_state);
    b.u32(named_pipe_end);
  }
};
}  // namespace semblance::wire
