#pragma once
// Sees the bytes of all connections, takes them apart without engine/wire, pairs responses with
// requests, and tells the oracles. It is the oracle "responses" itself: every request has exactly
// one final response or its connection ends; at most one interim response; ids come back as sent;
// a CANCEL is not answered; nothing is said on a closed connection.

#include <map>
#include <vector>

#include "sim/oracles/oracle.h"
#include "sim/oracles/seals.h"

namespace semblance::sim {

class Witness : public Observer, private Oracle {
 public:
  Witness(Failures& failures, const Scheduler& scheduler)
      : Oracle("responses", failures), scheduler_(scheduler) {}

  // `oracle` outlives the run.
  void add(Oracle& oracle) { oracles_.push_back(&oracle); }
  // The same, told before the others.
  void add_first(Oracle& oracle) { oracles_.insert(oracles_.begin(), &oracle); }
  // Opens what is sealed; outlives the run.
  void set_seals(SealOracle& seals) { seals_ = &seals; }
  uint64_t requests() const { return exchanges_; }

  void opened(ConnectionId) override;
  void delivered(ConnectionId, Bytes) override;
  void transmitted(ConnectionId, Bytes) override;
  void closed(ConnectionId) override;
  void honest(ConnectionId) override;
  void session(const SessionFacts&) override;
  void started(OperationId, const StoreOperation&) override;
  void applied(OperationId, const StoreOperation&, const StoreResult&, bool injected) override;
  void changed_outside() override;
  void stepped(const Engine&) override;
  void crashed(CrashKind) override;
  void rested(const Engine&) override;

 private:
  struct Stream {
    std::vector<uint8_t> bytes;
    bool opaque = false;  // not to be read any further
  };
  struct Wire {
    Stream up, down;
    bool honest = false;
    std::multimap<uint64_t, ExchangePtr> open;  // unanswered, by MessageId
    bool any_opaque_message = false;            // something sealed or broken has arrived
    // What the server's NEGOTIATE response says, as it left.
    uint16_t dialect = 0, signing_algorithm = 0, cipher = 0;
  };

  // Calls `take` with each whole message; false once the stream makes no sense.
  template <typename Take>
  bool split(Stream& stream, Take take);
  void take_request(Wire& wire, ConnectionId connection, Bytes message, bool sealed = false);
  void take_response(Wire& wire, ConnectionId connection, Bytes message, bool sealed = false);
  void take_agreements(Wire& wire, const Element& negotiate);
  void pair(Wire& wire, ConnectionId connection, Element response);

  const Scheduler& scheduler_;
  SealOracle* seals_ = nullptr;
  std::vector<Oracle*> oracles_;
  std::map<uint32_t, Wire> wires_;  // by generation
  uint64_t exchanges_ = 0;
};

}  // namespace semblance::sim
