#pragma once
// The engine's contract: events in, effects out, transmission pulled.
//
//   driver                                engine
//     | -- step(now, events) --------------> |   runs to completion, calls nobody back, never
//     blocks | <------------------ effects ---------|   store operations, releases, notices | --
//     transmit(connection) -----------> |   what to send next; one send in flight a connection |
//     <------------------ segments --------| | ... executes, sends, waits until deadline() or the
//     next event ...
//
// Legal sequences
//   - Configure comes first, and again when shares change (limits stay as they were); then
//   WallClock and Entropy; then anything.
//   - ConnectionOpened, then any number of BytesReceived / BytesSent, then ConnectionClosed, once,
//   per
//     ConnectionId. After CloseConnection the driver sends what transmit() still yields, closes,
//     and reports ConnectionClosed.
//   - Every effect that carries an OperationId is answered by one event with that id, sooner or
//   later.
//     A late, repeated or unknown answer is legal and ignored.
//
// Bytes received
//   The driver keeps a connection's unconsumed bytes contiguous in one buffer and hands all of them
//   over each time there are more. ReceiveProgress answers every BytesReceived: `consumed` bytes
//   from the front are done with; the next message needs `wanted` contiguous bytes in all (4 when
//   unknown). When `pinned`, requests still refer to the consumed bytes: the buffer must neither
//   move nor be written (beyond its received end) until ReleaseBuffer names it; the driver carries
//   the unconsumed rest into another buffer. When `wanted` is no more than the unconsumed rest and
//   not `paused`, the engine took as much as one event may and the driver delivers the rest again.
//   A WRITE's payload so reaches the store as a slice of the receive buffer, uncopied.
//
// Determinism: effects and segments are a pure function of the state and the events. Entropy and
// the wall clock are events, so a log of events replays a run exactly.
//
// Errors: a peer's error has an NtStatus or closes its connection. CHECK aborts on what cannot be.
// No exception crosses this boundary.

#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/ids.h"
#include "engine/base/time.h"
#include "engine/config.h"
#include "engine/limits.h"
#include "engine/store.h"

namespace semblance {

// ---- Events -------------------------------------------------------------------------------------

struct Configure {
  const Config* config;  // copied during step
};
// The wall clock as of now. The engine uses the last one it was told; before the result of an
// operation that changed a directory it is told again, because it knows its own changes by their
// time.
struct WallClock {
  FileTime now;
};
// Random bytes for session ids, challenges, nonces. Any number; asked for by NeedEntropy.
struct Entropy {
  Bytes bytes;
};
struct ConnectionOpened {
  ConnectionId connection;
  std::string_view peer;  // for the log only
};
struct BytesReceived {
  ConnectionId connection;
  BufferId buffer;
  MutableBytes bytes;  // all unconsumed bytes of the connection; stable during the step
};
struct BytesSent {
  ConnectionId connection;
  size_t bytes;  // taken from the front of what transmit() yielded
};
struct ConnectionClosed {
  ConnectionId connection;
};
struct StoreDone {
  OperationId operation;
  StoreResult result;
};
// What the account database says about the user that Authenticate named.
enum class AccountState : uint8_t { kUnknown, kActive, kDisabled, kUnavailable };
struct AccountFound {
  OperationId operation;
  AccountState state;
  std::array<uint8_t, 16> nt_hash{};
  uint32_t uid = 0;
};
// No new connections, sessions or trees; idle connections are closed, others finish their requests.
struct Drain {};

using Event = std::variant<Configure, WallClock, Entropy, ConnectionOpened, BytesReceived,
                           BytesSent, ConnectionClosed, StoreDone, AccountFound, Drain>;

// ---- Effects ------------------------------------------------------------------------------------

struct RunStore {
  OperationId operation;
  StoreOperation what;
};
// Look the account up; answered by AccountFound. The views live until then.
struct Authenticate {
  OperationId operation;
  std::string_view user, domain;  // UTF-8
};
struct ReceiveProgress {
  ConnectionId connection;
  uint32_t consumed;
  uint32_t wanted;
  bool pinned;
  bool paused;  // do not deliver again before ResumeReceiving
};
// The connection takes messages again: deliver its unconsumed bytes (if any), go on receiving.
struct ResumeReceiving {
  ConnectionId connection;
};
struct ReleaseBuffer {
  BufferId buffer;
};
// There is something to pull, where there was nothing.
struct TransmitReady {
  ConnectionId connection;
};
// Send what is still to be pulled, then close, then report ConnectionClosed.
struct CloseConnection {
  ConnectionId connection;
};
struct NeedEntropy {
  size_t bytes;
};
// For the operator's log. Never affects behaviour.
enum class LogLevel : uint8_t { kError, kWarn, kInfo, kDebug };
struct LogLine {
  LogLevel level;
  ConnectionId connection;  // none: not about one connection
  uint64_t session = 0;     // 0: not about one session
  const char* what;         // a literal
  uint64_t detail = 0;      // a status, a count: what the literal says
};

using Effect = std::variant<RunStore, Authenticate, ReceiveProgress, ResumeReceiving, ReleaseBuffer,
                            TransmitReady, CloseConnection, NeedEntropy, LogLine>;

// A bounded queue that the driver owns, empties and hands in again. Capacity comes from
// Engine::effects_capacity(events); a step can not overflow it.
class EffectQueue {
 public:
  explicit EffectQueue(size_t capacity) { effects_.reserve(capacity); }

  std::span<const Effect> all() const { return effects_; }
  bool empty() const { return effects_.empty(); }
  size_t capacity() const { return effects_.capacity(); }
  void clear() { effects_.clear(); }
  // For the engine only.
  void push(Effect effect);

 private:
  std::vector<Effect> effects_;
};

// ---- Transmission -------------------------------------------------------------------------------

// Bytes of the engine, stable until BytesSent covers them or ConnectionClosed.
using Segment = Bytes;

// ---- The engine ---------------------------------------------------------------------------------

struct EngineState;
struct EngineReport;  // engine/smb/report.h: counts, gauges and ledgers

class Engine {
 public:
  explicit Engine(const Limits& limits);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Effects are appended. `events` may number at most kEventsPerStep.
  void step(Instant now, std::span<const Event> events, EffectQueue& effects);

  // Fills `segments` with what is to be sent next, in order, from the first byte not yet reported
  // sent, and returns how many it filled. Does not change state.
  size_t transmit(ConnectionId connection, std::span<Segment> segments) const;

  // When to step again even if nothing happens; Instant::never() if nothing waits.
  Instant deadline() const;

  // True once a Drain has run its course: no connection is left.
  bool drained() const;

  EngineReport report() const;

  static constexpr size_t kEventsPerStep = 256;
  static constexpr size_t effects_capacity() { return kEventsPerStep * kEffectsPerEvent; }

 private:
  std::unique_ptr<EngineState> state_;
};

}  // namespace semblance
