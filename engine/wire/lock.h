#pragma once
// MS-SMB2 2.2.26 SMB2 LOCK Request. The response is a SimpleBody.

#include "engine/wire/body.h"
#include "engine/wire/ids.h"
#include "engine/wire/simple_body.h"

namespace semblance::wire {

// Flags of a lock element
inline constexpr uint32_t kLockFlagSharedLock = 0x00000001;
inline constexpr uint32_t kLockFlagExclusiveLock = 0x00000002;
inline constexpr uint32_t kLockFlagUnlock = 0x00000004;
inline constexpr uint32_t kLockFlagFailImmediately = 0x00000010;

// 2.2.26.1 SMB2_LOCK_ELEMENT: offset (8), length (8), flags (4), reserved (4).
struct LockElement {
  static constexpr size_t kSize = 24;

  uint64_t offset = 0;
  uint64_t length = 0;
  uint32_t flags = 0;

  void write(Builder& b) const {
    b.u64(offset);
    b.u64(length);
    b.u32(flags);
    b.u32(0);
  }
};

// StructureSize 48, which counts the first element.
//
//     +64 fixed part (24)   +88 LockCount elements (24 each)
struct LockRequest {
  static constexpr uint16_t kStructureSize = 48;

  uint32_t lock_sequence = 0;  // LockSequenceNumber in the low 4 bits, LockSequenceIndex above
  FileId file_id;
  Bytes locks;  // lock_count() * LockElement::kSize bytes

  size_t lock_count() const { return locks.size() / LockElement::kSize; }
  uint8_t lock_sequence_number() const { return lock_sequence & 0xF; }
  uint32_t lock_sequence_index() const { return lock_sequence >> 4; }

  // i < lock_count()
  LockElement lock(size_t i) const {
    const uint8_t* p = locks.data() + i * LockElement::kSize;
    return {load<uint64_t>(p), load<uint64_t>(p + 8), load<uint32_t>(p + 16)};
  }

  // LockCount 0 is INVALID_PARAMETER (3.3.5.14).
  static Result<LockRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    LockRequest q;
    size_t count = r.u16();
    q.lock_sequence = r.u32();
    q.file_id = FileId::read(r);
    if (count == 0) r.fail();
    q.locks = r.bytes(count * LockElement::kSize);
    return finish(r, q);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u16(static_cast<uint16_t>(lock_count()));
    b.u32(lock_sequence);
    file_id.write(b);
    b.bytes(locks);
  }
};

}  // namespace semblance::wire
