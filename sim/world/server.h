#pragma once
// The driver of the simulated world: does with virtual time, network and disk what io/loop does
// with real ones, and holds every step against the contract of engine/engine.h. It also dies and
// comes back.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "sim/disk/disk.h"
#include "sim/world/failure.h"
#include "sim/world/network.h"
#include "sim/world/observers.h"

namespace semblance::sim {

struct SimAccount {
  std::string name;
  std::array<uint8_t, 16> nt_hash{};
  AccountState state = AccountState::kActive;
};

struct ServerOptions {
  Config config;  // limits included
  std::vector<SimAccount> accounts;
  uint64_t entropy_seed = 0;
  FileTime wall;
  // Dies at the effect of this number, counted from 1, if that is a store operation; 0: never.
  uint64_t crash_at_effect = 0;
  CrashKind crash_kind = CrashKind::kKill;
  // An empty one of at least Server::effects_capacity(), used instead of an own one: its memory is
  // the largest piece of a world. Outlives the server.
  EffectQueue* effects = nullptr;
};

class Server : public Actor, public NetworkEnd {
 public:
  Server(ServerOptions options, Scheduler& scheduler, Chooser& chooser, Swarm& swarm,
         Network& network, Disk& disk, Observers& observers, Failures& failures);
  ~Server() override;

  static size_t effects_capacity();

  // A new connection whose other end is `client`; none while the server is away.
  ConnectionId connect(NetworkEnd& client);
  // The death of the process and what follows, by hand.
  void crash(CrashKind kind);
  void drain();

  bool running() const { return engine_ != nullptr; }
  const Engine& engine() const { return *engine_; }
  uint64_t effects() const { return effect_count_; }
  FileTime wall() const;
  bool requires_signing() const { return options_.config.signing == Requirement::kRequired; }
  // SOMETIMES points that any life of the engine has reached.
  std::array<uint8_t, 128> marks() const;
  // Nothing is under way: no event, operation or pinned buffer.
  bool idle() const { return queue_.empty() && operations_.empty() && buffers_.empty(); }
  size_t connections() const { return ports_.size(); }
  size_t operations() const { return operations_.size(); }
  size_t pinned() const { return buffers_.size(); }

  void arrived(ConnectionId connection, Bytes bytes) override;
  void left(ConnectionId connection, size_t bytes) override;
  void broke(ConnectionId connection) override;
  void woken(uint64_t token) override;

 private:
  struct Port {
    ConnectionId id;
    std::vector<uint8_t> inbox;  // received, not consumed
    size_t fresh = 0;            // at the end of inbox, not shown to the engine yet
    bool paused = false, again = false;
    bool close_asked = false, ready = false;
    size_t sending = 0;      // bytes handed to the network that have not left yet
    size_t sent_in_all = 0;  // of the same send, for BytesSent
  };
  struct Operation {
    StoreOperation what;
    std::optional<StoreResult> result;  // once it took effect
  };
  struct Queued {
    Event event;
    std::vector<uint8_t> bytes;  // what the event refers to
  };

  Port* find(ConnectionId id);
  void start();
  void disturb();
  void post(Event event, std::vector<uint8_t> bytes = {});
  void schedule_step();
  void schedule_deadline();
  void step_all();
  bool gather();
  void step();
  void handle(const Effect& effect);
  void on(const RunStore& effect);
  void on(const Authenticate& effect);
  void on(const ReceiveProgress& effect);
  void on(const ResumeReceiving& effect);
  void on(const ReleaseBuffer& effect);
  void on(const TransmitReady& effect);
  void on(const CloseConnection& effect);
  void on(const NeedEntropy& effect);
  void on(const LogLine&) {}
  bool dies_here(const Effect& effect);
  void apply(OperationId id);
  void complete(OperationId id);
  void answer_account(OperationId id, std::string user);
  void pull(Port& port);
  void finish_closing(ConnectionId id);
  void forget(ConnectionId id);
  void give_entropy(size_t bytes);
  std::vector<uint8_t> random_bytes(size_t count);
  void contract(bool holds, std::string_view what);
  uint64_t token_for(std::function<void()> what);

  ServerOptions options_;
  Scheduler& scheduler_;
  Chooser& chooser_;
  Swarm& swarm_;
  Network& network_;
  Disk& disk_;
  Observers& observers_;
  Failures& failures_;

  std::unique_ptr<Engine> engine_;
  EffectQueue own_effects_;  // of no capacity where another is used
  EffectQueue& effects_;
  std::vector<Effect> handling_;
  std::vector<Event> events_;
  std::deque<Queued> queue_, stepping_;
  std::vector<Port*> showing_;      // connections whose bytes are in this step
  std::map<uint32_t, Port> ports_;  // by generation
  std::vector<uint32_t> free_indexes_;
  uint32_t next_index_ = 0, next_generation_ = 1;
  std::map<uint32_t, std::vector<uint8_t>> buffers_;  // pinned, by BufferId
  std::map<uint32_t, std::vector<uint8_t>> lent_;     // of this step
  uint32_t next_buffer_ = 1;
  std::map<OperationId, Operation> operations_;
  std::map<uint64_t, std::function<void()>> tasks_;
  uint64_t next_task_ = 1;
  bool step_scheduled_ = false;
  Instant wall_told_{0};
  Instant deadline_scheduled_ = Instant::never();
  uint64_t random_;
  std::array<uint8_t, 128> past_marks_{};  // of earlier lives
  uint64_t effect_count_ = 0, crash_count_ = 0, operation_count_ = 0;
  int64_t wall_offset_ = 0;  // ticks that jumps have added
};

}  // namespace semblance::sim
