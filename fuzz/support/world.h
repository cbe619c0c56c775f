#pragma once
// The engine in a world for fuzzers: Engine, MemoryStore, connections. Small and quick; every step
// is held against the contract of engine/engine.h, and what breaks it aborts (CHECK).
//
// Nothing depends on anything but the calls made: the same calls, the same world, down to every id.

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/smb/report.h"
#include "fuzz/support/small_store.h"

namespace semblance::fuzz {

inline constexpr ShareId kDataShare{0};
inline constexpr ShareId kFixedShare{1};

// Limits at which a fuzzer finds their ends.
Limits tiny_limits();

struct WorldOptions {
  Limits limits = tiny_limits();
  Requirement signing = Requirement::kAuto;
  Requirement encryption = Requirement::kAuto;
};

// One connection as the world sees it.
struct Wire {
  ConnectionId id;
  bool open = true;
  bool close_asked = false;  // by the engine
  bool paused = false;
  bool ready = false;             // TransmitReady was said, not everything has been pulled
  bool more = false;              // the engine asked for the rest again
  std::vector<uint8_t> inbox;     // sent by the peer, not consumed
  size_t fresh = 0;               // of those, how many the engine has not seen
  std::vector<uint8_t> received;  // by the peer, for it to take
};

// A store operation or an account look-up under way.
struct Held {
  OperationId id;
  std::variant<StoreOperation, Authenticate> what;
};

// Accounts: "anna" with the NT hash {1, 2, 3}, "gone", who is disabled, "late", whose look-up
// fails. Shares: "data" (guests too), "fixed" (read-only), "sealed" (encrypted only).
class World {
 public:
  explicit World(const WorldOptions& options);

  Engine& engine() { return engine_; }
  SmallStore& store() { return store_; }
  FileTime wall() const { return wall_; }
  Instant now() const { return now_; }

  // A new connection; its index is good until forget_closed().
  size_t connect();
  Wire& wire(size_t index) { return *wires_[index]; }
  size_t wires() const { return wires_.size(); }
  void disconnect(size_t index);
  // Closed connections are no longer among the wires; the indexes behind them move up.
  void forget_closed();

  // The peer sends bytes; nothing is delivered yet.
  void send(size_t index, Bytes bytes);
  // Delivers what the peer has sent: all of it, or at most `bytes` that the engine has not seen.
  bool deliver(size_t index, size_t bytes = SIZE_MAX);
  // Takes what the engine has to send, at most `bytes`, into `received`.
  bool collect(size_t index, size_t bytes = SIZE_MAX);
  // Everything that can move without time passing, held operations apart.
  void run();
  // Time passes; deadlines on the way are met.
  void advance(Duration by);

  // While set, operations wait in held() for complete().
  void hold(bool hold) { hold_ = hold; }
  bool holds() const { return hold_; }
  std::vector<Held>& held() { return held_; }
  void complete(size_t index, int times = 1);
  void complete_all();
  void step(const Event& event) { step(std::span(&event, 1)); }

  // All connections closed, everything completed: CHECKs that nothing is left.
  void settle();

 private:
  struct Buffer {
    BufferId id;
    std::unique_ptr<uint8_t[]> bytes;
  };

  void step(std::span<const Event> events);
  void handle(const RunStore& effect);
  void handle(const Authenticate& effect);
  void handle(const ReceiveProgress& effect);
  void handle(const ResumeReceiving& effect);
  void handle(const ReleaseBuffer& effect);
  void handle(const TransmitReady& effect);
  void handle(const CloseConnection& effect);
  void handle(const NeedEntropy& effect);
  void handle(const LogLine&) {}

  Wire* find(ConnectionId id);
  Wire& get(ConnectionId id);
  void answer(const Held& held, int times);
  bool answer_ready();
  void finish_closing(size_t index);
  void meet_deadline();

  SmallStore store_;
  Engine engine_;
  Instant now_{1'000'000'000};
  FileTime wall_ = FileTime::from_unix(1'700'000'000, 0);
  std::vector<std::unique_ptr<Wire>> wires_;
  std::vector<uint32_t> free_indexes_;
  uint32_t next_index_ = 0;
  uint32_t next_generation_ = 1;

  std::vector<Buffer> pinned_;
  uint32_t next_buffer_ = 1;
  // The delivery under way.
  Wire* receiving_ = nullptr;
  Buffer delivery_;
  size_t delivered_ = 0;

  bool hold_ = false;
  size_t entropy_wanted_ = 0;
  uint64_t random_ = 1;
  std::vector<Held> held_, ready_;
};

}  // namespace semblance::fuzz
