#pragma once
// MS-DTYP 2.4.4 ACE, 2.4.5 ACL, 2.4.6 SECURITY_DESCRIPTOR, self-relative.
//
//     +0 Revision (1) = 1  +1 Sbz1 (1)  +2 Control (2)  +4 OffsetOwner (4)  +8 OffsetGroup (4)
//     +12 OffsetSacl (4)  +16 OffsetDacl (4)  +20 what they lead to; 0 leads nowhere
//
//     ACL: +0 AclRevision (1)  +1 Sbz1 (1)  +2 AclSize (2)  +4 AceCount (2)  +6 Sbz2 (2)  +8 ACEs
//     ACE: +0 AceType (1)  +1 AceFlags (1)  +2 AceSize (2)  +4 Mask (4)  +8 SID | what is left

#include <optional>
#include <vector>

#include "engine/wire/sid.h"

namespace semblance::wire {

// The largest descriptor that is taken or kept, and the most entries in one list.
inline constexpr size_t kDescriptorBytesMax = 64 << 10;
inline constexpr size_t kAcesMax = 1024;

enum class AceType : uint8_t {
  kAllowed = 0x00,
  kDenied = 0x01,
  kAudit = 0x02,
  kAlarm = 0x03,
  kAllowedCallback = 0x09,
  kDeniedCallback = 0x0A,
  kAuditCallback = 0x0D,
  kAlarmCallback = 0x0E,
  kMandatoryLabel = 0x11,
  kResourceAttribute = 0x12,
  kScopedPolicy = 0x13,
};

inline constexpr uint8_t kAceObjectInherit = 0x01;
inline constexpr uint8_t kAceContainerInherit = 0x02;
inline constexpr uint8_t kAceNoPropagate = 0x04;
inline constexpr uint8_t kAceInheritOnly = 0x08;
inline constexpr uint8_t kAceInherited = 0x10;

struct Ace {
  AceType type{};
  uint8_t flags = 0;
  uint32_t mask = 0;
  Sid sid;
  std::vector<uint8_t> rest;  // a condition, an attribute: kept, not looked into

  bool operator==(const Ace&) const = default;
};

struct Acl {
  static constexpr uint8_t kRevision = 2;

  uint8_t revision = kRevision;  // 2, or 4 as directory services write it
  std::vector<Ace> aces;

  bool operator==(const Acl&) const = default;
};

inline constexpr uint16_t kOwnerDefaulted = 0x0001;
inline constexpr uint16_t kGroupDefaulted = 0x0002;
inline constexpr uint16_t kDaclPresent = 0x0004;
inline constexpr uint16_t kDaclDefaulted = 0x0008;
inline constexpr uint16_t kSaclPresent = 0x0010;
inline constexpr uint16_t kSaclDefaulted = 0x0020;
inline constexpr uint16_t kDaclAutoInheritRequired = 0x0100;
inline constexpr uint16_t kDaclAutoInherited = 0x0400;
inline constexpr uint16_t kDaclProtected = 0x1000;
inline constexpr uint16_t kSelfRelative = 0x8000;

struct SecurityDescriptor {
  static constexpr size_t kHeaderBytes = 20;

  uint16_t control = kSelfRelative;
  std::optional<Sid> owner, group;
  // Meant only if `control` says present; then none is a NULL ACL, which allows everything.
  std::optional<Acl> sacl, dacl;

  // INVALID_PARAMETER for a field outside the bytes, another revision, an ACE without mask and SID
  // (object ACEs mean nothing for files), more entries or bytes than the limits. A list that
  // `control` does not announce is not looked at.
  static Result<SecurityDescriptor> parse(Bytes bytes);
  // Exactly size() bytes.
  void build(Builder& b) const;
  size_t size() const;

  bool operator==(const SecurityDescriptor&) const = default;
};

}  // namespace semblance::wire
