#include "engine/smb/sealing.h"

#include <algorithm>

#include "engine/crypto/kdf.h"
#include "engine/wire/frame_header.h"

namespace semblance::smb {

wire::Cipher choose_cipher(const wire::U16List& offered) {
  using wire::Cipher;
  for (Cipher cipher :
       {Cipher::kAes128Gcm, Cipher::kAes256Gcm, Cipher::kAes128Ccm, Cipher::kAes256Ccm})
    if (offered.contains(static_cast<uint16_t>(cipher))) return cipher;
  return Cipher::kNone;
}

void derive_keys(const Connection& c, Session& session) {
  if (!c.is_3x()) {
    session.signer = std::make_unique<crypto::Signer>(c.signing_algorithm,
                                                      crypto::SigningKey(session.session_key));
    return;
  }
  auto cipher = static_cast<crypto::Cipher>(c.cipher);
  bool seals = c.cipher != wire::Cipher::kNone;
  crypto::SessionKeys keys =
      c.is_311() ? crypto::derive_keys_311(session.session_key, session.session_key,
                                           *session.preauth, seals ? crypto::key_size(cipher) : 16)
                 : crypto::derive_keys_300(session.session_key);
  session.signer = std::make_unique<crypto::Signer>(c.signing_algorithm, keys.signing);
  if (!seals) return;
  session.opener = std::make_unique<crypto::Sealer>(cipher, keys.client_to_server.view());
  session.sealer = std::make_unique<crypto::Sealer>(cipher, keys.server_to_client.view());
}

std::optional<Opened> open_sealed(EngineState& e, const Connection& c, MutableBytes message) {
  auto header = wire::TransformHeader::parse(message);
  if (!header || header->flags != wire::kTransformEncrypted) return std::nullopt;
  MutableBytes sealed = message.subspan(wire::kTransformHeaderSize);
  if (header->original_message_size != sealed.size()) return std::nullopt;
  Session* session = e.sessions.find(session_slot(header->session_id));
  if (session == nullptr || session->connection != c.id || session->opener == nullptr)
    return std::nullopt;
  Bytes nonce = Bytes(header->nonce).first(crypto::nonce_size(session->opener->cipher()));
  Bytes aad = Bytes(message).subspan(wire::kTransformNonceAt,
                                     wire::kTransformHeaderSize - wire::kTransformNonceAt);
  if (!session->opener->open(nonce, aad, sealed, header->signature)) return std::nullopt;
  return Opened{sealed, session->id};
}

void seal_frame(Session& session, MutableBytes frame) {
  MutableBytes transform = frame.subspan(wire::kFrameHeaderSize);
  MutableBytes message = transform.subspan(wire::kTransformHeaderSize);
  wire::TransformHeader header;
  // A counter never repeats under one key, which is all that a nonce needs.
  store(header.nonce.data(), ++session.nonces);
  header.original_message_size = static_cast<uint32_t>(message.size());
  header.session_id = wire_session_id(session.id);
  wire::Builder b(transform);
  header.build(b);
  Bytes nonce = Bytes(header.nonce).first(crypto::nonce_size(session.sealer->cipher()));
  Bytes aad = Bytes(transform).subspan(wire::kTransformNonceAt,
                                       wire::kTransformHeaderSize - wire::kTransformNonceAt);
  crypto::AeadTag tag;
  session.sealer->seal(nonce, aad, message, tag);
  std::ranges::copy(tag, transform.begin() + wire::kTransformSignatureAt);
}

}  // namespace semblance::smb
