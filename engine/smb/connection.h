#pragma once
// MS-SMB2 3.3.1.7 Per Transport Connection: a composition of framing, window, pins and outbox.

#include "engine/crypto/preauth.h"
#include "engine/engine.h"
#include "engine/smb/credits.h"
#include "engine/smb/pins.h"
#include "engine/smb/session.h"
#include "engine/smb/transmit.h"
#include "engine/wire/negotiate.h"
#include "engine/wire/negotiate_contexts.h"

namespace semblance::smb {

// What a connection may say next:
//
//   kFresh --SMB1 negotiate, wildcard--> kWildcard --NEGOTIATE--> kNegotiated --> kClosing
//      \---------- NEGOTIATE, or SMB1 negotiate 2.002 ----------------^
enum class ConnectionPhase : uint8_t { kFresh, kWildcard, kNegotiated, kClosing };

struct Connection {
  Connection(ConnectionId id, const Limits& limits, Instant now)
      : id(id), opened(now), window(limits.credits) {}

  ConnectionId id;
  Instant opened;
  ConnectionPhase phase = ConnectionPhase::kFresh;

  // Connection.Dialect, ClientGuid, ClientCapabilities, ClientSecurityMode, ServerCapabilities, ...
  wire::Dialect dialect = wire::Dialect::kSmb202;
  wire::Guid client_guid{};
  uint32_t client_capabilities = 0;
  uint16_t client_security_mode = 0;
  uint32_t server_capabilities = 0;
  uint16_t server_security_mode = 0;
  bool supports_multi_credit = false;
  wire::Cipher cipher = wire::Cipher::kNone;
  crypto::SigningAlgorithm signing_algorithm = crypto::SigningAlgorithm::kHmacSha256;
  crypto::PreauthHash preauth;  // 3.1.1: Connection.PreauthIntegrityHashValue
  uint32_t max_transact = 0, max_read = 0, max_write = 0;

  CreditWindow window;
  Pins pins;
  BufferId receiving = BufferId::kNone;  // the buffer whose bytes are being taken in right now
  Outbox outbox;
  SessionList sessions;
  uint32_t requests = 0;        // being worked on, the asynchronous ones included
  uint32_t async_requests = 0;  // answered PENDING
  bool announced = false;       // TransmitReady was said and the outbox has not been empty since
  bool authenticated = false;   // a session of it was valid once: large messages are taken
  bool paused = false;          // no more messages until there is room again

  bool is_311() const { return dialect == wire::Dialect::kSmb311; }
  bool is_3x() const { return dialect >= wire::Dialect::kSmb300; }
};

}  // namespace semblance::smb
