#pragma once
// Which classes of faults a run has, and how strong they are. Drawn once per run and printed first:
// each class with probability 1/2, one run in twenty without any, intensities log-uniform.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/choice/chooser.h"

namespace semblance::sim {

// X(enumerator, name, meaning)
#define SEMBLANCE_FAULT_CLASSES(X)                                                     \
  X(kSplit, "split", "bytes come apart anywhere")                                      \
  X(kDelay, "delay", "bytes travel for up to seconds")                                 \
  X(kStall, "stall", "a direction stands still; sockets take little at a time")        \
  X(kReset, "reset", "connections break at any byte")                                  \
  X(kCorrupt, "corrupt", "bytes change on their way")                                  \
  X(kBatch, "batch", "the driver gathers events; timers are late")                     \
  X(kSlowDisk, "slow_disk", "operations take effect and complete later, in any order") \
  X(kRepeat, "repeat", "completions come twice")                                       \
  X(kDiskError, "disk_error", "operations fail with any error that Linux may give")    \
  X(kDiskFull, "disk_full", "the disk fills up")                                       \
  X(kCrash, "crash", "kill -9 at any effect, and restart")                             \
  X(kPowerLoss, "power_loss", "the crash is a power loss")                             \
  X(kOutside, "outside", "files change beside the server")                             \
  X(kAccount, "account", "account look-ups are slow, fail, or find nobody")            \
  X(kClock, "clock", "the wall clock jumps")                                           \
  X(kReload, "reload", "the configuration is reloaded under load")                     \
  X(kLimits, "limits", "pools of a few")                                               \
  X(kMutate, "mutate", "honest clients but for one field before signing")              \
  X(kByzantine, "byzantine", "a client that keeps no rule")                            \
  X(kHangUp, "hang_up", "clients leave and come back")

enum class FaultClass : uint8_t {
#define X(enumerator, name, meaning) enumerator,
  SEMBLANCE_FAULT_CLASSES(X)
#undef X
      kCount,
};
inline constexpr size_t kFaultClasses = static_cast<size_t>(FaultClass::kCount);

std::string_view fault_class_name(FaultClass fault);
// None for a name that is none.
std::optional<FaultClass> fault_class_of(std::string_view name);

class Swarm {
 public:
  static constexpr uint32_t kLevelMax = 1000;

  // Draws which classes are on; with `only`, exactly those are.
  static Swarm draw(Chooser& chooser, const std::optional<std::vector<FaultClass>>& only);

  bool has(FaultClass fault) const { return level(fault) != 0; }
  // 0: off; else 1 to kLevelMax.
  uint32_t level(FaultClass fault) const {
    return healed_ ? 0 : levels_[static_cast<size_t>(fault)];
  }
  // A probability in millionths: `most` at the highest level, in proportion below.
  uint32_t ppm(FaultClass fault, uint32_t most) const {
    return static_cast<uint32_t>(uint64_t{most} * level(fault) / kLevelMax);
  }
  // No faults from here on.
  void heal() { healed_ = true; }
  // "split:12 crash:700", or "none".
  std::string text() const;

 private:
  uint32_t levels_[kFaultClasses] = {};
  bool healed_ = false;
};

}  // namespace semblance::sim
