#pragma once
// Encryption as the client sees it: MS-SMB2 3.2.4.1.8 Encrypting the Message, 3.2.5.1.1 Decrypting
// the Message. One object for a session's two keys, and the books about nonces.

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/crypto/aead.h"
#include "engine/crypto/kdf.h"
#include "engine/wire/transform_header.h"

namespace semblance::client {

enum class Sealing : uint8_t {
  kAuto,    // sealed when the session or the tree asks for it
  kAlways,  // sealed whenever the session has a key for it
  kNever,   // in the clear whatever the session asks for
  kWrong,   // sealed, and the tag is not right
};

class Seals {
 public:
  Seals(crypto::Cipher cipher, const crypto::SessionKeys& keys);

  // The whole of `message`, a compound too, behind its transform header: what goes into a frame.
  std::vector<uint8_t> seal(uint64_t session_id, Bytes message);

  // Decrypts in place what lies behind the transform header; `message` is all that was in the frame
  // and `header` what its beginning says. Empty when it is well, else what is wrong with it.
  std::string open(const wire::TransformHeader& header, MutableBytes message);

 private:
  crypto::Sealer sealer_, opener_;
  uint64_t nonces_ = 0;                            // used with `sealer_`
  std::set<std::array<uint8_t, 16>> seen_nonces_;  // the server's
};

}  // namespace semblance::client
