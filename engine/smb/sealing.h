#pragma once
// Encrypted messages: MS-SMB2 3.3.5.2.1.1 Decrypting the Message, 3.3.4.1.4 Encrypting the Message.

#include <optional>

#include "engine/smb/call.h"
#include "engine/wire/transform_header.h"

namespace semblance::smb {

// The ciphers this server has, the cheapest first.
wire::Cipher choose_cipher(const wire::U16List& offered);

// Makes the session's keys of the connection's dialect and cipher.
void derive_keys(const Connection& connection, Session& session);

// What lay in a transform: a message in the same place, and the session whose key opened it.
struct Opened {
  Bytes message;
  SessionSlot session;
};
// Decrypts in place. None for anything that a holder of the session's key did not send just so; the
// connection then breaks off.
std::optional<Opened> open_sealed(EngineState& engine, const Connection& connection,
                                  MutableBytes message);

// `frame` holds the transport's length, room for a transform header, and the message. Seals it
// under the session's next nonce.
void seal_frame(Session& session, MutableBytes frame);

}  // namespace semblance::smb
