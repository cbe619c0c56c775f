#pragma once
// Key derivation, MS-SMB2 3.1.4.2 "Generating Cryptographic Keys".

#include "engine/base/bytes.h"
#include "engine/crypto/preauth.h"
#include "engine/crypto/signing.h"

namespace semblance::crypto {

// SP800-108 KDF in counter mode with HMAC-SHA256 as PRF, 32-bit counter i, 32-bit L:
//     HMAC(key, i || label || 0x00 || context || L), i = 1, 2, ...
// Fills the whole of `out`; L is its length in bits. `label` includes its own terminating zero
// where the specification gives it one.
void derive(Bytes key, Bytes label, Bytes context, MutableBytes out);

using SessionKey = std::array<uint8_t, 16>;

// Room for the longest cipher key; `size` bytes are in use (16, or 32 for AES-256).
struct CipherKey {
  std::array<uint8_t, 32> bytes{};
  size_t size = 16;

  Bytes view() const { return Bytes(bytes).first(size); }
};

// All that a session of an SMB 3.x dialect derives from its key. A channel that is bound later
// takes only `signing`, from its own connection's preauthentication hash.
struct SessionKeys {
  SigningKey signing{};
  std::array<uint8_t, 16> application{};
  CipherKey client_to_server;  // the server opens with it
  CipherKey server_to_client;  // the server seals with it
};

// Dialects 3.0 and 3.0.2: constant contexts, 128-bit keys.
SessionKeys derive_keys_300(const SessionKey& session_key);

// Dialect 3.1.1: the context is the session's preauthentication hash. `cipher_key_size` is 16 or 32
// (CHECKed); 32 when an AES-256 cipher was negotiated. `full_session_key` (Session.FullSessionKey)
// is used for AES-256 only; for NTLM it is the same 16 bytes as `session_key`.
SessionKeys derive_keys_311(const SessionKey& session_key, Bytes full_session_key,
                            const PreauthHash& preauth, size_t cipher_key_size);

}  // namespace semblance::crypto
