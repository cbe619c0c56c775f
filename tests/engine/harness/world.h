#pragma once
// An in-process world for the engine: Engine, MemoryStore and any number of clients, all driven by
// hand. Nothing happens by itself: bytes move, store operations run and time passes when the test
// says so, or when run() is called.
//
// Every step is held against the contract of engine/engine.h; what breaks it is a test failure. At
// rest nothing may be left over: see settle().

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/client/sync_client.h"
#include "engine/engine.h"
#include "engine/smb/report.h"
#include "io/loop/observer.h"
#include "io/store/memory_store.h"

namespace semblance::test {

using client::Client;
using client::CreateArgs;
using client::Reply;
using client::Request;
using client::SyncClient;
using client::Tree;
using wire::CreateDisposition;
using wire::FileId;
using wire::FileInfoClass;

inline constexpr ShareId kDataShare{0};
inline constexpr ShareId kReadOnlyShare{1};
inline constexpr ShareId kGuestShare{2};

struct Account {
  std::string password;
  AccountState state = AccountState::kActive;
};

// Shares "data", "fixed" (read-only) and "open" (for guests too); user "anna", password "secret",
// and "gone", who is disabled.
struct WorldOptions {
  Limits limits;
  Requirement signing = Requirement::kAuto;
  Requirement encryption = Requirement::kAuto;
  bool encrypt = false;  // share "data" is to be sealed
  bool guests = true;
  uint64_t seed = 1;
  StepObserver* observer = nullptr;  // sees every step; outlives the world
  std::map<std::string, Account> accounts = {
      {"anna", {"secret"}}, {"bert", {"hidden"}}, {"gone", {"secret", AccountState::kDisabled}}};
};

class World;

// One connection and the client at its other end.
class Peer {
 public:
  Peer(World& world, ConnectionId id, client::Options options);

  Client& client() { return client_; }
  SyncClient& sync() { return sync_; }
  ConnectionId id() const { return id_; }
  bool open() const { return open_; }

  // Logs in and connects to a share; an ordinary user of the dialect that was negotiated.
  client::Login login(std::string user = "anna", std::string password = "secret") const;
  client::Session& log_in(std::string user = "anna", std::string password = "secret");
  // Negotiated, logged in as anna, connected to `share`. A failure is a test failure.
  Tree connect(std::u16string share = u"data");
  Tree tree(const client::Session& session, std::u16string share);
  client::Session& session() { return *session_; }

  // A file with these bytes, opened for everything; CHECKs that it worked.
  FileId file(const Tree& tree, std::u16string name, std::string_view content = "");
  FileId directory(const Tree& tree, std::u16string name);

 private:
  friend class World;

  World& world_;
  ConnectionId id_;
  Client client_;
  SyncClient sync_;
  client::Session* session_ = nullptr;
  bool open_ = true;
  bool close_asked_ = false;  // by the engine
  bool paused_ = false;
  bool ready_ = false;          // TransmitReady was said and not everything has been pulled since
  bool more_ = false;           // the engine asked for the rest again
  std::vector<uint8_t> inbox_;  // sent by the client, not yet consumed by the engine
  size_t fresh_ = 0;            // of those, how many the engine has not seen
  size_t wanted_ = 4;
};

// A store operation or account look-up that the engine waits for.
struct Held {
  OperationId id;
  std::variant<StoreOperation, Authenticate> what;
  bool is_store() const { return std::holds_alternative<StoreOperation>(what); }
};

class World {
 public:
  explicit World(WorldOptions options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Engine& engine() { return engine_; }
  MemoryStore& store() { return store_; }
  EngineReport report() const { return engine_.report(); }

  Peer& add_peer(client::Options options = {});
  // The peer's end goes away, at once.
  void disconnect(Peer& peer);
  // The same, and the Peer is gone; with kCheck, its client must have found no fault.
  enum class Faults : uint8_t { kCheck, kIgnore };
  void remove(Peer& peer, Faults faults);

  // ---- Moving things ----------------------------------------------------------------------------
  // Delivers what the client has sent: all of it, or its first `bytes`. False if there is none.
  bool deliver(Peer& peer, size_t bytes = SIZE_MAX);
  // Takes what the engine has to send: all of it, or at most `bytes`. False if there is none.
  bool collect(Peer& peer, size_t bytes = SIZE_MAX);
  // Everything that can move without time passing, held operations apart. False if nothing could.
  bool run();
  // Time passes, the engine's deadlines on the way are met.
  void advance(Duration by);
  Instant now() const { return now_; }
  FileTime wall() const { return wall_; }

  // ---- Store operations -------------------------------------------------------------------------
  // Operations for which it says yes are held back until complete().
  using Filter = std::function<bool(const StoreOperation&)>;
  void hold(Filter filter) { filter_ = std::move(filter); }
  void hold_all() {
    filter_ = [](const StoreOperation&) { return true; };
  }
  void hold_nothing() { filter_ = nullptr; }
  void hold_accounts(bool hold) { hold_accounts_ = hold; }
  std::vector<Held>& held() { return held_; }
  // Runs the held operation at this position and reports it, `times` times over.
  void complete(size_t index = 0, int times = 1);
  void complete_all(int times = 1);
  // Makes a file, or a directory, beside the server. Its parent exists; nothing has the name.
  void make_outside(std::string_view path, OpenWhat what = OpenWhat::kNewFile,
                    std::string_view content = "", ShareId share = kDataShare);
  // Results other than the store's own: a value from it replaces the execution.
  using Override = std::function<std::optional<StoreResult>(const StoreOperation&)>;
  void override_store(Override what) { override_ = std::move(what); }
  // Operations that the engine has started since the last call, by kind.
  std::array<uint32_t, kStoreOperationKinds> take_operations();
  uint32_t take_operation_count();

  // ---- Events by hand ---------------------------------------------------------------------------
  void step(std::span<const Event> events);
  void step(const Event& event) { step(std::span(&event, 1)); }
  void drain() { step(Drain{}); }
  // Around Engine::step: for what is to be measured.
  std::function<void()> before_step, after_step;

  // Bytes per transmission; everything at once by default.
  void send_at_most(size_t bytes) { send_max_ = bytes; }

  // Completes what is held, closes all connections, and expects the engine and the store empty.
  void settle();
  // What must hold whenever nothing is under way: no request, frame, pin or byte to send.
  void expect_quiet();

 private:
  struct Buffer {
    std::unique_ptr<uint8_t[]> bytes;
    size_t size = 0;
    std::vector<uint8_t> copy;
    bool sealed = false;  // holds a sealed message, which is deciphered in place as it is delivered
  };

  void on(const RunStore& effect);
  void on(const Authenticate& effect);
  void on(const ReceiveProgress& effect);
  void on(const ResumeReceiving& effect);
  void on(const ReleaseBuffer& effect);
  void on(const TransmitReady& effect);
  void on(const CloseConnection& effect);
  void on(const NeedEntropy& effect);
  void on(const LogLine&) {}

  void bare_step(std::span<const Event> events);
  Peer* find(ConnectionId id);
  void give_entropy(size_t bytes);
  void complete(const Held& held, int times);
  void finish_closing(Peer& peer);
  void free_buffer(BufferId id);
  void meet_deadline();
  void expect_transmit_announced();
  static void expect_no_faults(const Peer& peer);

  WorldOptions options_;
  MemoryStore store_;
  Engine engine_;
  EffectQueue effects_;
  Config config_;
  Instant now_{1'000'000'000};
  FileTime wall_ = FileTime::from_unix(1'700'000'000, 0);
  uint64_t random_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<uint32_t> free_indexes_;
  uint32_t next_index_ = 0, next_generation_ = 1;

  std::map<BufferId, Buffer> buffers_;  // delivered and not yet given back
  uint32_t next_buffer_ = 1;
  Peer* receiving_ = nullptr;
  BufferId receiving_buffer_ = BufferId::kNone;
  size_t delivered_ = 0;
  bool progressed_ = false;

  Filter filter_;
  Override override_;
  bool hold_accounts_ = false;
  std::vector<Held> held_, ready_;
  std::multiset<StoreHandle> in_use_;  // by operations that are not done
  std::array<uint32_t, kStoreOperationKinds> operations_{};
  size_t send_max_ = SIZE_MAX;
  bool settled_ = false;
};

// Names of statuses in failures.
std::string show(NtStatus status);

}  // namespace semblance::test

namespace semblance {
inline void PrintTo(NtStatus status, std::ostream* out) { *out << test::show(status); }
}  // namespace semblance
