#pragma once
// Identifiers that several messages share.

#include "engine/wire/builder.h"
#include "engine/wire/reader.h"

namespace semblance::wire {

// MS-DTYP 2.3.4.2, as it stands on the wire. Never interpreted, only compared.
using Guid = std::array<uint8_t, 16>;
using LeaseKey = std::array<uint8_t, 16>;

// MS-SMB2 2.2.14.1 SMB2_FILEID. All ones in a related compound request means "the one before".
struct FileId {
  uint64_t persistent = 0;
  uint64_t volatile_id = 0;

  static constexpr FileId previous() { return {UINT64_MAX, UINT64_MAX}; }
  bool operator==(const FileId&) const = default;

  static FileId read(Reader& r) {
    uint64_t persistent = r.u64();
    return {persistent, r.u64()};
  }
  void write(Builder& b) const {
    b.u64(persistent);
    b.u64(volatile_id);
  }
};

}  // namespace semblance::wire
