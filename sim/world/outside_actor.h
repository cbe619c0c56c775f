#pragma once
// Somebody at the server's own machine: changes files beside the server, at odd moments.

#include <functional>

#include "sim/choice/chooser.h"
#include "sim/disk/outside.h"
#include "sim/world/observers.h"
#include "sim/world/scheduler.h"
#include "sim/world/swarm.h"

namespace semblance::sim {

class OutsideActor : public Actor {
 public:
  // `wall` tells the time that changes are stamped with.
  OutsideActor(Scheduler& scheduler, Chooser& chooser, const Swarm& swarm, Disk& disk,
               Observers& observers, std::function<FileTime()> wall)
      : scheduler_(scheduler),
        chooser_(chooser),
        swarm_(swarm),
        disk_(disk),
        outside_(disk),
        observers_(observers),
        wall_(std::move(wall)) {}

  // Acts from now on, as long as the fault is on.
  void start();
  void woken(uint64_t token) override;

 private:
  void act();

  Scheduler& scheduler_;
  Chooser& chooser_;
  const Swarm& swarm_;
  Disk& disk_;
  Outside outside_;
  Observers& observers_;
  std::function<FileTime()> wall_;
  uint32_t acts_ = 0;
};

}  // namespace semblance::sim
