#pragma once
// Encryption, MS-SMB2 3.1.4.3, 3.3.4.1.4, 3.3.5.2.1, with keys derived here: opens what is sealed
// for the witness; what answers a sealed request is sealed; nothing succeeds in the clear where the
// share is to be sealed; no nonce comes twice; the bytes of such a share are never seen.

#include <map>
#include <optional>
#include <set>

#include "sim/oracles/signatures.h"

namespace semblance::sim {

// What every file of the encrypted share begins with.
inline constexpr std::string_view kCanary = "canary of the vault, not to be seen by anyone";

class SealOracle : public Oracle {
 public:
  SealOracle(Failures& failures, const SignatureOracle& signatures)
      : Oracle("seals", failures), signatures_(signatures) {}

  // What was in the sealed message; none for one that does not open.
  std::optional<std::vector<uint8_t>> open(ConnectionId connection, Bytes message,
                                           bool from_server);
  // Bytes as they leave the server.
  void transmitted(Bytes bytes);

  void closed(ConnectionId connection) override;
  void session(const SessionFacts& facts) override;
  void answered(const ExchangePtr& exchange) override;

 private:
  struct Session {
    uint16_t cipher = 0;  // MS-SMB2 2.2.3.1.2
    std::vector<uint8_t> to_server, to_client;
    std::set<std::vector<uint8_t>> nonces;  // of the server
  };

  const SignatureOracle& signatures_;
  // By the connection's generation and the session.
  std::map<std::pair<uint32_t, uint64_t>, Session> sessions_;
  // Trees of the encrypted share, by the connection's generation.
  std::set<std::pair<uint32_t, uint32_t>> vaults_;
};

}  // namespace semblance::sim
