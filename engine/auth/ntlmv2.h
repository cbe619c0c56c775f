#pragma once
// NTLMv2's arithmetic, MS-NLMP 3.3.2 and 3.4. Both sides of an exchange compute the same.

#include <optional>
#include <string_view>

#include "engine/base/bytes.h"
#include "engine/crypto/digest.h"

namespace semblance::auth {

using NtHash = std::array<uint8_t, 16>;
using Key16 = std::array<uint8_t, 16>;

// NTOWFv1: MD4 of the password in UTF-16LE. None when the password is not UTF-8.
std::optional<NtHash> nt_hash_of(std::string_view password);

// NTOWFv2. The user is upper-cased here; the domain counts as the client wrote it.
Key16 ntowf_v2(const NtHash& nt_hash, std::u16string_view user, std::u16string_view domain);

// NTProofStr: what the client shows to know `response_key` (ntowf_v2).
Key16 nt_proof(const Key16& response_key, const std::array<uint8_t, 8>& server_challenge,
               Bytes client_challenge);

// SessionBaseKey, which for NTLMv2 is the KeyExchangeKey too.
Key16 session_base_key(const Key16& response_key, const Key16& proof);

// Whether these negotiated flags make the client send a session key of its own, MS-NLMP 3.1.5.1.2.
bool exchanges_key(uint32_t flags);

// ExportedSessionKey in its encrypted form, or back: RC4 is its own inverse.
Key16 rc4_of(const Key16& key_exchange_key, const Key16& value);

// The MIC over the three messages, the third with its MIC field zeroed. `authenticate` has at least
// 88 bytes (CHECKed); the field is taken as zero whatever it holds.
Key16 message_integrity(const Key16& exported_key, Bytes negotiate, Bytes challenge,
                        Bytes authenticate);

enum class Sender : uint8_t { kClient, kServer };

// SIGNKEY and SEALKEY with extended session security, MS-NLMP 3.4.5.2 and 3.4.5.3.
Key16 sign_key(const Key16& exported_key, Sender sender);
Key16 seal_key(const Key16& exported_key, Sender sender, uint32_t flags);

// NTLMSSP_MESSAGE_SIGNATURE over the first message of one direction (sequence number 0), MS-NLMP
// 3.4.4.2: the mechListMIC of SPNEGO. Needs extended session security among `flags`.
Key16 first_signature(const Key16& exported_key, Sender sender, uint32_t flags, Bytes message);

// Constant-time comparison.
bool same_key(Bytes a, Bytes b);

}  // namespace semblance::auth
