#pragma once
// MS-DTYP 2.4.2 SID.
//
//     +0 Revision (1) = 1  +1 SubAuthorityCount (1)  +2 IdentifierAuthority (6, big-endian)
//     +8 SubAuthority (4 each)

#include <algorithm>
#include <initializer_list>

#include "engine/wire/body.h"

namespace semblance::wire {

struct Sid {
  static constexpr size_t kSubAuthoritiesMax = 15;

  uint64_t authority = 0;  // 48 bits
  uint8_t count = 0;
  std::array<uint32_t, kSubAuthoritiesMax> sub{};  // zero from `count` on

  constexpr Sid() = default;
  constexpr Sid(uint64_t authority, std::initializer_list<uint32_t> subs) : authority(authority) {
    for (uint32_t value : subs) add(value);
  }
  constexpr void add(uint32_t value) { sub[count++] = value; }

  size_t size() const { return 8 + size_t{4} * count; }
  bool operator==(const Sid&) const = default;

  // A wrong revision or too many sub-authorities fail the reader.
  static Sid read(Reader& r) {
    Sid sid;
    if (r.u8() != 1) r.fail();
    uint8_t count = r.u8();
    for (int i = 0; i < 6; ++i) sid.authority = sid.authority << 8 | r.u8();
    if (count > kSubAuthoritiesMax) r.fail();
    while (r.ok() && sid.count < count) sid.add(r.u32());
    return sid;
  }
  void write(Builder& b) const {
    b.u8(1);
    b.u8(count);
    for (int shift = 40; shift >= 0; shift -= 8) b.u8(static_cast<uint8_t>(authority >> shift));
    for (uint8_t i = 0; i < count; ++i) b.u32(sub[i]);
  }
};

// MS-DTYP 2.4.2.4 Well-Known SID Structures.
inline constexpr Sid kSidEveryone{1, {0}};
inline constexpr Sid kSidCreatorOwner{3, {0}};
inline constexpr Sid kSidCreatorGroup{3, {1}};
inline constexpr Sid kSidOwnerRights{3, {4}};
inline constexpr Sid kSidNetwork{5, {2}};
inline constexpr Sid kSidAnonymous{5, {7}};
inline constexpr Sid kSidAuthenticatedUsers{5, {11}};
inline constexpr Sid kSidLocalSystem{5, {18}};
inline constexpr Sid kSidGuests{5, {32, 546}};

}  // namespace semblance::wire
