#pragma once
// NTLMSSP messages, MS-NLMP 2.2. All views point into the parsed bytes. Parsers accept what is
// inside the message's bounds and return INVALID_PARAMETER for the rest; meaning is judged by
// engine/auth.

#include <optional>

#include "engine/base/bytes.h"
#include "engine/base/status.h"
#include "engine/base/time.h"
#include "engine/wire/builder.h"

namespace semblance::wire {

// NegotiateFlags, MS-NLMP 2.2.2.5.
namespace ntlm_flag {
inline constexpr uint32_t kUnicode = 0x00000001;
inline constexpr uint32_t kOem = 0x00000002;
inline constexpr uint32_t kRequestTarget = 0x00000004;
inline constexpr uint32_t kSign = 0x00000010;
inline constexpr uint32_t kSeal = 0x00000020;
inline constexpr uint32_t kLmKey = 0x00000080;
inline constexpr uint32_t kNtlm = 0x00000200;
inline constexpr uint32_t kAnonymous = 0x00000800;
inline constexpr uint32_t kOemDomainSupplied = 0x00001000;
inline constexpr uint32_t kOemWorkstationSupplied = 0x00002000;
inline constexpr uint32_t kAlwaysSign = 0x00008000;
inline constexpr uint32_t kTargetTypeDomain = 0x00010000;
inline constexpr uint32_t kTargetTypeServer = 0x00020000;
inline constexpr uint32_t kExtendedSessionSecurity = 0x00080000;
inline constexpr uint32_t kIdentify = 0x00100000;
inline constexpr uint32_t kTargetInfo = 0x00800000;
inline constexpr uint32_t kVersion = 0x02000000;
inline constexpr uint32_t k128 = 0x20000000;
inline constexpr uint32_t kKeyExchange = 0x40000000;
inline constexpr uint32_t k56 = 0x80000000;
}  // namespace ntlm_flag

enum class NtlmMessageType : uint32_t { kNegotiate = 1, kChallenge = 2, kAuthenticate = 3 };

// The type of a message that begins with the NTLMSSP signature; none for anything else.
std::optional<NtlmMessageType> ntlm_message_type(Bytes message);

// NEGOTIATE_MESSAGE, MS-NLMP 2.2.1.1.
struct NtlmNegotiate {
  uint32_t flags = 0;
  Bytes domain;       // OEM; clients that omit the fields altogether are accepted
  Bytes workstation;  // OEM

  static Result<NtlmNegotiate> parse(Bytes message);
  void build(Builder& out) const;
};

// CHALLENGE_MESSAGE, MS-NLMP 2.2.1.2.
struct NtlmChallenge {
  uint32_t flags = 0;
  std::array<uint8_t, 8> server_challenge{};
  Bytes target_name;  // UTF-16LE
  Bytes target_info;  // an AV_PAIR list

  static Result<NtlmChallenge> parse(Bytes message);
  void build(Builder& out) const;
};

// AUTHENTICATE_MESSAGE, MS-NLMP 2.2.1.3.
struct NtlmAuthenticate {
  static constexpr size_t kMicAt = 72;  // offset of the 16-byte MIC, when there is one

  uint32_t flags = 0;
  Bytes lm_response;
  Bytes nt_response;
  Bytes domain;       // UTF-16LE
  Bytes user;         // UTF-16LE
  Bytes workstation;  // UTF-16LE
  Bytes session_key;  // EncryptedRandomSessionKey; empty without key exchange
  // The 16 bytes at kMicAt when they are in the message. Only MsvAvFlags in the NT response tells
  // whether they are a MIC: older clients have payload there.
  std::optional<std::array<uint8_t, 16>> mic;

  static Result<NtlmAuthenticate> parse(Bytes message);

  // Writes the version and MIC fields too. The MIC is written as given (zeros when none); the
  // sender computes it over the finished message with zeros and stores it at kMicAt.
  void build(Builder& out) const;
};

// AV_PAIR, MS-NLMP 2.2.2.1.
enum class AvId : uint16_t {
  kEol = 0,
  kNbComputerName = 1,
  kNbDomainName = 2,
  kDnsComputerName = 3,
  kDnsDomainName = 4,
  kDnsTreeName = 5,
  kFlags = 6,
  kTimestamp = 7,
  kSingleHost = 8,
  kTargetName = 9,
  kChannelBindings = 10,
};
inline constexpr uint32_t kAvFlagMicPresent = 0x00000002;

// The value of the first pair with this id before MsvAvEOL; none when absent or the list is cut
// off.
std::optional<Bytes> find_av_pair(Bytes list, AvId id);
// The bytes of the list's pairs, without MsvAvEOL and what follows; none when it is cut off.
std::optional<Bytes> av_pairs_of(Bytes list);
// Appends one pair. A value over 65,535 bytes is not written and makes the builder not ok().
void put_av_pair(Builder& out, AvId id, Bytes value);

// NTLMv2_RESPONSE with its NTLMv2_CLIENT_CHALLENGE, MS-NLMP 2.2.2.7 and 2.2.2.8:
//
//     0         16                                       44
//     | proof   | 1 1 0(6) time(8) challenge(8) 0(4) | AV_PAIRs ... EOL ... |
//               |<------------------ client_challenge --------------------->|
struct NtlmV2Response {
  std::array<uint8_t, 16> proof{};     // NTProofStr
  Bytes client_challenge;              // "temp" in MS-NLMP 3.3.2: what the proof is over
  FileTime time;                       // from the server's target info, or the client's clock
  std::array<uint8_t, 8> challenge{};  // the client's nonce
  Bytes av_pairs;

  static Result<NtlmV2Response> parse(Bytes response);
};

// Appends an NTLMv2_CLIENT_CHALLENGE. `av_pairs` is without its MsvAvEOL, which is added, with the
// four zero bytes that Windows puts behind it.
void put_ntlm_v2_client_challenge(Builder& out, FileTime time,
                                  const std::array<uint8_t, 8>& challenge, Bytes av_pairs);

}  // namespace semblance::wire
