#include "engine/wire/ioctl.h"

namespace semblance::wire {

namespace {

constexpr size_t kResponseOutputCountAt = kHeaderSize + 36;

}  // namespace

Result<IoctlRequest> IoctlRequest::parse(Bytes element) {
  Reader r = open_body(element, kStructureSize);
  IoctlRequest q;
  r.skip(2);
  q.ctl_code = r.u32();
  q.file_id = FileId::read(r);
  size_t input_offset = r.u32(), input_count = r.u32();
  q.max_input_response = r.u32();
  size_t output_offset = r.u32(), output_count = r.u32();
  q.max_output_response = r.u32();
  q.flags = r.u32();
  r.skip(4);
  q.input = variable(r, kStructureSize, input_offset, input_count);
  q.output = variable(r, kStructureSize, output_offset, output_count);
  return finish(r, q);
}

void IoctlRequest::build(Builder& b) const {
  size_t input_end = variable_offset(kStructureSize) + input.size();
  b.u16(kStructureSize);
  b.u16(0);
  b.u32(ctl_code);
  file_id.write(b);
  b.u32(variable_offset(kStructureSize));
  b.u32(length_u32(input));
  b.u32(max_input_response);
  b.u32(output.empty() ? 0 : static_cast<uint32_t>(align_up(input_end, 8)));
  b.u32(length_u32(output));
  b.u32(max_output_response);
  b.u32(flags);
  b.u32(0);
  if (output.empty()) {
    at_least_one_byte(b, input);
  } else {
    b.bytes(input);
    b.align(8);
    b.bytes(output);
  }
}

Result<IoctlResponse> IoctlResponse::parse(Bytes element) {
  Reader r = open_body(element, kStructureSize);
  IoctlResponse p;
  r.skip(2);
  p.ctl_code = r.u32();
  p.file_id = FileId::read(r);
  size_t input_offset = r.u32(), input_count = r.u32();
  size_t output_offset = r.u32(), output_count = r.u32();
  p.flags = r.u32();
  r.skip(4);
  p.input = variable(r, kStructureSize, input_offset, input_count);
  p.output = variable(r, kStructureSize, output_offset, output_count);
  return finish(r, p);
}

void IoctlResponse::build(Builder& b) const {
  b.u16(kStructureSize);
  b.u16(0);
  b.u32(ctl_code);
  file_id.write(b);
  b.u32(kOutputOffset);
  b.u32(length_u32(input));
  b.u32(static_cast<uint32_t>(align_up(kOutputOffset + input.size(), 8)));
  b.u32(length_u32(output));
  b.u32(flags);
  b.u32(0);
  b.bytes(input);
  if (output.empty()) return;
  b.align(8);
  b.bytes(output);
}

void IoctlResponse::finish_output(Builder& b) {
  if (!b.ok()) return;
  b.patch_u32(kResponseOutputCountAt, static_cast<uint32_t>(b.size() - kOutputOffset));
}

}  // namespace semblance::wire
