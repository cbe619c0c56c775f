#include <algorithm>

#include "engine/base/planted.h"
#include "engine/smb/marks.h"
#include "engine/smb/timers.h"

#include "engine/smb/chain.h"
#include "engine/smb/outgoing.h"
#include "engine/smb/teardown.h"

namespace semblance::smb {
namespace {

Duration interim_delay(const EngineState& e) { return Duration::milliseconds(e.limits.interim_ms); }
Duration authentication_limit(const EngineState& e) {
  return Duration::seconds(e.limits.authenticate_seconds);
}

// 3.3.4.2 Sending an Interim Response for an Asynchronous Operation: for a request that is taking
// long in the store. In the middle of a compound the reply has to wait.
void answer_slow_requests(EngineState& e) {
  while (!e.slow.empty()) {
    Request* r = e.requests.find(e.slow.front());
    if (r != nullptr && r->started + interim_delay(e) > e.now) return;
    e.slow.pop_front();
    if (PLANTED(kInterimTwice) && r != nullptr && r->async && r->in_store) send_interim(e, *r);
    if (PLANTED(kInterimTwice) && r != nullptr && !r->async) e.slow.push_back(r->id);
    if (r == nullptr || r->async || !r->in_store || r->is_compound || r->no_reply) continue;
    if (e.connections.find(r->connection) != nullptr) {
      SOMETIMES(e, kInterim);
      send_interim(e, *r);
    }
  }
}

void close_unauthenticated(EngineState& e) {
  while (!e.unauthenticated.empty()) {
    Connection* c = e.connections.find(e.unauthenticated.front());
    if (c != nullptr && c->opened + authentication_limit(e) > e.now) return;
    e.unauthenticated.pop_front();
    if (c == nullptr) continue;
    bool valid = false;
    for (SessionSlot s = c->sessions.first(); s && !valid; s = SessionList::next(e.sessions, s))
      valid = e.sessions.get(s).state == SessionState::kValid;
    if (valid) continue;
    SOMETIMES(e, kUnauthenticatedClosed);
    violate(e, *c, "no session in time");
  }
}

// Whether another step gets on with what waits for its turn. What waits for room (a request, a
// frame, a reply's memory) goes on in the step that makes the room; asking for one before that
// would keep the driver spinning.
constexpr uint32_t kCloseFrames = 2;  // of close_orphan and of prepare_close
bool orphan_can_go(EngineState& e) {
  if (e.orphans.empty()) return false;
  const Open* open = e.opens.find(e.orphans.front());
  return open == nullptr || !close_takes_work(e, *open) ||
         (!e.requests.full() && e.frames.used() + kCloseFrames <= e.limits.frames);
}

bool woken_can_go(const EngineState& e) {
  bool room = e.transmit.bytes_used() + TransmitPool::kSmallBlock <= e.limits.transmit_bytes;
  for (size_t i = 0; i < e.woken.size(); ++i) {
    const Request* r = e.requests.find(e.woken[i]);
    if (room || r == nullptr || r->reply || e.connections.find(r->connection) == nullptr)
      return true;
  }
  return false;
}

void drain(EngineState& e) {
  if (!e.draining) return;
  bool over = e.now >= e.drain_deadline;
  e.connections.for_each([&](Connection& c) {
    if (c.phase == ConnectionPhase::kClosing) return;
    if (!over && (c.requests > c.async_requests || !c.outbox.empty())) return;
    SOMETIMES(e, kDrained);
    c.phase = ConnectionPhase::kClosing;
    e.emit(CloseConnection{c.id});
  });
}

}  // namespace

void watch_authentication(EngineState& e, Connection& c) { e.unauthenticated.push_back(c.id); }

void begin_drain(EngineState& e) {
  if (e.draining) return;
  e.draining = true;
  e.drain_deadline = e.now + Duration::seconds(e.limits.drain_seconds);
}

void run_timers(EngineState& e) {
  answer_slow_requests(e);
  close_unauthenticated(e);
  drain(e);
}

Instant next_deadline(EngineState& e) {
  Instant next = Instant::never();
  if (!e.slow.empty()) {
    const Request* r = e.requests.find(e.slow.front());
    next = std::min(next, r != nullptr ? r->started + interim_delay(e) : e.now);
  }
  if (!e.unauthenticated.empty()) {
    const Connection* c = e.connections.find(e.unauthenticated.front());
    next = std::min(next, c != nullptr ? c->opened + authentication_limit(e) : e.now);
  }
  // After it nothing is left to be done but to hear that the connections are closed.
  if (e.draining && e.now < e.drain_deadline && e.connections.size() > 0)
    next = std::min(next, e.drain_deadline);
  if (orphan_can_go(e) || woken_can_go(e)) next = e.now;
  return next;
}

}  // namespace semblance::smb
