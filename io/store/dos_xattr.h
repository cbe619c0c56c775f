#pragma once
// DosAttributes as the extended attribute user.semblance.dos, 16 bytes little-endian:
//
//   | version u16 = 1 | reserved u16 = 0 | attributes u32 | created u64 (FILETIME, 0: none) |
//
// A record of another length or version counts as absent.

#include <array>
#include <optional>

#include "engine/store.h"

namespace semblance {

inline constexpr const char* kDosXattrName = "user.semblance.dos";
inline constexpr size_t kDosXattrBytes = 16;

inline std::array<uint8_t, kDosXattrBytes> encode_dos(const DosAttributes& dos) {
  std::array<uint8_t, kDosXattrBytes> bytes{};
  store<uint16_t>(bytes.data(), 1);
  store<uint32_t>(bytes.data() + 4, dos.attributes);
  store<uint64_t>(bytes.data() + 8, dos.created.ticks);
  return bytes;
}

inline DosAttributes decode_dos(Bytes bytes) {
  if (bytes.size() != kDosXattrBytes || load<uint16_t>(bytes.data()) != 1) return {};
  return {true, load<uint32_t>(bytes.data() + 4), {load<uint64_t>(bytes.data() + 8)}};
}

}  // namespace semblance
