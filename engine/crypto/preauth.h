#pragma once
// The preauthentication integrity hash value of dialect 3.1.1, MS-SMB2 3.1.4.2 and 3.3.5.4.

#include "engine/base/bytes.h"

namespace semblance::crypto {

// A chain of SHA-512 over whole messages: H = SHA512(H || message), starting from 64 zero bytes. A
// value: a session's hash starts as a copy of its connection's.
class PreauthHash {
 public:
  // `message` is one SMB2 message from its header on, without the transport's length.
  void update(Bytes message);

  const std::array<uint8_t, 64>& value() const { return value_; }
  bool operator==(const PreauthHash&) const = default;

 private:
  std::array<uint8_t, 64> value_{};
};

}  // namespace semblance::crypto
