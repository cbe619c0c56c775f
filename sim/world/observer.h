#pragma once
// What can be seen of a run from outside the engine. Oracles, views and hashes are observers; none
// of them changes anything.

#include <string_view>

#include "engine/engine.h"
#include "sim/world/scheduler.h"

namespace semblance::sim {

enum class CrashKind : uint8_t { kKill, kPowerLoss };

// How a client knows its session: told once its SESSION_SETUP has ended well.
struct SessionFacts {
  ConnectionId connection;
  uint64_t session = 0;
  uint16_t dialect = 0;
  uint16_t signing_algorithm = 0;  // MS-SMB2 2.2.3.1.7
  uint16_t cipher = 0;             // 2.2.3.1.2; 0: none
  bool keyed = false;              // it has a key: neither a guest nor anonymous
  bool must_sign = false;          // one of the two requires signatures
  std::array<uint8_t, 16> key{};   // ExportedSessionKey
  bool renewal = false;            // keys stay those of the first time
};

class Observer {
 public:
  virtual ~Observer() = default;

  // The world stands and nothing has happened yet. `clock` lives until the run is over.
  virtual void begins(const Scheduler& /*clock*/) {}

  // ---- The network, at the engine's side --------------------------------------------------------
  virtual void opened(ConnectionId) {}
  // Bytes that the engine has not been shown before. Told before the step.
  virtual void delivered(ConnectionId, Bytes) {}
  // Bytes that left the engine.
  virtual void transmitted(ConnectionId, Bytes) {}
  // Nothing may be transmitted any more.
  virtual void closed(ConnectionId) {}

  // ---- The disk ---------------------------------------------------------------------------------
  virtual void started(OperationId, const StoreOperation&) {}
  // It took effect, or failed, just now; its completion may come much later. `injected`: the error
  // is a fault of the world.
  virtual void applied(OperationId, const StoreOperation&, const StoreResult&, bool /*injected*/) {}
  // Files were changed beside the server.
  virtual void changed_outside() {}

  // ---- The server -------------------------------------------------------------------------------
  virtual void event(Instant, const Event&) {}
  virtual void effect(const Effect&) {}
  virtual void stepped(const Engine&) {}
  // All handles and connections are gone; the disk is as the crash left it.
  virtual void crashed(CrashKind) {}
  virtual void restarted() {}

  // ---- The clients ------------------------------------------------------------------------------
  virtual void session(const SessionFacts&) {}
  // A connection just opened is this client's; clients count from 0.
  virtual void called(ConnectionId, uint32_t /*client*/) {}
  // The client has closed its end. What it sent before may still arrive.
  virtual void hung_up(ConnectionId) {}
  // The client at the other end of this connection keeps all rules.
  virtual void honest(ConnectionId) {}
  // A command of a client has its final answer: the start of the request's element (header and
  // fixed part), and the answer's, both in the clear.
  virtual void answered(uint32_t /*client*/, Bytes /*request*/, Bytes /*answer*/) {}

  // Everything healed, every request answered, every connection closed: nothing may be left.
  virtual void rested(const Engine&) {}
};

}  // namespace semblance::sim
