#include "engine/crypto/kdf.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/base/check.h"

namespace semblance::crypto {
namespace {

// A label or context of MS-SMB2, which counts its terminating zero.
template <size_t N>
Bytes terminated(const char (&text)[N]) {
  return {reinterpret_cast<const uint8_t*>(text), N};
}

}  // namespace

void derive(Bytes key, Bytes label, Bytes context, MutableBytes out) {
  CHECK(out.size() <= UINT32_MAX / 8);
  std::vector<uint8_t> input(4 + label.size() + 1 + context.size() + 4);
  uint8_t* at = std::ranges::copy(label, input.begin() + 4).out.base();
  at = std::ranges::copy(context, at + 1).out;
  store(at, std::byteswap(static_cast<uint32_t>(out.size() * 8)));

  uint8_t block[32];
  for (uint32_t counter = 1; !out.empty(); ++counter) {
    store(input.data(), std::byteswap(counter));
    unsigned size = 0;
    CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), input.data(), input.size(),
               block, &size) != nullptr &&
          size == sizeof block);
    const size_t taken = std::min(out.size(), sizeof block);
    std::memcpy(out.data(), block, taken);
    out = out.subspan(taken);
  }
  OPENSSL_cleanse(block, sizeof block);
}

SessionKeys derive_keys_300(const SessionKey& key) {
  SessionKeys keys;
  derive(key, terminated("SMB2AESCMAC"), terminated("SmbSign"), keys.signing);
  derive(key, terminated("SMB2APP"), terminated("SmbRpc"), keys.application);
  // The blank makes both contexts equally long; it is in the specification.
  derive(key, terminated("SMB2AESCCM"), terminated("ServerIn "),
         MutableBytes(keys.client_to_server.bytes).first(16));
  derive(key, terminated("SMB2AESCCM"), terminated("ServerOut"),
         MutableBytes(keys.server_to_client.bytes).first(16));
  return keys;
}

SessionKeys derive_keys_311(const SessionKey& key, Bytes full_session_key,
                            const PreauthHash& preauth, size_t cipher_key_size) {
  CHECK(cipher_key_size == 16 || cipher_key_size == 32);
  const Bytes hash = preauth.value();
  const Bytes cipher_base = cipher_key_size == 32 ? full_session_key : Bytes(key);
  SessionKeys keys;
  keys.client_to_server.size = keys.server_to_client.size = cipher_key_size;
  derive(key, terminated("SMBSigningKey"), hash, keys.signing);
  derive(key, terminated("SMBAppKey"), hash, keys.application);
  derive(cipher_base, terminated("SMBC2SCipherKey"), hash,
         MutableBytes(keys.client_to_server.bytes).first(cipher_key_size));
  derive(cipher_base, terminated("SMBS2CCipherKey"), hash,
         MutableBytes(keys.server_to_client.bytes).first(cipher_key_size));
  return keys;
}

}  // namespace semblance::crypto
