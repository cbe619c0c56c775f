#pragma once
// Where decisions are made. A tape stores the names, so they outlive any renumbering; a new site
// shifts no decision of another.

#include <cstdint>
#include <string_view>

namespace semblance::sim {

// X(enumerator, name, what is decided; 0 is always the uneventful answer)
#define SEMBLANCE_SITES(X)                                                       \
  X(kSwarm, "swarm", "how strong a class of faults is in this run")              \
  X(kShape, "shape", "clients, dialects, limits, workload of this run")          \
  X(kCommand, "client.command", "what a client does next; 0: nothing")           \
  X(kArgument, "client.argument", "names, offsets, sizes, handles of a command") \
  X(kThink, "client.think", "how long a client waits between commands")          \
  X(kDepth, "client.depth", "commands a client has under way at a time")         \
  X(kMutation, "client.mutation", "what is wrong with a message")                \
  X(kHangUp, "client.hang_up", "a client leaves or loses its connection")        \
  X(kLogin, "client.login", "who logs in, and how")                              \
  X(kSplit, "net.split", "where the bytes of a send come apart")                 \
  X(kDelay, "net.delay", "how long bytes travel")                                \
  X(kStall, "net.stall", "a direction that stands still for a while")            \
  X(kReset, "net.reset", "a connection that breaks")                             \
  X(kCorrupt, "net.corrupt", "a byte that changes on its way")                   \
  X(kSendRoom, "net.send_room", "bytes that the socket takes at a time")         \
  X(kBatch, "server.batch", "how long the driver gathers before it steps")       \
  X(kLate, "server.late", "a timer that fires late")                             \
  X(kCrash, "server.crash", "the server dies at an effect")                      \
  X(kCrashPending, "server.crash_pending", "an operation under way at a crash")  \
  X(kRestart, "server.restart", "how long the server stays away")                \
  X(kReload, "server.reload", "configuration again, drain, wall clock")          \
  X(kApply, "disk.apply", "when an operation takes effect")                      \
  X(kComplete, "disk.complete", "when its completion comes back")                \
  X(kRepeat, "disk.repeat", "a completion that comes twice")                     \
  X(kDiskError, "disk.error", "an operation that fails, and how")                \
  X(kDiskPartial, "disk.partial", "what a failed operation did all the same")    \
  X(kCapacity, "disk.capacity", "bytes that the disk holds")                     \
  X(kPowerLoss, "disk.power_loss", "what a power loss leaves")                   \
  X(kOutside, "outside.act", "what is changed beside the server")                \
  X(kAccount, "account", "an account look-up: slow, failing, twice")             \
  X(kClock, "clock.jump", "a wall clock that jumps")

enum class Site : uint8_t {
#define X(enumerator, name, what) enumerator,
  SEMBLANCE_SITES(X)
#undef X
      kCount,
};

std::string_view site_name(Site site);
// kCount for a name that is none.
Site site_of(std::string_view name);

}  // namespace semblance::sim
