#pragma once
// Signatures, MS-SMB2 3.1.4.1, 3.3.4.1.1, 3.3.5.2.4, verified with keys derived here: what is
// signed is signed well, what must be signed is, and nothing succeeds whose signature is wrong or
// missing. Marks such requests as not authentic, for the oracles after it.

#include <map>

#include "sim/oracles/oracle.h"

namespace semblance::sim {

class SignatureOracle : public Oracle {
 public:
  explicit SignatureOracle(Failures& failures) : Oracle("signatures", failures) {}

  // 3.1.1: the hash that the session's keys come from; empty for a session that is not known.
  Bytes preauth_of(ConnectionId connection, uint64_t session) const;

  void opened(ConnectionId connection) override;
  void closed(ConnectionId connection) override;
  void session(const SessionFacts& facts) override;
  void requested(const ExchangePtr& exchange) override;
  void answered(const ExchangePtr& exchange) override;

 private:
  using Hash = std::array<uint8_t, 64>;
  struct Session {
    Hash preauth{};
    bool begun = false;  // of an exchange that may make it valid
    bool keyed = false, must_sign = false;
    uint16_t dialect = 0, algorithm = 0;
    std::array<uint8_t, 16> key{};
  };
  struct Connection {
    Hash preauth{};
    std::map<uint64_t, Session> sessions;
    std::map<uint64_t, Hash> first_legs;   // by exchange: SESSION_SETUPs that made a session
    std::map<uint64_t, bool> signed_well;  // by exchange
  };

  void take_setup(Connection& connection, const Exchange& exchange);
  bool verify(const Session& session, const Element& element, bool from_server) const;

  std::map<uint32_t, Connection> connections_;
};

}  // namespace semblance::sim
