#include "sim/oracles/signatures.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <algorithm>

#include "sim/oracles/keys.h"

namespace semblance::sim {

namespace {

constexpr size_t kSignatureAt = 48, kSignatureSize = 16;
constexpr uint16_t kSmb300 = 0x0300, kSmb311 = 0x0311;
constexpr uint16_t kHmac = 0, kCmac = 1, kGmac = 2;

using Key = std::array<uint8_t, 16>;

void extend(std::array<uint8_t, 64>& hash, Bytes element) {
  std::vector<uint8_t> all(hash.begin(), hash.end());
  all.insert(all.end(), element.begin(), element.end());
  SHA512(all.data(), all.size(), hash.data());
}

Key hmac(const Key& key, Bytes message) {
  uint8_t mac[32];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), 16, message.data(), message.size(), mac, &size);
  Key first;
  std::copy_n(mac, 16, first.begin());
  return first;
}

Key cmac(const Key& key, Bytes message) {
  Key mac{};
  size_t size = 0;
  // Fetching the algorithm is dear; it is the same one for everybody.
  static EVP_MAC* const algorithm = EVP_MAC_fetch(nullptr, "CMAC", nullptr);
  EVP_MAC_CTX* context = EVP_MAC_CTX_new(algorithm);
  char cipher[] = "AES-128-CBC";
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string("cipher", cipher, 0),
                             OSSL_PARAM_construct_end()};
  EVP_MAC_init(context, key.data(), key.size(), parameters);
  EVP_MAC_update(context, message.data(), message.size());
  EVP_MAC_final(context, mac.data(), &size, mac.size());
  EVP_MAC_CTX_free(context);
  return mac;
}

Key gmac(const Key& key, Bytes message, bool from_server, bool cancel) {
  uint8_t nonce[12] = {};
  std::copy_n(message.begin() + 24, 8, nonce);
  nonce[8] = static_cast<uint8_t>((from_server ? 1 : 0) | (cancel ? 2 : 0));
  Key tag{};
  int size = 0;
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nullptr, key.data(), nonce);
  EVP_EncryptUpdate(context, nullptr, &size, message.data(), static_cast<int>(message.size()));
  EVP_EncryptFinal_ex(context, nullptr, &size);
  EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, tag.data());
  EVP_CIPHER_CTX_free(context);
  return tag;
}

}  // namespace

void SignatureOracle::opened(ConnectionId connection) { connections_[connection.generation] = {}; }
void SignatureOracle::closed(ConnectionId connection) { connections_.erase(connection.generation); }

bool SignatureOracle::verify(const Session& session, const Element& element,
                             bool from_server) const {
  std::vector<uint8_t> message = element.bytes;
  if (message.size() < 64) return false;
  std::fill_n(message.begin() + kSignatureAt, kSignatureSize, 0);
  bool cancel = element.command == kCmdCancel;
  Key right = session.algorithm == kGmac   ? gmac(session.key, message, from_server, cancel)
              : session.algorithm == kCmac ? cmac(session.key, message)
                                           : hmac(session.key, message);
  return std::equal(right.begin(), right.end(), element.bytes.begin() + kSignatureAt);
}

void SignatureOracle::session(const SessionFacts& facts) {
  auto found = connections_.find(facts.connection.generation);
  if (found == connections_.end() || facts.renewal) return;
  Session& session = found->second.sessions[facts.session];
  session.keyed = facts.keyed;
  session.must_sign = facts.must_sign;
  session.dialect = facts.dialect;
  session.algorithm = facts.dialect >= kSmb311   ? facts.signing_algorithm
                      : facts.dialect >= kSmb300 ? kCmac
                                                 : kHmac;
  std::vector<uint8_t> key(facts.key.begin(), facts.key.end());
  if (facts.dialect >= kSmb311)
    key = derive_key(facts.key, "SMBSigningKey", session.preauth, 16);
  else if (facts.dialect >= kSmb300)
    key = derive_key(facts.key, "SMB2AESCMAC", as_bytes(std::string_view("SmbSign\0", 8)), 16);
  std::copy_n(key.begin(), 16, session.key.begin());
}

Bytes SignatureOracle::preauth_of(ConnectionId connection, uint64_t session) const {
  auto found = connections_.find(connection.generation);
  if (found == connections_.end()) return {};
  auto one = found->second.sessions.find(session);
  return one == found->second.sessions.end() ? Bytes{} : Bytes(one->second.preauth);
}

void SignatureOracle::requested(const ExchangePtr& exchange) {
  auto found = connections_.find(exchange->connection.generation);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  const Element& request = exchange->request;
  if (request.command == kCmdNegotiate) extend(connection.preauth, request.bytes);
  if (request.command == kCmdSessionSetup) {
    if (request.session_id == 0) {
      Hash hash = connection.preauth;
      extend(hash, request.bytes);
      connection.first_legs[exchange->number] = hash;
    } else if (auto one = connection.sessions.find(request.session_id);
               one != connection.sessions.end() && !one->second.keyed) {
      extend(one->second.preauth, request.bytes);
    }
    return;
  }
  auto session = connection.sessions.find(exchange->session_id);
  if (session == connection.sessions.end() || !session->second.keyed) return;
  if (request.sealed) return;  // the cipher vouches for it
  if (request.is_signed()) {
    exchange->authentic = verify(session->second, request, false);
    connection.signed_well[exchange->number] = exchange->authentic;
  } else if (session->second.must_sign) {
    exchange->authentic = false;
  }
}

void SignatureOracle::take_setup(Connection& connection, const Exchange& exchange) {
  const Element& response = exchange.response;
  auto first = connection.first_legs.extract(exchange.number);
  if (response.status != kStatusMoreProcessing && response.status != kOk) return;
  Session& session = connection.sessions[response.session_id];
  if (session.keyed) return;
  if (!first.empty()) session.preauth = first.mapped();
  if (response.status == kStatusMoreProcessing) extend(session.preauth, response.bytes);
}

void SignatureOracle::answered(const ExchangePtr& exchange) {
  auto found = connections_.find(exchange->connection.generation);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  const Element& response = exchange->response;
  if (exchange->request.command == kCmdNegotiate) extend(connection.preauth, response.bytes);
  if (exchange->request.command == kCmdSessionSetup) return take_setup(connection, *exchange);
  auto well = connection.signed_well.extract(exchange->number);
  auto session = connection.sessions.find(exchange->session_id);
  if (session == connection.sessions.end() || !session->second.keyed) return;
  // An ECHO needs no session.
  bool echoes = exchange->request.command == kCmdEcho && !exchange->request.is_signed();
  if (!exchange->authentic && !echoes && response.status == kOk)
    fail(*exchange, "success for a request whose signature is wrong or missing");
  bool excused = response.status == kStatusUserSessionDeleted || response.status == 0xC000035C;
  // What was changed on its way may have given the client another idea of the keys.
  if (exchange->honest && response.is_signed() && !verify(session->second, response, true))
    fail(*exchange, "a response whose signature is wrong");
  if (!well.empty() && well.mapped() && !response.is_signed() && !excused)
    fail(*exchange, "an unsigned response to a signed request");
}

}  // namespace semblance::sim
