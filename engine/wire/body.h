#pragma once
// What every SMB2 message body has in common.
//
//     element: +0 header (64 bytes) | +64 StructureSize (2) | fixed part | +64+fixed variable part
//
// An element is one message of a compound, header included, because SMB2's offsets count from the
// header. StructureSize is odd where a variable part follows: it then counts one byte of it, so the
// fixed part has StructureSize & ~1 bytes.

#include "engine/base/check.h"
#include "engine/base/status.h"
#include "engine/wire/builder.h"
#include "engine/wire/reader.h"

namespace semblance::wire {

inline constexpr size_t kHeaderSize = 64;

// Where the variable part begins, counted from the header.
constexpr size_t variable_offset(uint16_t structure_size) {
  return kHeaderSize + (structure_size & ~1u);
}

// A reader behind StructureSize; not ok() when that is wrong or the body is missing.
inline Reader open_body(Bytes element, uint16_t structure_size) {
  Reader r(element);
  r.seek(kHeaderSize);
  if (r.u16() != structure_size) r.fail();
  return r;
}

// A variable field. It must lie behind the fixed part; empty whatever the offset if `length` is 0.
inline Bytes variable(Reader& r, uint16_t structure_size, size_t offset, size_t length) {
  if (length != 0 && offset < variable_offset(structure_size)) return r.fail();
  return r.at(offset, length);
}

// The same for a UTF-16LE name, whose length must be even.
inline Bytes variable_name(Reader& r, uint16_t structure_size, size_t offset, size_t length) {
  if (length % 2 != 0) return r.fail();
  return variable(r, structure_size, offset, length);
}

// The end of every parse.
template <typename T>
Result<T> finish(const Reader& r, const T& value) {
  if (!r.ok()) return fail(NtStatus::kInvalidParameter);
  return value;
}

// Lengths of what we write ourselves; too long is a fault of ours.
inline uint16_t length_u16(Bytes bytes) {
  CHECK(bytes.size() <= UINT16_MAX);
  return static_cast<uint16_t>(bytes.size());
}
inline uint32_t length_u32(Bytes bytes) {
  CHECK(bytes.size() <= UINT32_MAX);
  return static_cast<uint32_t>(bytes.size());
}

// The variable part of a request. Some servers want the byte that an odd StructureSize counts.
inline void at_least_one_byte(Builder& b, Bytes bytes) {
  b.bytes(bytes);
  if (bytes.empty()) b.u8(0);
}

}  // namespace semblance::wire
