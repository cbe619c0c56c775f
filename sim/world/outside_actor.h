#pragma once
// Somebody at the server's own machine: changes files beside the server, at odd moments.

#include <functional>

#include "sim/choice/chooser.h"
#include "sim/disk/outside.h"
#include "sim/world/observers.h"
#include "sim/world/scheduler.h"
#include "sim/world/server.h"
#include "sim/world/swarm.h"

namespace semblance::sim {

class OutsideActor : public Actor {
 public:
  OutsideActor(Scheduler& scheduler, Chooser& chooser, const Swarm& swarm, Disk& disk,
               const Server& server, Observers& observers)
      : scheduler_(scheduler),
        chooser_(chooser),
        swarm_(swarm),
        disk_(disk),
        server_(server),
        outside_(disk),
        observers_(observers) {}

  // Acts from now on, as long as the fault is on.
  void start();
  void woken(uint64_t token) override;

 private:
  void act();

  Scheduler& scheduler_;
  Chooser& chooser_;
  const Swarm& swarm_;
  Disk& disk_;
  const Server& server_;  // at the same machine: its clock is this one's
  Outside outside_;
  Observers& observers_;
  uint32_t acts_ = 0;
};

}  // namespace semblance::sim
