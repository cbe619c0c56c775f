#pragma once
// SPNEGO tokens, RFC 4178 with the extensions of MS-SPNG 2.2. Views point into the parsed bytes.
//
// The parser takes definite lengths only and descends a fixed number of levels, so its work is
// linear in the token and independent of how deeply a peer nests.

#include <array>
#include <optional>

#include "engine/base/bytes.h"
#include "engine/base/status.h"
#include "engine/wire/builder.h"

namespace semblance::wire {

enum class Mech : uint8_t { kOther, kNtlmssp, kKerberos, kMsKerberos };

// Which mechanism an OID's content names; kOther for all that we don't know.
Mech mech_of_oid(Bytes oid);

// Mechanisms that a token can list here; what is listed beyond is not looked at.
inline constexpr size_t kMechsMax = 16;

// NegTokenInit, RFC 4178 4.2.1, and NegTokenInit2, MS-SPNG 2.2.1, in their GSS-API wrapper.
struct NegTokenInit {
  std::array<Mech, kMechsMax> mechs{};
  size_t mech_count = 0;
  Bytes mech_list;  // the DER of mechTypes, tag included: what a mechListMIC is over. Parsed only.
  std::optional<Bytes> mech_token;
  std::optional<Bytes> mech_list_mic;
  bool hint = false;  // built only: NegHints with the name that says to ignore it

  // Position of `mech` in the list, none when it is not offered.
  std::optional<size_t> position_of(Mech mech) const;

  // INVALID_PARAMETER for anything that is not a well-formed token.
  static Result<NegTokenInit> parse(Bytes token);
  // Writes mechs (kOther is not allowed, and CHECKed), hint as NegTokenInit2, token and MIC.
  void build(Builder& out) const;
};

// The DER of a mechTypes list that build() would write.
void put_mech_list(Builder& out, std::span<const Mech> mechs);

enum class NegState : uint8_t {
  kAcceptCompleted = 0,
  kAcceptIncomplete = 1,
  kReject = 2,
  kRequestMic = 3,
};

// NegTokenResp, RFC 4178 4.2.2.
struct NegTokenResp {
  std::optional<NegState> state;
  std::optional<Mech> supported_mech;
  std::optional<Bytes> response_token;
  std::optional<Bytes> mech_list_mic;

  static Result<NegTokenResp> parse(Bytes token);
  void build(Builder& out) const;
};

// What a server sends in its NEGOTIATE response (MS-SMB2 3.3.5.4): NTLMSSP is all there is.
void put_server_hint(Builder& out);

// First byte of a token tells which of the two it is.
inline constexpr uint8_t kGssWrapperTag = 0x60;
inline constexpr uint8_t kNegTokenRespTag = 0xA1;

}  // namespace semblance::wire
