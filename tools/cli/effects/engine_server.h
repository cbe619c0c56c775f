#pragma once
// The engine over a store, without sockets, clocks or chance: the same requests, the same steps.
// It batches as the driver does (io/loop/loop.cc): one step with what was received, one with the
// results of all store operations, one transmission. The meter runs while the engine does.

#include <map>
#include <vector>

#include "io/accounts.h"
#include "io/store/memory_store.h"
#include "tools/cli/effects/server.h"

namespace semblance::effects {

class EngineServer : public Server {
 public:
  explicit EngineServer(Meter& meter);

  std::unique_ptr<Wire> connect() override;
  EngineReport report() const override { return engine_.report(); }
  void pass_time() override;

 private:
  class Connection;

  void step(std::span<const Event> events);
  void run();
  void on(const RunStore& effect);
  void on(const Authenticate& effect);
  void on(const ReceiveProgress& effect);
  void on(const ResumeReceiving& effect);
  void on(const ReleaseBuffer& effect) { buffers_.erase(effect.buffer); }
  void on(const TransmitReady&) {}  // everybody is asked
  void on(const CloseConnection& effect);
  void on(const NeedEntropy& effect);
  void on(const LogLine&) {}
  Connection& find(ConnectionId id);

  Meter& meter_;
  Config config_ = small_config();
  MemoryStore store_;
  AccountDatabase accounts_;
  Engine engine_;
  EffectQueue effects_;
  std::vector<Event> events_, delivering_;
  std::vector<std::vector<uint8_t>> entropy_;  // until delivered
  std::vector<Connection*> connections_;
  std::map<BufferId, std::vector<uint8_t>> buffers_;  // delivered and not given back
  uint32_t next_buffer_ = 1, next_generation_ = 1;
  Instant now_{1'000'000'000};
  FileTime wall_ = FileTime::from_unix(1'700'000'000, 0);
  uint8_t next_random_ = 1;
};

}  // namespace semblance::effects
