#pragma once
// Message signatures, MS-SMB2 3.1.4.1 "Signing An Outgoing Message" and 3.1.5.1 "Verifying an
// Incoming Message".

#include <memory>

#include "engine/base/bytes.h"

namespace semblance::crypto {

// The ids of the SMB2_SIGNING_CAPABILITIES negotiate context, MS-SMB2 2.2.3.1.7. Dialects 2.0.2 and
// 2.1 always use HMAC-SHA256, 3.0 and 3.0.2 always AES-CMAC; only 3.1.1 negotiates.
enum class SigningAlgorithm : uint16_t { kHmacSha256 = 0, kAesCmac = 1, kAesGmac = 2 };

using SigningKey = std::array<uint8_t, 16>;

// One key's MAC with everything that depends on the key alone already done: building a context
// costs several times as much as the MAC of a small message.
//
// Move-only; a moved-from Signer may only be destroyed or assigned to. Not thread-safe: a Signer
// belongs to one session's channel, hence to one engine.
class Signer {
 public:
  Signer(SigningAlgorithm algorithm, const SigningKey& key);
  ~Signer();
  Signer(Signer&&) noexcept;
  Signer& operator=(Signer&&) noexcept;

  SigningAlgorithm algorithm() const;

  // Signs one SMB2 element in place: 64-byte header at offset 0, body, and the padding to the next
  // element of a compound. The header must be final, SMB2_FLAGS_SIGNED included; only the signature
  // field (offset 48, 16 bytes) is overwritten. `message` has at least 64 bytes (CHECKed).
  void sign(MutableBytes message);

  // Whether the element's signature field is right, compared in constant time. Leaves the message
  // untouched: it lies in a receive buffer that others may still hash. False for less than 64
  // bytes.
  [[nodiscard]] bool verify(Bytes message);

 private:
  struct Hmac;
  struct Cmac;
  struct Gmac;
  using Mac = std::array<uint8_t, 16>;

  // The MAC of `message` as if its signature field were zero.
  Mac compute(Bytes message);

  // Exactly one is set.
  std::unique_ptr<Hmac> hmac_;
  std::unique_ptr<Cmac> cmac_;
  std::unique_ptr<Gmac> gmac_;
};

}  // namespace semblance::crypto
