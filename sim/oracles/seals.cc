#include "sim/oracles/seals.h"

#include <openssl/evp.h>

#include <algorithm>

#include "sim/oracles/keys.h"

namespace semblance::sim {

namespace {

// The transform header, MS-SMB2 2.2.41.
constexpr size_t kHeader = 52, kTagAt = 4, kNonceAt = 20, kSessionAt = 44, kTag = 16;
constexpr uint16_t kSmb300 = 0x0300, kSmb311 = 0x0311;
constexpr uint16_t kCcm128 = 1, kGcm128 = 2, kCcm256 = 3, kGcm256 = 4;

const EVP_CIPHER* algorithm(uint16_t cipher) {
  switch (cipher) {
    case kCcm128:
      return EVP_aes_128_ccm();
    case kGcm128:
      return EVP_aes_128_gcm();
    case kCcm256:
      return EVP_aes_256_ccm();
    case kGcm256:
      return EVP_aes_256_gcm();
    default:
      return nullptr;
  }
}

// None when the tag is wrong.
std::optional<std::vector<uint8_t>> decipher(uint16_t cipher, const std::vector<uint8_t>& key,
                                             Bytes message) {
  bool ccm = cipher == kCcm128 || cipher == kCcm256;
  int nonce_size = ccm ? 11 : 12;
  Bytes data = message.subspan(kHeader);
  std::vector<uint8_t> tag(message.begin() + kTagAt, message.begin() + kTagAt + kTag);
  std::vector<uint8_t> plain(data.size());
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int size = 0;
  bool ok = EVP_DecryptInit_ex(context, algorithm(cipher), nullptr, nullptr, nullptr) == 1;
  ok = ok && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, nonce_size, nullptr) == 1;
  ok = ok && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTag, tag.data()) == 1;
  ok = ok &&
       EVP_DecryptInit_ex(context, nullptr, nullptr, key.data(), message.data() + kNonceAt) == 1;
  auto length = static_cast<int>(data.size());
  if (ccm) ok = ok && EVP_DecryptUpdate(context, nullptr, &size, nullptr, length) == 1;
  ok = ok && EVP_DecryptUpdate(context, nullptr, &size, message.data() + kNonceAt,
                               kHeader - kNonceAt) == 1;
  ok = ok && EVP_DecryptUpdate(context, plain.data(), &size, data.data(), length) == 1;
  if (!ccm) ok = ok && EVP_DecryptFinal_ex(context, plain.data() + size, &size) == 1;
  EVP_CIPHER_CTX_free(context);
  if (!ok) return std::nullopt;
  return plain;
}

}  // namespace

void SealOracle::session(const SessionFacts& facts) {
  if (facts.renewal || !facts.keyed || facts.dialect < kSmb300) return;
  Session session;
  session.cipher = facts.dialect < kSmb311 ? kCcm128 : facts.cipher;
  if (algorithm(session.cipher) == nullptr) return;
  size_t size = session.cipher == kCcm256 || session.cipher == kGcm256 ? 32 : 16;
  if (facts.dialect >= kSmb311) {
    Bytes preauth = signatures_.preauth_of(facts.connection, facts.session);
    session.to_server = derive_key(facts.key, "SMBC2SCipherKey", preauth, size);
    session.to_client = derive_key(facts.key, "SMBS2CCipherKey", preauth, size);
  } else {
    session.to_server =
        derive_key(facts.key, "SMB2AESCCM", as_bytes(std::string_view("ServerIn \0", 10)), size);
    session.to_client =
        derive_key(facts.key, "SMB2AESCCM", as_bytes(std::string_view("ServerOut\0", 10)), size);
  }
  sessions_[{facts.connection.generation, facts.session}] = std::move(session);
}

void SealOracle::closed(ConnectionId connection) {
  auto of = [&](const auto& one) { return one.first == connection.generation; };
  std::erase_if(sessions_, [&](const auto& one) { return of(one.first); });
  std::erase_if(vaults_, of);
}

std::optional<std::vector<uint8_t>> SealOracle::open(ConnectionId connection, Bytes message,
                                                     bool from_server) {
  if (message.size() < kHeader) return std::nullopt;
  auto found = sessions_.find({connection.generation, number_at(message, kSessionAt, 8)});
  if (found == sessions_.end()) return std::nullopt;
  Session& session = found->second;
  auto plain =
      decipher(session.cipher, from_server ? session.to_client : session.to_server, message);
  if (!from_server) return plain;
  if (!plain) fail("a sealed response that does not open");
  std::vector<uint8_t> nonce(message.begin() + kNonceAt, message.begin() + kNonceAt + 12);
  if (!session.nonces.insert(nonce).second) fail("a nonce that was used before");
  return plain;
}

void SealOracle::transmitted(Bytes bytes) {
  if (std::ranges::search(bytes, as_bytes(kCanary)).begin() != bytes.end())
    fail("the bytes of an encrypted share leave in the clear");
}

void SealOracle::answered(const ExchangePtr& exchange) {
  const Element& response = exchange->response;
  std::pair<uint32_t, uint32_t> tree{exchange->connection.generation, exchange->tree_id};
  bool ok = response.status == kOk;
  if (exchange->request.command == kCmdTreeConnect && ok) {
    // ShareFlags: SMB2_SHAREFLAG_ENCRYPT_DATA.
    if (response.at(64 + 4, 4) & 0x8000)
      vaults_.insert({exchange->connection.generation, response.tree_id});
    return;
  }
  bool excused = response.status == kStatusUserSessionDeleted;
  if (exchange->request.sealed && !response.sealed && !excused)
    fail(*exchange, "a response in the clear to a sealed request");
  if (!exchange->request.sealed && ok && vaults_.contains(tree))
    fail(*exchange, "success in the clear on an encrypted share");
}

}  // namespace semblance::sim
