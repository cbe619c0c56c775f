#include "engine/crypto/digest.h"

#include <nettle/arcfour.h>
#include <nettle/hmac.h>
#include <nettle/md4.h>
#include <nettle/md5.h>

#include "engine/base/check.h"

namespace semblance::crypto {

Digest16 md4(Bytes data) {
  Digest16 digest;
  md4_ctx context;
  md4_init(&context);
  md4_update(&context, data.size(), data.data());
  md4_digest(&context, digest.size(), digest.data());
  return digest;
}

Digest16 md5(std::initializer_list<Bytes> pieces) {
  Digest16 digest;
  md5_ctx context;
  md5_init(&context);
  for (Bytes piece : pieces) md5_update(&context, piece.size(), piece.data());
  md5_digest(&context, digest.size(), digest.data());
  return digest;
}

Digest16 hmac_md5(Bytes key, std::initializer_list<Bytes> pieces) {
  Digest16 digest;
  hmac_md5_ctx context;
  hmac_md5_set_key(&context, key.size(), key.data());
  for (Bytes piece : pieces) hmac_md5_update(&context, piece.size(), piece.data());
  hmac_md5_digest(&context, digest.size(), digest.data());
  return digest;
}

void rc4(Bytes key, MutableBytes data) {
  CHECK(key.size() >= ARCFOUR_MIN_KEY_SIZE && key.size() <= ARCFOUR_MAX_KEY_SIZE);
  arcfour_ctx context;
  arcfour_set_key(&context, key.size(), key.data());
  arcfour_crypt(&context, data.size(), data.data(), data.data());
}

}  // namespace semblance::crypto
