#pragma once
// Owners for OpenSSL's objects; private to this room.

#include <openssl/evp.h>

#include <memory>

namespace semblance::crypto {

template <auto Free>
struct OpensslFree {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

using CipherPtr = std::unique_ptr<EVP_CIPHER, OpensslFree<EVP_CIPHER_free>>;
using CipherContextPtr = std::unique_ptr<EVP_CIPHER_CTX, OpensslFree<EVP_CIPHER_CTX_free>>;
using MacPtr = std::unique_ptr<EVP_MAC, OpensslFree<EVP_MAC_free>>;
using MacContextPtr = std::unique_ptr<EVP_MAC_CTX, OpensslFree<EVP_MAC_CTX_free>>;

}  // namespace semblance::crypto
