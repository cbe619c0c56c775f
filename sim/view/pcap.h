#pragma once
// A run as a capture of packets: what passed between the clients and the server, as a tap beside
// the server would have seen it. Raw IPv4 in the pcap format with nanoseconds; client N
// is 10.0.0.N+1, the server 10.0.1.1 port 445. A connection is a TCP connection without loss or
// repetition: a byte stands in the frame of the moment in which it reached the engine, or left it.

#include <cstdio>
#include <map>
#include <string>

#include "sim/world/observer.h"

namespace semblance::sim {

class PcapWriter : public Observer {
 public:
  // Writes the file's header. `out` outlives the writer and is flushed after each frame, so that
  // the file is whole up to the moment in which a run aborts.
  explicit PcapWriter(FILE* out);

  void begins(const Scheduler& clock) override { clock_ = &clock; }
  void called(ConnectionId id, uint32_t client) override;
  void delivered(ConnectionId id, Bytes bytes) override;
  void transmitted(ConnectionId id, Bytes bytes) override;
  void hung_up(ConnectionId id) override;
  void effect(const Effect& effect) override;
  void crashed(CrashKind kind) override;
  void restarted() override { server_dead_ = false; }
  void closed(ConnectionId id) override;

 private:
  enum Side : size_t { kClient, kServer };
  // Who ended a connection: what closes it on the wire.
  enum class End : uint8_t { kBroken, kByClient, kByServer };
  struct Flow {
    uint32_t client = 0;
    uint16_t port = 0;
    uint32_t next[2] = {};  // sequence number of each side's next byte
    End end = End::kBroken;
  };

  void data(ConnectionId id, Side from, Bytes bytes);
  // One frame; its bytes, and a SYN or FIN, count in the sequence numbers.
  void frame(Flow& flow, Side from, uint8_t flags, Bytes payload);

  FILE* out_;
  const Scheduler* clock_ = nullptr;
  std::map<uint32_t, Flow> flows_;  // by generation
  bool server_dead_ = false;
};

}  // namespace semblance::sim
