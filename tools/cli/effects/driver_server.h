#pragma once
// The real driver, in this process and on this thread: the loop, a store on disk, a socket on the
// loopback interface. The meter runs while the loop does; the engine's own effects are counted too.

#include <string>

#include "io/loop/loop.h"
#include "io/store/posix_store.h"
#include "tools/cli/effects/server.h"

namespace semblance::effects {

class DriverServer : public Server, private StepObserver {
 public:
  // Serves `directory`.
  DriverServer(const std::string& directory, Meter& meter);

  std::unique_ptr<Wire> connect() override;
  EngineReport report() const override { return engine_.report(); }

 private:
  class Socket;

  void before_step(const Engine&, Instant, std::span<const Event>) override;
  void after_step(std::span<const Effect> effects) override;
  // One round of the loop, which waits for so long at most.
  void iterate(Duration limit);

  Meter& meter_;
  Config config_ = small_config();
  AccountDatabase accounts_;
  std::unique_ptr<PosixStore> store_;
  Engine engine_;
  Loop loop_;
  std::string address_;
};

}  // namespace semblance::effects
