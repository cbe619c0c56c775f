#include "tests/unit/fake_engine.h"

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "engine/base/check.h"
#include "engine/engine.h"

namespace semblance {
namespace {

fake::Seen counts;

}  // namespace

namespace fake {
const Seen& seen() { return counts; }
}  // namespace fake

struct EngineState {
  struct Connection {
    std::deque<std::string> out;
    size_t sent = 0;  // of out.front()
    size_t wanted = 4;
    Instant resume_at = Instant::never();
    bool ready = false;
    bool last = false;
  };
  struct Write {
    ConnectionId connection;
    BufferId buffer;
    size_t size;
  };
  std::map<ConnectionId, Connection> connections;
  std::map<uint32_t, Write> writes;
  std::map<BufferId, int> pins;
  StoreHandle file = StoreHandle::kNone;
  uint32_t next_operation = 1;
  bool draining = false;

  void reply(ConnectionId id, std::string text, EffectQueue& effects) {
    const auto found = connections.find(id);
    if (found == connections.end()) return;
    std::string framed(4, 0);
    store<uint32_t>(reinterpret_cast<uint8_t*>(framed.data()), static_cast<uint32_t>(text.size()));
    found->second.out.push_back(framed + text);
    if (!std::exchange(found->second.ready, true)) effects.push(TransmitReady{id});
  }

  void on(const BytesReceived& event, Instant now, EffectQueue& effects) {
    Connection& connection = connections.at(event.connection);
    counts.bytes_events++;
    if (event.bytes.size() < connection.wanted) counts.partial_events++;
    CHECK(!pins.contains(event.buffer));
    size_t at = 0, taken = 0;
    connection.wanted = 4;
    while (event.bytes.size() - at >= 4 && taken < fake::kPerEvent &&
           connection.resume_at == Instant::never() && !connection.last) {
      const auto length = load<uint32_t>(event.bytes.data() + at);
      connection.wanted = 4 + length;
      if (event.bytes.size() - at < connection.wanted) break;
      const std::string_view text = as_text(event.bytes.subspan(at + 4, length));
      counts.messages++;
      taken++;
      if (text.starts_with('W')) {
        const uint32_t id = next_operation++;
        writes[id] = {event.connection, event.buffer, length - 1};
        pins[event.buffer]++;
        effects.push(
            RunStore{{id, 1}, StoreWrite{file, 0, event.bytes.subspan(at + 5, length - 1), false}});
      } else if (text.starts_with('X')) {
        reply(event.connection, "bye", effects);
        connection.last = true;
        effects.push(CloseConnection{event.connection});
      } else if (text.starts_with('P')) {
        reply(event.connection, "paused", effects);
        connection.resume_at = now + Duration::milliseconds(20);
      } else {
        reply(event.connection, std::string(text), effects);
      }
      at += connection.wanted;
      connection.wanted = 4;
    }
    const bool pinned = pins.contains(event.buffer);
    if (pinned) counts.pinned++;
    const bool paused = connection.resume_at != Instant::never() || connection.last;
    effects.push(ReceiveProgress{event.connection, static_cast<uint32_t>(at),
                                 static_cast<uint32_t>(connection.wanted), pinned, paused});
  }

  void on(const StoreDone& event, EffectQueue& effects) {
    if (event.operation.index == 0) {
      file = std::get<StoreOpened>(event.result.value).handle;
      return;
    }
    const auto found = writes.find(event.operation.index);
    CHECK(found != writes.end());
    const Write write = found->second;
    writes.erase(found);
    reply(write.connection, event.result.ok() ? "stored " + std::to_string(write.size) : "failed",
          effects);
    if (--pins[write.buffer] > 0) return;
    pins.erase(write.buffer);
    counts.released++;
    effects.push(ReleaseBuffer{write.buffer});
  }
};

Engine::Engine(const Limits&) : state_(std::make_unique<EngineState>()) { counts = {}; }
Engine::~Engine() = default;

void Engine::step(Instant now, std::span<const Event> events, EffectQueue& effects) {
  CHECK(events.size() <= kEventsPerStep);
  EngineState& state = *state_;
  for (const Event& event : events) {
    if (std::holds_alternative<Configure>(event)) {
      effects.push(RunStore{{0, 1}, StoreOpen{ShareId{0}, "w", OpenWhat::kNewFile, kOpenWrite}});
    } else if (const auto* entropy = std::get_if<Entropy>(&event)) {
      counts.entropy += entropy->bytes.size();
    } else if (const auto* opened = std::get_if<ConnectionOpened>(&event)) {
      counts.opened++;
      CHECK(state.connections.emplace(opened->connection, EngineState::Connection{}).second);
    } else if (const auto* received = std::get_if<BytesReceived>(&event)) {
      state.on(*received, now, effects);
    } else if (const auto* sent = std::get_if<BytesSent>(&event)) {
      auto& connection = state.connections.at(sent->connection);
      for (size_t left = sent->bytes; left > 0;) {
        const size_t some = std::min(left, connection.out.front().size() - connection.sent);
        connection.sent += some;
        left -= some;
        if (connection.sent < connection.out.front().size()) continue;
        connection.out.pop_front();
        connection.sent = 0;
      }
      connection.ready = !connection.out.empty();
    } else if (const auto* closed = std::get_if<ConnectionClosed>(&event)) {
      counts.closed++;
      CHECK(state.connections.erase(closed->connection) == 1);
    } else if (const auto* done = std::get_if<StoreDone>(&event)) {
      state.on(*done, effects);
    } else if (std::holds_alternative<Drain>(event)) {
      state.draining = true;
      for (auto& [id, connection] : state.connections) effects.push(CloseConnection{id});
    }
  }
  for (auto& [id, connection] : state.connections) {
    if (now < connection.resume_at) continue;
    connection.resume_at = Instant::never();
    effects.push(ResumeReceiving{id});
  }
}

size_t Engine::transmit(ConnectionId id, std::span<Segment> segments) const {
  const auto found = state_->connections.find(id);
  if (found == state_->connections.end()) return 0;
  size_t count = 0;
  for (const std::string& text : found->second.out) {
    if (count == segments.size()) break;
    segments[count] = as_bytes(text);
    if (count == 0) segments[0] = segments[0].subspan(found->second.sent);
    count++;
  }
  return count;
}

Instant Engine::deadline() const {
  Instant earliest = Instant::never();
  for (const auto& [id, connection] : state_->connections)
    earliest = std::min(earliest, connection.resume_at);
  return earliest;
}

bool Engine::drained() const { return state_->draining && state_->connections.empty(); }

}  // namespace semblance
