#include "sim/oracles/keys.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace semblance::sim {

std::vector<uint8_t> derive_key(Bytes from, std::string_view label, Bytes context, size_t size) {
  std::vector<uint8_t> input = {0, 0, 0, 1};
  input.insert(input.end(), label.begin(), label.end());
  input.push_back(0);
  input.push_back(0);
  input.insert(input.end(), context.begin(), context.end());
  size_t bits = size * 8;
  for (size_t shift : {24, 16, 8, 0}) input.push_back(static_cast<uint8_t>(bits >> shift));
  std::vector<uint8_t> mac(32);
  unsigned length = 0;
  HMAC(EVP_sha256(), from.data(), static_cast<int>(from.size()), input.data(), input.size(),
       mac.data(), &length);
  mac.resize(size);
  return mac;
}

}  // namespace semblance::sim
