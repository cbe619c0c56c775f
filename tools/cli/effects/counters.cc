#include "tools/cli/effects/counters.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace semblance::effects {
namespace {

thread_local bool counting = false;
thread_local Counts counts;

void* allocate(size_t bytes, size_t alignment) {
  if (counting) ++counts.allocations;
  const size_t room = (bytes + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes == 0 ? 1 : bytes)
                     : std::aligned_alloc(alignment, room == 0 ? alignment : room);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void copied(size_t bytes) {
  if (counting) counts.bytes_copied += bytes;
}
void crypto_begun() {
  if (counting) ++counts.crypto_calls;
}

}  // namespace

void count(bool on) { counting = on; }
Counts take_counts() { return std::exchange(counts, {}); }

}  // namespace semblance::effects

using semblance::effects::allocate;
using semblance::effects::copied;
using semblance::effects::crypto_begun;

void* operator new(size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new[](size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

// The names are the linker's: every call of F in this program goes to __wrap_F, and __real_F is F.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void* __real_memcpy(void* to, const void* from, size_t bytes);
void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  copied(bytes);
  return __real_memcpy(to, from, bytes);
}
void* __real_memmove(void* to, const void* from, size_t bytes);
void* __wrap_memmove(void* to, const void* from, size_t bytes) {
  copied(bytes);
  return __real_memmove(to, from, bytes);
}

int __real_EVP_MAC_init(EVP_MAC_CTX* context, const unsigned char* key, size_t size,
                        const OSSL_PARAM* parameters);
int __wrap_EVP_MAC_init(EVP_MAC_CTX* context, const unsigned char* key, size_t size,
                        const OSSL_PARAM* parameters) {
  crypto_begun();
  return __real_EVP_MAC_init(context, key, size, parameters);
}
int __real_EVP_EncryptInit_ex(EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ENGINE* engine,
                              const unsigned char* key, const unsigned char* nonce);
int __wrap_EVP_EncryptInit_ex(EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ENGINE* engine,
                              const unsigned char* key, const unsigned char* nonce) {
  crypto_begun();
  return __real_EVP_EncryptInit_ex(context, cipher, engine, key, nonce);
}
int __real_EVP_DecryptInit_ex(EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ENGINE* engine,
                              const unsigned char* key, const unsigned char* nonce);
int __wrap_EVP_DecryptInit_ex(EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ENGINE* engine,
                              const unsigned char* key, const unsigned char* nonce) {
  crypto_begun();
  return __real_EVP_DecryptInit_ex(context, cipher, engine, key, nonce);
}
unsigned char* __real_HMAC(const EVP_MD* digest, const void* key, int key_size,
                           const unsigned char* data, size_t size, unsigned char* to,
                           unsigned int* to_size);
unsigned char* __wrap_HMAC(const EVP_MD* digest, const void* key, int key_size,
                           const unsigned char* data, size_t size, unsigned char* to,
                           unsigned int* to_size) {
  crypto_begun();
  return __real_HMAC(digest, key, key_size, data, size, to, to_size);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
