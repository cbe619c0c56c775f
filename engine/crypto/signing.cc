#include "engine/crypto/signing.h"

// SHA256_CTX is a plain struct, so a keyed state can be copied by assignment; EVP can only
// duplicate one by allocating. The functions are deprecated, not going away within OpenSSL 3.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "engine/base/check.h"
#include "engine/crypto/openssl_ptr.h"

namespace semblance::crypto {
namespace {

// Fields of the SMB2 header that signing needs, MS-SMB2 2.2.1.
constexpr size_t kHeaderSize = 64;
constexpr size_t kCommandAt = 12;
constexpr size_t kFlagsAt = 16;
constexpr size_t kMessageIdAt = 24;
constexpr size_t kSignatureAt = 48;
constexpr size_t kSignatureSize = 16;
constexpr uint16_t kCommandCancel = 0x000C;
constexpr uint32_t kFlagServerToRedir = 0x00000001;

constexpr uint8_t kNoSignature[kSignatureSize] = {};

struct Pieces {
  Bytes head;  // up to the signature field
  Bytes body;  // after it
};

Pieces around_signature(Bytes message) {
  return {message.first(kSignatureAt), message.subspan(kHeaderSize)};
}

// AES-GMAC's nonce: MessageId, then bit 0 for "sent by a server" and bit 1 for a CANCEL request,
// which shares its MessageId with the request that it cancels.
std::array<uint8_t, 12> gmac_nonce(Bytes message) {
  std::array<uint8_t, 12> nonce{};
  std::memcpy(nonce.data(), message.data() + kMessageIdAt, 8);
  const bool from_server = load<uint32_t>(message.data() + kFlagsAt) & kFlagServerToRedir;
  const bool cancel = load<uint16_t>(message.data() + kCommandAt) == kCommandCancel;
  store<uint32_t>(nonce.data() + 8, from_server ? 1u : cancel ? 2u : 0u);
  return nonce;
}

}  // namespace

// HMAC, RFC 2104, with the two key blocks already hashed.
struct Signer::Hmac {
  SHA256_CTX inner;
  SHA256_CTX outer;

  explicit Hmac(const SigningKey& key) {
    std::array<uint8_t, SHA256_CBLOCK> inner_block, outer_block;
    inner_block.fill(0x36);
    outer_block.fill(0x5C);
    for (size_t i = 0; i < key.size(); ++i) {
      inner_block[i] ^= key[i];
      outer_block[i] ^= key[i];
    }
    SHA256_Init(&inner);
    SHA256_Update(&inner, inner_block.data(), inner_block.size());
    SHA256_Init(&outer);
    SHA256_Update(&outer, outer_block.data(), outer_block.size());
    OPENSSL_cleanse(inner_block.data(), inner_block.size());
    OPENSSL_cleanse(outer_block.data(), outer_block.size());
  }
  ~Hmac() { OPENSSL_cleanse(this, sizeof *this); }

  Mac compute(Bytes message) const {
    const auto [head, body] = around_signature(message);
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256_CTX state = inner;
    SHA256_Update(&state, head.data(), head.size());
    SHA256_Update(&state, kNoSignature, sizeof kNoSignature);
    SHA256_Update(&state, body.data(), body.size());
    SHA256_Final(digest, &state);
    state = outer;
    SHA256_Update(&state, digest, sizeof digest);
    SHA256_Final(digest, &state);
    Mac mac;  // the first 16 of the 32 bytes
    std::memcpy(mac.data(), digest, mac.size());
    return mac;
  }
};

struct Signer::Cmac {
  MacContextPtr context;

  explicit Cmac(const SigningKey& key) {
    MacPtr mac(EVP_MAC_fetch(nullptr, "CMAC", nullptr));
    context.reset(EVP_MAC_CTX_new(mac.get()));
    char cipher[] = "AES-128-CBC";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0),
        OSSL_PARAM_construct_end()};
    CHECK(EVP_MAC_init(context.get(), key.data(), key.size(), parameters) == 1);
  }

  Mac compute(Bytes message) {
    const auto [head, body] = around_signature(message);
    Mac mac;
    size_t size = 0;
    // No key: start again under the one that is already scheduled.
    CHECK(EVP_MAC_init(context.get(), nullptr, 0, nullptr) == 1 &&
          EVP_MAC_update(context.get(), head.data(), head.size()) == 1 &&
          EVP_MAC_update(context.get(), kNoSignature, sizeof kNoSignature) == 1 &&
          EVP_MAC_update(context.get(), body.data(), body.size()) == 1 &&
          EVP_MAC_final(context.get(), mac.data(), &size, mac.size()) == 1 && size == mac.size());
    return mac;
  }
};

// GMAC is GCM with the whole message as associated data and nothing to encrypt, RFC 4543.
struct Signer::Gmac {
  CipherContextPtr context{EVP_CIPHER_CTX_new()};

  explicit Gmac(const SigningKey& key) {
    CipherPtr cipher(EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr));
    CHECK(EVP_EncryptInit_ex(context.get(), cipher.get(), nullptr, key.data(), nullptr) == 1);
  }

  Mac compute(Bytes message) {
    const auto [head, body] = around_signature(message);
    const auto nonce = gmac_nonce(message);
    CHECK(body.size() <= INT32_MAX);
    EVP_CIPHER_CTX* c = context.get();
    Mac mac;
    uint8_t nothing[16];
    int size = 0;
    CHECK(EVP_EncryptInit_ex(c, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
          EVP_EncryptUpdate(c, nullptr, &size, head.data(), static_cast<int>(head.size())) == 1 &&
          EVP_EncryptUpdate(c, nullptr, &size, kNoSignature, sizeof kNoSignature) == 1);
    if (!body.empty()) {
      CHECK(EVP_EncryptUpdate(c, nullptr, &size, body.data(), static_cast<int>(body.size())) == 1);
    }
    CHECK(EVP_EncryptFinal_ex(c, nothing, &size) == 1 &&
          EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(mac.size()), mac.data()) ==
              1);
    return mac;
  }
};

Signer::Signer(SigningAlgorithm algorithm, const SigningKey& key) {
  switch (algorithm) {
    case SigningAlgorithm::kHmacSha256:
      hmac_ = std::make_unique<Hmac>(key);
      return;
    case SigningAlgorithm::kAesCmac:
      cmac_ = std::make_unique<Cmac>(key);
      return;
    case SigningAlgorithm::kAesGmac:
      gmac_ = std::make_unique<Gmac>(key);
      return;
  }
  CHECK(false && "negotiated a signing algorithm that does not exist");
}

Signer::~Signer() = default;
Signer::Signer(Signer&&) noexcept = default;
Signer& Signer::operator=(Signer&&) noexcept = default;

SigningAlgorithm Signer::algorithm() const {
  if (hmac_) return SigningAlgorithm::kHmacSha256;
  return cmac_ ? SigningAlgorithm::kAesCmac : SigningAlgorithm::kAesGmac;
}

Signer::Mac Signer::compute(Bytes message) {
  if (gmac_) return gmac_->compute(message);
  if (cmac_) return cmac_->compute(message);
  CHECK(hmac_);
  return hmac_->compute(message);
}

void Signer::sign(MutableBytes message) {
  CHECK(message.size() >= kHeaderSize);
  const Mac mac = compute(message);
  std::memcpy(message.data() + kSignatureAt, mac.data(), mac.size());
}

bool Signer::verify(Bytes message) {
  if (message.size() < kHeaderSize) return false;
  const Mac mac = compute(message);
  return CRYPTO_memcmp(message.data() + kSignatureAt, mac.data(), mac.size()) == 0;
}

}  // namespace semblance::crypto
