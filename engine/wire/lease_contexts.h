#pragma once
// MS-SMB2 2.2.13.2.8 SMB2_CREATE_REQUEST_LEASE, 2.2.13.2.10 SMB2_CREATE_REQUEST_LEASE_V2 and their
// responses 2.2.14.2.10, 2.2.14.2.11, which look the same.

#include "engine/wire/create_contexts.h"
#include "engine/wire/ids.h"
#include "engine/wire/oplock_break.h"

namespace semblance::wire {

inline constexpr uint32_t kLeaseFlagBreakInProgress = 0x00000002;    // responses
inline constexpr uint32_t kLeaseFlagParentLeaseKeySet = 0x00000004;  // v2

enum class LeaseVersion : uint8_t { kV1 = 1, kV2 = 2 };

//     v1, 32 bytes: +0 LeaseKey (16)  +16 LeaseState  +20 LeaseFlags  +24 LeaseDuration (8)
//     v2, 52 bytes: v1, then +32 ParentLeaseKey (16)  +48 Epoch (2)  +50 Reserved (2)
// The length alone tells them apart; any other one is INVALID_PARAMETER.
struct LeaseContext {
  static constexpr std::string_view kTag = kContextRqLs;
  static constexpr size_t kSizeV1 = 32;
  static constexpr size_t kSizeV2 = 52;

  LeaseVersion version = LeaseVersion::kV1;
  LeaseKey lease_key{};
  uint32_t lease_state = 0;
  uint32_t lease_flags = 0;
  LeaseKey parent_lease_key{};  // v2
  uint16_t epoch = 0;           // v2

  static Result<LeaseContext> parse(Bytes data) {
    Reader r(data);
    LeaseContext l;
    if (data.size() == kSizeV2)
      l.version = LeaseVersion::kV2;
    else if (data.size() != kSizeV1)
      r.fail();
    l.lease_key = r.array<16>();
    l.lease_state = r.u32();
    l.lease_flags = r.u32();
    r.skip(8);
    if (l.version == LeaseVersion::kV2) {
      l.parent_lease_key = r.array<16>();
      l.epoch = r.u16();
    }
    return finish(r, l);
  }
  void build(Builder& b) const {
    b.bytes(lease_key);
    b.u32(lease_state);
    b.u32(lease_flags);
    b.u64(0);
    if (version == LeaseVersion::kV1) return;
    b.bytes(parent_lease_key);
    b.u16(epoch);
    b.u16(0);
  }
};

}  // namespace semblance::wire
