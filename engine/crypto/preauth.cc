#include "engine/crypto/preauth.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // plain-struct hash state, no allocation
#include <openssl/sha.h>

namespace semblance::crypto {

void PreauthHash::update(Bytes message) {
  SHA512_CTX state;
  SHA512_Init(&state);
  SHA512_Update(&state, value_.data(), value_.size());
  SHA512_Update(&state, message.data(), message.size());
  SHA512_Final(value_.data(), &state);
}

}  // namespace semblance::crypto
