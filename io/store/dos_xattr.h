#pragma once
// What is kept beside an object's own attributes. The extended attribute user.semblance.dos, 16
// bytes little-endian:
//
//   | version u16 = 1 | flags u16 | attributes u32 | created u64 (FILETIME, 0: none) |
//
// A record of another length or version counts as absent. Its flags tell in the one read that every
// stat does whether there is a security descriptor in user.semblance.sd.

#include <array>

#include "engine/store.h"

namespace semblance {

inline constexpr const char* kDosXattrName = "user.semblance.dos";
inline constexpr const char* kDescriptorXattrName = "user.semblance.sd";
inline constexpr size_t kDosXattrBytes = 16;

struct DosRecord {
  static constexpr uint16_t kHasDescriptor = 1;
  static constexpr uint16_t kNoAttributes = 2;  // only the flags mean something

  DosAttributes dos;
  bool has_descriptor = false;
};

inline std::array<uint8_t, kDosXattrBytes> encode_dos(const DosRecord& record) {
  std::array<uint8_t, kDosXattrBytes> bytes{};
  const int flags = (record.has_descriptor ? DosRecord::kHasDescriptor : 0) |
                    (record.dos.present ? 0 : DosRecord::kNoAttributes);
  store<uint16_t>(bytes.data(), 1);
  store<uint16_t>(bytes.data() + 2, static_cast<uint16_t>(flags));
  store<uint32_t>(bytes.data() + 4, record.dos.attributes);
  store<uint64_t>(bytes.data() + 8, record.dos.created.ticks);
  return bytes;
}

inline DosRecord decode_dos(Bytes bytes) {
  if (bytes.size() != kDosXattrBytes || load<uint16_t>(bytes.data()) != 1) return {};
  const auto flags = load<uint16_t>(bytes.data() + 2);
  DosRecord record;
  record.has_descriptor = (flags & DosRecord::kHasDescriptor) != 0;
  if ((flags & DosRecord::kNoAttributes) == 0)
    record.dos = {true, load<uint32_t>(bytes.data() + 4), {load<uint64_t>(bytes.data() + 8)}};
  return record;
}

}  // namespace semblance
