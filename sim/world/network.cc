#include "sim/world/network.h"

#include <algorithm>

#include "engine/base/check.h"

namespace semblance::sim {

namespace {

constexpr Duration kLatency{100'000};      // loopback and a little more
constexpr uint32_t kDelayUsMax = 400'000;  // at the highest level
constexpr uint32_t kStallMsMax = 8'000;
constexpr size_t kPiecesMax = 4;  // of one send

Network::Side other(Network::Side side) {
  return side == Network::Side::kClient ? Network::Side::kServer : Network::Side::kClient;
}

}  // namespace

void Network::open(ConnectionId connection, NetworkEnd& client, NetworkEnd& server) {
  Link& link = links_[connection.generation];
  link.id = connection;
  link.ends[0] = &client;
  link.ends[1] = &server;
}

Network::Link* Network::find(uint32_t generation) {
  auto found = links_.find(generation);
  return found == links_.end() ? nullptr : &found->second;
}

Duration Network::delay(const Link& link) {
  Duration delay = kLatency;
  uint64_t entity = link.id.generation;
  if (uint32_t level = swarm_.level(FaultClass::kDelay); level != 0) {
    uint32_t most = std::max(1u, kDelayUsMax / Swarm::kLevelMax * level);
    delay.ns += int64_t{chooser_.log_uniform(Site::kDelay, entity, most)} * 1000;
  }
  if (chooser_.chance(Site::kStall, entity, swarm_.ppm(FaultClass::kStall, 20'000)))
    delay.ns += int64_t{1 + chooser_.pick(Site::kStall, entity, kStallMsMax)} * 1'000'000;
  return delay;
}

void Network::queue(Link& link, Side from, Bytes bytes, bool end) {
  auto side = static_cast<size_t>(from);
  Direction& direction = link.from[side];
  // In order, whatever the delays.
  Instant arrives = std::max(scheduler_.now() + delay(link), direction.last_arrival);
  direction.last_arrival = arrives;
  direction.under_way.push_back({arrives, {bytes.begin(), bytes.end()}, end});
  uint64_t token = (uint64_t{link.id.generation} << 1) | side;
  scheduler_.wake(*this, arrives, token);
}

void Network::send(ConnectionId connection, Side from, Bytes bytes) {
  Link* link = find(connection.generation);
  if (link == nullptr || bytes.empty()) return;
  if (link->from[static_cast<size_t>(from)].closed) return;
  uint64_t entity = connection.generation;
  for (size_t pieces = 1; pieces < kPiecesMax && bytes.size() > 1; ++pieces) {
    if (!chooser_.chance(Site::kSplit, entity, swarm_.ppm(FaultClass::kSplit, 600'000))) break;
    uint32_t at = 1 + chooser_.pick(Site::kSplit, entity, static_cast<uint32_t>(bytes.size()) - 1);
    queue(*link, from, bytes.first(at), false);
    bytes = bytes.subspan(at);
  }
  queue(*link, from, bytes, false);
}

void Network::close(ConnectionId connection, Side by) {
  Link* link = find(connection.generation);
  if (link == nullptr) return;
  Direction& direction = link->from[static_cast<size_t>(by)];
  if (direction.closed) return;
  direction.closed = true;
  queue(*link, by, {}, true);
}

void Network::reset(ConnectionId connection, bool silently) {
  Link* link = find(connection.generation);
  if (link == nullptr) return;
  Link gone = std::move(*link);
  links_.erase(connection.generation);
  if (silently) return;
  for (size_t side = 0; side < 2; ++side)
    if (!gone.from[side].closed) gone.ends[side]->broke(connection);
}

void Network::woken(uint64_t token) {
  Link* link = find(static_cast<uint32_t>(token >> 1));
  if (link != nullptr) deliver(*link, static_cast<Side>(token & 1));
}

void Network::deliver(Link& link, Side from) {
  auto side = static_cast<size_t>(from);
  Direction& direction = link.from[side];
  CHECK(!direction.under_way.empty());
  Chunk chunk = std::move(direction.under_way.front());
  direction.under_way.pop_front();
  ConnectionId id = link.id;
  uint64_t entity = id.generation;
  NetworkEnd& sender = *link.ends[side];
  auto far = static_cast<size_t>(other(from));
  NetworkEnd& receiver = *link.ends[far];
  if (chunk.end) {
    bool receiver_listens = !link.from[far].closed;
    links_.erase(id.generation);
    if (receiver_listens) receiver.broke(id);
    return;
  }
  if (chooser_.chance(Site::kCorrupt, entity, swarm_.ppm(FaultClass::kCorrupt, 3'000))) {
    uint32_t at = chooser_.pick(Site::kCorrupt, entity, static_cast<uint32_t>(chunk.bytes.size()));
    chunk.bytes[at] ^= static_cast<uint8_t>(1 + chooser_.pick(Site::kCorrupt, entity, 255));
  }
  bool breaks = chooser_.chance(Site::kReset, entity, swarm_.ppm(FaultClass::kReset, 5'000));
  if (breaks)
    chunk.bytes.resize(
        chooser_.pick(Site::kReset, entity, static_cast<uint32_t>(chunk.bytes.size()) + 1));
  bool receiver_listens = !link.from[far].closed;
  if (!direction.closed) sender.left(id, chunk.bytes.size());
  // What the ends do now may have closed it.
  if (!is_open(id)) return;
  if (receiver_listens && !chunk.bytes.empty()) receiver.arrived(id, chunk.bytes);
  if (breaks) reset(id);
}

}  // namespace semblance::sim
