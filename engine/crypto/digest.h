#pragma once
// The old digests that NTLM is made of, MS-NLMP 6 "Appendix A: Cryptographic Operations Reference".
// They come from nettle: OpenSSL 3 has MD4 and RC4 only in a provider that a process must load.

#include <initializer_list>

#include "engine/base/bytes.h"

namespace semblance::crypto {

using Digest16 = std::array<uint8_t, 16>;

Digest16 md4(Bytes data);                           // RFC 1320
Digest16 md5(std::initializer_list<Bytes> pieces);  // RFC 1321, of the concatenation

// RFC 2104 over the concatenation of `pieces`. Any key size.
Digest16 hmac_md5(Bytes key, std::initializer_list<Bytes> pieces);

// En- or decrypts `data` in place with a fresh RC4 state. `key` has 1..256 bytes (CHECKed).
void rc4(Bytes key, MutableBytes data);

}  // namespace semblance::crypto
