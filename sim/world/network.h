#pragma once
// TCP as the two ends see it: two ordered streams of bytes per connection that split, wait, stand
// still, break at any byte, and may be altered on the way.

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/ids.h"
#include "sim/choice/chooser.h"
#include "sim/world/scheduler.h"
#include "sim/world/swarm.h"

namespace semblance::sim {

// The server's and the client's end of connections.
class NetworkEnd {
 public:
  virtual ~NetworkEnd() = default;
  // Bytes arrived; valid during the call.
  virtual void arrived(ConnectionId connection, Bytes bytes) = 0;
  // `bytes` of what was sent have left this end's socket buffer.
  virtual void left(ConnectionId connection, size_t bytes) = 0;
  // The other end closed, or the connection broke. Nothing more happens on it.
  virtual void broke(ConnectionId connection) = 0;
};

class Network : public Actor {
 public:
  enum class Side : uint8_t { kClient, kServer };

  // Everything outlives the network.
  Network(Scheduler& scheduler, Chooser& chooser, const Swarm& swarm)
      : scheduler_(scheduler), chooser_(chooser), swarm_(swarm) {}

  void open(ConnectionId connection, NetworkEnd& client, NetworkEnd& server);
  // Takes a copy. Nothing happens on a connection that is not open.
  void send(ConnectionId connection, Side from, Bytes bytes);
  // What was sent arrives, then the other end hears of it. This end hears nothing any more.
  void close(ConnectionId connection, Side by);
  // Both ways at once; bytes on their way are lost. Neither end is told when `silently`.
  void reset(ConnectionId connection, bool silently = false);
  bool is_open(ConnectionId connection) const { return links_.contains(connection.generation); }

  void woken(uint64_t token) override;

 private:
  struct Chunk {
    Instant arrives;
    std::vector<uint8_t> bytes;
    bool end = false;  // the sender closed behind it
  };
  struct Direction {
    std::deque<Chunk> under_way;
    Instant last_arrival{0};
    bool closed = false;
  };
  struct Link {
    ConnectionId id;
    NetworkEnd* ends[2];
    Direction from[2];
  };

  Link* find(uint32_t generation);
  void queue(Link& link, Side from, Bytes bytes, bool end);
  Duration delay(const Link& link);
  void deliver(Link& link, Side from);

  Scheduler& scheduler_;
  Chooser& chooser_;
  const Swarm& swarm_;
  std::map<uint32_t, Link> links_;  // by generation, which no two connections share
};

}  // namespace semblance::sim
