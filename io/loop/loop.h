#pragma once
// One engine thread: sockets, store and clock on one side, the engine on the other.
//
// An iteration: wait for completions (one system call) -> step the engine with what happened ->
// run its store operations at once, or hand those that may wait to the workers -> step again with
// the results until it is quiet -> queue one send per connection that has something to send, and
// receives -> wait, which submits them.
//
// The loop knows no protocol rule. It decides nothing that the engine can see except order and
// timing; every event passes through deliver(), where an observer sees it (io/loop/observer.h).

#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "io/accounts.h"
#include "io/loop/backend.h"
#include "io/loop/connection.h"
#include "io/loop/listener.h"
#include "io/loop/observer.h"
#include "io/loop/receive_buffers.h"
#include "io/store/store.h"
#include "io/workers/worker_pool.h"

namespace semblance {

struct LoopCounters {
  uint64_t iterations = 0;
  uint64_t steps = 0, events = 0;
  uint64_t store_inline = 0, store_waiting = 0;  // operations run at once, handed to workers
  uint64_t store_merged = 0;                     // of those at once: together with neighbours
  uint64_t accepted = 0, refused = 0;
  uint64_t bytes_received = 0, bytes_sent = 0;
  uint64_t receive_buffer_bytes = 0;  // a gauge
};

class Loop {
 public:
  // Bytes of receive buffers handed out at a time, or four of the largest messages if that is more.
  static constexpr size_t kReceiveBytes = 256 << 20;

  // All references outlive the loop. To be used on one thread, the one that made `backend`.
  Loop(Engine& engine, Store& store, const AccountDatabase& accounts, const Limits& limits,
       std::unique_ptr<Backend> backend);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Sees every step from now on; to be set before configure(), outlives the loop.
  void observe(StepObserver* observer) { observer_ = observer; }
  // Comes first; again after a reload.
  void configure(const Config& config);
  void listen(Listener listener);
  // Calls back whenever `fd` is readable; it stays watched. Returns the watch's number.
  uint32_t watch(int fd, std::function<void()> readable);
  // Called a few times a second while something happens, and once when things have become quiet.
  void on_quiet(std::function<void(const LoopCounters&)> publish) { publish_ = std::move(publish); }

  // No new connections; run() returns when the engine has none left.
  void drain();
  void run();
  // One iteration, for tests: waits at most `limit` (negative: no limit).
  void iterate(Duration limit = {-1});

  const LoopCounters& counters() const { return counters_; }

 private:
  // Rounds of stepping within one iteration, before the network is looked at again.
  static constexpr int kRoundsMax = 32;
  static constexpr int kAcceptsMax = 64;
  static constexpr Duration kAcceptPause = Duration::seconds(1);
  static constexpr Duration kPublishEvery = Duration::milliseconds(250);
  // What a peer that does not read may delay the closing of its connection.
  static constexpr Duration kLingerMax = Duration::seconds(10);
  static constexpr uint32_t kWorkersWatch = 0;

  // loop.cc
  Duration time_to_wait(Duration limit) const;
  void on_completion(const Completion& completion);
  void resume_accepting();
  void run_engine();
  // The one way to the engine.
  void deliver(std::span<const Event> events);
  void carry_out(const RunStore& effect);
  // The store operations of a step, in their order, neighbours together.
  void run_store();
  void carry_out(const Authenticate& effect);
  void carry_out(const ReceiveProgress& effect);
  void carry_out(const ResumeReceiving& effect);
  void carry_out(const ReleaseBuffer& effect);
  void carry_out(const TransmitReady& effect);
  void carry_out(const CloseConnection& effect);
  void carry_out(const NeedEntropy& effect);
  void carry_out(const LogLine& effect);
  void collect_workers();
  void publish_if_due();

  // connections.cc
  Connection* find(ConnectionId id);
  void accept_from(size_t listener);
  void open_connection(Accepted accepted);
  void on_received(Connection& connection, int32_t result);
  void on_sent(Connection& connection, int32_t result);
  // Whether a BytesReceived can be made of what the connection has; makes it.
  void deliver_bytes(Connection& connection);
  void deliver_again();
  // Moves the unconsumed rest into a buffer of at least `size` bytes; false when there is none now.
  bool carry_over(Connection& connection, size_t size);
  void want_receive(Connection& connection);
  void arm_receives();
  void arm_receive(Connection& connection);
  void want_transmit(Connection& connection);
  void pull_transmits();
  void begin_close(Connection& connection);
  void finish_close_if_done(Connection& connection);
  void free_closed();
  void cut_lingering();
  void starve(Connection& connection);

  Engine& engine_;
  Store& store_;
  const AccountDatabase& accounts_;
  std::unique_ptr<Backend> backend_;
  WorkerPool workers_;
  ReceiveBuffers buffers_;
  Config config_;

  std::vector<Connection> connections_;  // by slot; made once, addresses stay
  std::vector<uint32_t> free_slots_;
  // Slots with something to do at the end of the iteration; each once, by a flag in it.
  std::vector<uint32_t> to_receive_, to_transmit_, to_deliver_, closed_;
  std::deque<uint32_t> starved_;     // wait for a receive buffer
  std::vector<uint32_t> lingering_;  // to be closed once all is sent
  bool buffers_freed_ = false;
  Instant refusal_logged_ = {INT64_MIN / 2};

  struct Watch {
    int fd;
    std::function<void()> readable;
  };
  std::deque<Watch> watches_;  // by id; addresses stay
  struct Listening {
    Listener listener;
    uint32_t watch;
    bool paused = false;  // no descriptors: looked at again at accept_again_
  };
  std::vector<Listening> listeners_;
  Instant accept_again_ = Instant::never();

  EffectQueue effects_;
  std::vector<const RunStore*> to_run_;
  std::vector<const StoreOperation*> neighbours_;
  std::vector<Event> events_, delivering_;
  std::deque<std::vector<uint8_t>> entropy_;  // until delivered
  std::vector<Completion> completions_;
  std::vector<WorkerPool::Finished> finished_;

  Instant now_;
  bool draining_ = false;
  Instant drain_until_ = Instant::never();
  Duration drain_limit_;
  LoopCounters counters_;
  StepObserver* observer_ = nullptr;
  std::function<void(const LoopCounters&)> publish_;
  Instant published_at_;
  bool unpublished_ = false;
};

}  // namespace semblance
