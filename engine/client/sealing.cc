#include "engine/client/sealing.h"

#include <algorithm>

#include "engine/base/check.h"

namespace semblance::client {
namespace {

Bytes additional_data(Bytes message) {
  return message.subspan(wire::kTransformNonceAt,
                         wire::kTransformHeaderSize - wire::kTransformNonceAt);
}

}  // namespace

Seals::Seals(crypto::Cipher cipher, const crypto::SessionKeys& keys)
    : sealer_(cipher, keys.client_to_server.view()),
      opener_(cipher, keys.server_to_client.view()) {}

std::vector<uint8_t> Seals::seal(uint64_t session_id, Bytes message) {
  std::vector<uint8_t> sealed(wire::kTransformHeaderSize + message.size());
  wire::TransformHeader header;
  store(header.nonce.data(), ++nonces_);
  header.original_message_size = static_cast<uint32_t>(message.size());
  header.session_id = session_id;
  wire::Builder b(sealed);
  header.build(b);
  CHECK(b.ok());
  std::ranges::copy(message, sealed.begin() + wire::kTransformHeaderSize);
  crypto::AeadTag tag;
  sealer_.seal(Bytes(header.nonce).first(crypto::nonce_size(sealer_.cipher())),
               additional_data(sealed), MutableBytes(sealed).subspan(wire::kTransformHeaderSize),
               tag);
  std::ranges::copy(tag, sealed.begin() + wire::kTransformSignatureAt);
  return sealed;
}

std::string Seals::open(const wire::TransformHeader& header, MutableBytes message) {
  const MutableBytes inner = message.subspan(wire::kTransformHeaderSize);
  if (header.flags != wire::kTransformEncrypted) return "transform header with other flags";
  if (header.original_message_size != inner.size()) return "sealed message of another size";
  const size_t used = crypto::nonce_size(opener_.cipher());
  // What the cipher does not use is not part of the nonce: it can't make two of them different.
  std::array<uint8_t, 16> nonce{};
  std::copy_n(header.nonce.begin(), used, nonce.begin());
  if (!opener_.open(Bytes(nonce).first(used), additional_data(message), inner, header.signature))
    return "sealed message that does not open";
  if (!seen_nonces_.insert(nonce).second) return "a nonce used twice";
  return {};
}

}  // namespace semblance::client
