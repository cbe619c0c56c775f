#pragma once
// MS-SMB2 2.2.23 OPLOCK_BREAK Notification, 2.2.24 Acknowledgment, 2.2.25 Response: each in a form
// for oplocks (StructureSize 24) and one for leases (44, 36, 36). All have command 0x12; which form
// it is, StructureSize says.

#include "engine/wire/body.h"
#include "engine/wire/create.h"
#include "engine/wire/ids.h"

namespace semblance::wire {

// Lease states, also in RqLs
inline constexpr uint32_t kLeaseNone = 0x00000000;
inline constexpr uint32_t kLeaseReadCaching = 0x00000001;
inline constexpr uint32_t kLeaseHandleCaching = 0x00000002;
inline constexpr uint32_t kLeaseWriteCaching = 0x00000004;

inline constexpr uint32_t kNotifyBreakLeaseFlagAckRequired = 0x00000001;

// StructureSize of an element's body, 0 if there is none: 24 is an oplock, 36 or 44 a lease.
inline uint16_t oplock_break_structure_size(Bytes element) {
  Reader r(element);
  r.seek(kHeaderSize);
  return r.ok() ? r.u16() : 0;
}

// 2.2.23.1, 2.2.24.1, 2.2.25.1, StructureSize 24.
struct OplockBreak {
  static constexpr uint16_t kStructureSize = 24;

  OplockLevel oplock_level{};
  FileId file_id;

  static Result<OplockBreak> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    OplockBreak o;
    o.oplock_level = static_cast<OplockLevel>(r.u8());
    r.skip(5);
    o.file_id = FileId::read(r);
    return finish(r, o);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u8(static_cast<uint8_t>(oplock_level));
    b.zeros(5);
    file_id.write(b);
  }
};
using OplockBreakNotification = OplockBreak;
using OplockBreakAcknowledgment = OplockBreak;
using OplockBreakResponse = OplockBreak;

// 2.2.23.2 Lease Break Notification, StructureSize 44.
struct LeaseBreakNotification {
  static constexpr uint16_t kStructureSize = 44;

  uint16_t new_epoch = 0;  // 0 for a v1 lease
  uint32_t flags = 0;      // kNotifyBreakLeaseFlagAckRequired
  LeaseKey lease_key{};
  uint32_t current_lease_state = 0;
  uint32_t new_lease_state = 0;
  // BreakReason, AccessMaskHint and ShareMaskHint are reserved and 0.

  static Result<LeaseBreakNotification> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    LeaseBreakNotification n;
    n.new_epoch = r.u16();
    n.flags = r.u32();
    n.lease_key = r.array<16>();
    n.current_lease_state = r.u32();
    n.new_lease_state = r.u32();
    r.skip(12);
    return finish(r, n);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u16(new_epoch);
    b.u32(flags);
    b.bytes(lease_key);
    b.u32(current_lease_state);
    b.u32(new_lease_state);
    b.zeros(12);
  }
};

// 2.2.24.2 Lease Break Acknowledgment, 2.2.25.2 Lease Break Response, StructureSize 36.
struct LeaseBreak {
  static constexpr uint16_t kStructureSize = 36;

  LeaseKey lease_key{};
  uint32_t lease_state = 0;

  static Result<LeaseBreak> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    LeaseBreak l;
    r.skip(6);
    l.lease_key = r.array<16>();
    l.lease_state = r.u32();
    r.skip(8);
    return finish(r, l);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.zeros(6);
    b.bytes(lease_key);
    b.u32(lease_state);
    b.zeros(8);
  }
};
using LeaseBreakAcknowledgment = LeaseBreak;
using LeaseBreakResponse = LeaseBreak;

}  // namespace semblance::wire
