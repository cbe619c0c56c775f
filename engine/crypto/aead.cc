#include "engine/crypto/aead.h"

#include "engine/base/check.h"
#include "engine/crypto/openssl_ptr.h"

namespace semblance::crypto {
namespace {

constexpr int kTagSize = static_cast<int>(std::tuple_size_v<AeadTag>);

const char* openssl_name(Cipher cipher) {
  switch (cipher) {
    case Cipher::kAes128Ccm:
      return "AES-128-CCM";
    case Cipher::kAes128Gcm:
      return "AES-128-GCM";
    case Cipher::kAes256Ccm:
      return "AES-256-CCM";
    case Cipher::kAes256Gcm:
      return "AES-256-GCM";
  }
  CHECK(false && "negotiated a cipher that does not exist");
}

CipherContextPtr keyed_context(Cipher cipher, Bytes key, int encrypt) {
  CipherPtr algorithm(EVP_CIPHER_fetch(nullptr, openssl_name(cipher), nullptr));
  CipherContextPtr context(EVP_CIPHER_CTX_new());
  EVP_CIPHER_CTX* c = context.get();
  const int nonce = static_cast<int>(nonce_size(cipher));
  CHECK(EVP_CipherInit_ex(c, algorithm.get(), nullptr, nullptr, nullptr, encrypt) == 1 &&
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, nonce, nullptr) == 1);
  // CCM mixes the tag's length into its first block, so it is part of the set-up.
  if (nonce == 11) {
    CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, kTagSize, nullptr) == 1);
  }
  CHECK(EVP_CipherInit_ex(c, nullptr, nullptr, key.data(), nullptr, encrypt) == 1);
  return context;
}

}  // namespace

struct Sealer::Contexts {
  // CCM's key set-up differs by direction, so one context can't serve both.
  CipherContextPtr seal;
  CipherContextPtr open;
};

Sealer::Sealer(Cipher cipher, Bytes key) : cipher_(cipher) {
  CHECK(key.size() == key_size(cipher));
  contexts_ =
      std::make_unique<Contexts>(keyed_context(cipher, key, 1), keyed_context(cipher, key, 0));
}

Sealer::~Sealer() = default;
Sealer::Sealer(Sealer&&) noexcept = default;
Sealer& Sealer::operator=(Sealer&&) noexcept = default;

void Sealer::seal(Bytes nonce, Bytes aad, MutableBytes data, AeadTag& tag) {
  CHECK(nonce.size() == nonce_size(cipher_) && data.size() <= INT32_MAX && aad.size() <= INT32_MAX);
  EVP_CIPHER_CTX* c = contexts_->seal.get();
  const int data_size = static_cast<int>(data.size());
  const int aad_size = static_cast<int>(aad.size());
  int size = 0;
  uint8_t nothing[16];
  CHECK(EVP_EncryptInit_ex(c, nullptr, nullptr, nullptr, nonce.data()) == 1);
  // CCM must know the length before anything else.
  if (ccm()) CHECK(EVP_EncryptUpdate(c, nullptr, &size, nullptr, data_size) == 1);
  if (aad_size != 0) CHECK(EVP_EncryptUpdate(c, nullptr, &size, aad.data(), aad_size) == 1);
  uint8_t* const at = data.empty() ? nothing : data.data();
  CHECK(EVP_EncryptUpdate(c, at, &size, at, data_size) == 1 &&
        EVP_EncryptFinal_ex(c, nothing, &size) == 1 &&
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, kTagSize, tag.data()) == 1);
}

bool Sealer::open(Bytes nonce, Bytes aad, MutableBytes data, const AeadTag& tag) {
  CHECK(nonce.size() == nonce_size(cipher_) && data.size() <= INT32_MAX && aad.size() <= INT32_MAX);
  EVP_CIPHER_CTX* c = contexts_->open.get();
  const int data_size = static_cast<int>(data.size());
  const int aad_size = static_cast<int>(aad.size());
  int size = 0;
  uint8_t nothing[16];
  CHECK(EVP_DecryptInit_ex(c, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, kTagSize, const_cast<uint8_t*>(tag.data())) ==
            1);
  if (ccm()) CHECK(EVP_DecryptUpdate(c, nullptr, &size, nullptr, data_size) == 1);
  if (aad_size != 0) CHECK(EVP_DecryptUpdate(c, nullptr, &size, aad.data(), aad_size) == 1);
  uint8_t* const at = data.empty() ? nothing : data.data();
  // CCM judges in the update, GCM in the final.
  bool good = EVP_DecryptUpdate(c, at, &size, at, data_size) == 1;
  if (!ccm()) good = EVP_DecryptFinal_ex(c, nothing, &size) == 1 && good;
  if (!good && !data.empty()) std::memset(data.data(), 0, data.size());
  return good;
}

}  // namespace semblance::crypto
