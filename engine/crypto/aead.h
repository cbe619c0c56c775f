#pragma once
// Encryption of whole messages, MS-SMB2 3.1.4.3 "Encrypting the Message"
// and 3.2.5.1.1.1/3.3.5.2.1.1 "Decrypting the Message". The SMB2 TRANSFORM_HEADER itself is not
// known here.

#include <memory>

#include "engine/base/bytes.h"

namespace semblance::crypto {

// The ids of the SMB2_ENCRYPTION_CAPABILITIES negotiate context, MS-SMB2 2.2.3.1.2.
enum class Cipher : uint16_t {
  kAes128Ccm = 1,
  kAes128Gcm = 2,
  kAes256Ccm = 3,
  kAes256Gcm = 4,
};

// Bytes of key and of nonce. The nonce lies in the first bytes of the transform header's field.
constexpr size_t key_size(Cipher cipher) {
  return cipher == Cipher::kAes256Ccm || cipher == Cipher::kAes256Gcm ? 32 : 16;
}
constexpr size_t nonce_size(Cipher cipher) {
  return cipher == Cipher::kAes128Ccm || cipher == Cipher::kAes256Ccm ? 11 : 12;
}

using AeadTag = std::array<uint8_t, 16>;

// One key's cipher, kept keyed between messages: per message only the nonce is new.
//
// The caller never uses a nonce twice under one key for seal(). Move-only, not thread-safe.
class Sealer {
 public:
  // `key` has key_size(cipher) bytes (CHECKed); it is not kept beyond OpenSSL's key schedule.
  Sealer(Cipher cipher, Bytes key);
  ~Sealer();
  Sealer(Sealer&&) noexcept;
  Sealer& operator=(Sealer&&) noexcept;

  Cipher cipher() const { return cipher_; }

  // Encrypts `data` in place and writes its tag. `nonce` has nonce_size(cipher()) bytes (CHECKed);
  // `aad` is authenticated, not encrypted: the transform header from its Nonce field to its end.
  void seal(Bytes nonce, Bytes aad, MutableBytes data, AeadTag& tag);

  // Decrypts `data` in place. False when the tag, the data or the aad is not what was sealed; the
  // data is then zeroed, so that nothing unauthenticated can be read.
  [[nodiscard]] bool open(Bytes nonce, Bytes aad, MutableBytes data, const AeadTag& tag);

 private:
  struct Contexts;

  bool ccm() const { return nonce_size(cipher_) == 11; }

  Cipher cipher_;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace semblance::crypto
