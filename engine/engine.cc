#include "engine/engine.h"

#include "engine/smb/chain.h"
#include "engine/smb/receive.h"
#include "engine/smb/report.h"
#include "engine/smb/state.h"
#include "engine/smb/teardown.h"
#include "engine/smb/timers.h"

namespace semblance {
namespace {

using smb::Connection;

void on_event(EngineState& e, const Configure& event) {
  Limits limits = e.limits;
  e.config = *event.config;
  e.config.limits = limits;
  e.limits = limits;
  e.configured = true;
}

void on_event(EngineState& e, const WallClock& event) {
  if (e.started.ticks == 0) e.started = event.now;
  e.wall = event.now;
}

void on_event(EngineState& e, const Entropy& event) { e.entropy.add(event.bytes); }

void on_event(EngineState& e, const ConnectionOpened& event) {
  Connection* c = e.draining ? nullptr : e.connections.open(event.connection, e.limits, e.now);
  if (c == nullptr) {
    e.counters.connections_refused += 1;
    e.emit(CloseConnection{event.connection});
    return;
  }
  e.counters.connections_accepted += 1;
  e.log(LogLevel::kInfo, event.connection, "connection opened");
  smb::watch_authentication(e, *c);
}

void on_event(EngineState& e, const BytesReceived& event) { smb::receive(e, event); }

void on_event(EngineState& e, const BytesSent& event) {
  Connection* c = e.connections.find(event.connection);
  if (c == nullptr) return;
  c->outbox.sent(e.transmit, event.bytes);
  if (c->outbox.empty()) c->announced = false;
}

void on_event(EngineState& e, const ConnectionClosed& event) {
  Connection* c = e.connections.find(event.connection);
  if (c == nullptr) return;
  e.log(LogLevel::kInfo, event.connection, "connection closed");
  smb::end_connection(e, *c);
}

void on_event(EngineState& e, const StoreDone& event) {
  smb::resume_operation(e, event.operation, event.result);
}

void on_event(EngineState& e, const AccountFound& event) { smb::resume_account(e, event); }

void on_event(EngineState& e, const Drain&) { smb::begin_drain(e); }

}  // namespace

Engine::Engine(const Limits& limits) : state_(std::make_unique<EngineState>(limits)) {}
Engine::~Engine() = default;

void Engine::step(Instant now, std::span<const Event> events, EffectQueue& effects) {
  EngineState& e = *state_;
  CHECK(events.size() <= kEventsPerStep);
  e.now = now;
  e.effects = &effects;
  for (const Event& event : events) {
    CHECK(e.configured || std::holds_alternative<Configure>(event));
    std::visit([&](const auto& one) { on_event(e, one); }, event);
    smb::resume_woken(e);
  }
  smb::run_timers(e);
  smb::resume_woken(e);
  smb::close_orphans(e);
  smb::resume_paused(e);
  if (e.configured && e.entropy.missing() > smb::EntropyPool::kWanted / 2 && !e.entropy.asked) {
    e.entropy.asked = true;
    e.emit(NeedEntropy{e.entropy.missing()});
  }
  e.effects = nullptr;
}

size_t Engine::transmit(ConnectionId id, std::span<Segment> segments) const {
  Connection* c = state_->connections.find(id);
  return c != nullptr ? c->outbox.peek(state_->transmit, segments) : 0;
}

Instant Engine::deadline() const { return smb::next_deadline(*state_); }

bool Engine::drained() const {
  return state_->draining && state_->connections.size() == 0 && state_->orphans.empty() &&
         state_->requests.size() == 0;
}

EngineReport Engine::report() const {
  const EngineState& e = *state_;
  EngineReport report;
  report.counters = e.counters;
  report.ledgers = e.ledgers;
  report.marks = e.marks;
  report.connections = e.connections.size();
  report.sessions = e.sessions.size();
  report.trees = e.trees.size();
  report.opens = e.opens.size();
  report.requests = e.requests.size();
  report.files = e.files.size();
  report.frames = e.frames.used();
  report.transmit_bytes = e.transmit.bytes_used();
  report.indexed_names = e.names.names();
  return report;
}

}  // namespace semblance
