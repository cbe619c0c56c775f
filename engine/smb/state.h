#pragma once
// All of the engine's state, and the few operations on it that every part needs.

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/base/ring.h"
#include "engine/engine.h"
#include "engine/share/file_table.h"
#include "engine/share/name_index.h"
#include "engine/smb/connection.h"
#include "engine/smb/mark_counts.h"
#include "engine/smb/report.h"
#include "engine/smb/request.h"

namespace semblance {

namespace smb {

class Call;
using Step = std::optional<Outcome>;  // nullopt: goes on when the store has answered
using Continuation = Step (*)(Call, const StoreResult&);

// A store operation or an account look-up under way. Found again by the id in its completion.
struct Operation {
  RequestId request;
  Continuation then = nullptr;     // of a plain command
  std::coroutine_handle<> waiter;  // of a coroutine; then `result` or `account` is in its frame
  StoreResult* result = nullptr;
  AccountFound* account = nullptr;
  bool is_close = false;  // a handle given back; nobody waits for it
};

// Random bytes that the driver delivered, and how many more to ask for.
class EntropyPool {
 public:
  static constexpr size_t kWanted = 512;
  void add(Bytes bytes);
  bool take(MutableBytes out);  // false: not enough yet
  size_t missing() const { return kWanted > bytes_.size() ? kWanted - bytes_.size() : 0; }
  bool asked = false;

 private:
  std::vector<uint8_t> bytes_;
};

// The connections, at the index that the driver chose.
class ConnectionTable {
 public:
  explicit ConnectionTable(uint32_t capacity) : slots_(capacity) {}
  Connection* find(ConnectionId id) {
    if (id.index >= slots_.size() || !slots_[id.index] || slots_[id.index]->id != id)
      return nullptr;
    return slots_[id.index].get();
  }
  const Connection* find(ConnectionId id) const {
    return const_cast<ConnectionTable*>(this)->find(id);
  }
  // Null when the index is out of range or in use.
  Connection* open(ConnectionId id, const Limits& limits, Instant now);
  void close(ConnectionId id);
  uint32_t size() const { return size_; }
  template <typename Visit>
  void for_each(Visit visit) {
    for (auto& slot : slots_)
      if (slot) visit(*slot);
  }

 private:
  std::vector<std::unique_ptr<Connection>> slots_;
  uint32_t size_ = 0;
};

}  // namespace smb

struct EngineState {
  explicit EngineState(const Limits& limits);

  Limits limits;
  Config config;
  Instant now;
  FileTime wall;
  FileTime started;
  bool configured = false;
  bool draining = false;
  Instant drain_deadline = Instant::never();
  EffectQueue* effects = nullptr;  // during a step

  smb::EntropyPool entropy;
  smb::ConnectionTable connections;
  smb::SessionPool sessions;
  smb::TreePool trees;
  smb::OpenPool opens;
  smb::FramePool frames;  // before the requests, whose coroutines live in it
  Pool<smb::Request, smb::RequestId> requests;
  Pool<smb::Operation, OperationId> operations;
  smb::TransmitPool transmit;
  share::FileTable files;
  share::NameIndex names;

  uint32_t async_requests = 0;                       // of all connections: answered PENDING
  uint64_t unlinks = 0;                              // files deleted so far
  std::unordered_set<std::u16string> claimed_names;  // engine/smb/name_claims.h
  smb::RequestId path_owner;                         // that renames a directory, or waits to
  uint32_t on_paths = 0;                             // CREATEs on their way
  uint32_t claim_waiters = 0;                        // requests that wait for one of these
  uint32_t closes = 0;                               // handles given back, not yet taken
  smb::Pins orphan_pins;                             // of requests whose connection is gone
  Ring<smb::RequestId> woken;                        // requests whose wait has ended in this step
  Ring<smb::OpenSlot> orphans;                       // opens whose tree is gone, still to be closed
  Ring<ConnectionId> unauthenticated;                // oldest first
  std::vector<ConnectionId> paused;                  // connections that wait for room
  Ring<smb::RequestId> slow;  // started requests, for the interim reply, oldest first

  std::array<smb::LedgerRow, smb::kShapes> ledgers{};
  smb::Counters counters;
  smb::MarkCounts marks{};  // SOMETIMES, engine/smb/marks.h

  void emit(Effect effect) { effects->push(effect); }
  void log(LogLevel level, ConnectionId connection, const char* what, uint64_t detail = 0,
           uint64_t session = 0) {
    emit(LogLine{level, connection, session, what, detail});
  }
};

}  // namespace semblance
