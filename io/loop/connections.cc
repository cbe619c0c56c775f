// Loop: the life of a connection, its receive buffer and its sends.

#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/check.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"

namespace semblance {
namespace {

// From here on a message is received into a buffer of its own, for exactly its remainder, so that
// nothing of it is copied but what came with its first bytes.
constexpr size_t kLargeMessage = 160 << 10;
// Smaller ones come several to a buffer.
constexpr size_t kManyMessages = 256 << 10;
// Room for a batch of small requests in one receive, and the most that a connection fallen idle
// keeps.
constexpr size_t kHungryBuffer = 32 << 10;
constexpr uint8_t kHungryReceives = 8;

}  // namespace

Connection* Loop::find(ConnectionId id) {
  if (id.index >= connections_.size()) return nullptr;
  Connection& connection = connections_[id.index];
  return connection.open && connection.id == id ? &connection : nullptr;
}

// ---- Opening ------------------------------------------------------------------------------------

void Loop::accept_from(size_t listener) {
  for (int i = 0; i < kAcceptsMax && !draining_; i++) {
    auto accepted = accept_next(listeners_[listener].listener.fd.get());
    if (!accepted) {
      if (accepted.error() == EAGAIN) break;
      // No descriptors or memory: the queue stays readable, so looking again at once would spin.
      spdlog::warn("accepting on {} pauses: {}", listeners_[listener].listener.address,
                   std::strerror(accepted.error()));
      accept_again_ = now_ + kAcceptPause;
      listeners_[listener].paused = true;
      return;
    }
    open_connection(std::move(*accepted));
  }
}

void Loop::open_connection(Accepted accepted) {
  if (free_slots_.empty() || !backend_->add(free_slots_.back(), accepted.fd.get())) {
    counters_.refused++;
    // Whoever keeps knocking must not fill the log.
    if (now_ - refusal_logged_ < Duration::seconds(1)) return;
    refusal_logged_ = now_;
    spdlog::warn("{} refused: {} connections are open", accepted.peer,
                 connections_.size() - free_slots_.size());
    return;
  }
  Connection& connection = connections_[free_slots_.back()];
  free_slots_.pop_back();
  counters_.accepted++;
  const ConnectionId id = {connection.id.index, connection.id.generation + 1};
  connection = Connection{};
  connection.id = id;
  connection.fd = std::move(accepted.fd);
  connection.peer = std::move(accepted.peer);
  connection.open = true;
  events_.push_back(ConnectionOpened{id, connection.peer});
  want_receive(connection);
}

// ---- Receiving ----------------------------------------------------------------------------------

void Loop::on_received(Connection& connection, int32_t result) {
  connection.receiving = false;
  if (connection.closing) return finish_close_if_done(connection);
  if (result <= 0) {
    if (result == -EINTR || result == -EAGAIN) return want_receive(connection);
    return begin_close(connection);
  }
  counters_.bytes_received += static_cast<uint64_t>(result);
  connection.end += static_cast<size_t>(result);
  if (static_cast<size_t>(result) > ReceiveBuffers::kSmallest / 2)
    connection.hungry = kHungryReceives;
  else if (connection.hungry > 0)
    connection.hungry--;
  if (!connection.paused && connection.unconsumed() >= connection.wanted)
    deliver_bytes(connection);
  else
    want_receive(connection);
}

void Loop::deliver_bytes(Connection& connection) {
  const MutableBytes bytes =
      buffers_.bytes(connection.buffer).subspan(connection.begin, connection.unconsumed());
  events_.push_back(BytesReceived{connection.id, connection.buffer, bytes});
}

// The engine took as much as one event may, or takes messages again. Waiting until things are quiet
// gives pinned buffers the time to be released: then nothing needs to be carried.
void Loop::deliver_again() {
  for (const uint32_t slot : std::exchange(to_deliver_, {})) {
    Connection& connection = connections_[slot];
    if (!std::exchange(connection.in_deliver, false)) continue;
    if (!connection.open || connection.closing || connection.paused) continue;
    if (connection.buffer == BufferId::kNone || connection.unconsumed() < connection.wanted) {
      want_receive(connection);
      continue;
    }
    if (buffers_.state(connection.buffer).pinned &&
        !carry_over(connection, connection.unconsumed())) {
      starve(connection);
      continue;
    }
    deliver_bytes(connection);
  }
}

bool Loop::carry_over(Connection& connection, size_t size) {
  const BufferId next = buffers_.acquire(size);
  if (next == BufferId::kNone) return false;
  const size_t rest = connection.unconsumed();
  if (connection.buffer != BufferId::kNone) {
    std::memcpy(buffers_.bytes(next).data(),
                buffers_.bytes(connection.buffer).data() + connection.begin, rest);
    ReceiveBuffers::State& state = buffers_.state(connection.buffer);
    if (state.pinned) {
      state.detached = true;
    } else {
      buffers_.release(connection.buffer);
      buffers_freed_ = true;
    }
  }
  connection.buffer = next;
  connection.begin = 0;
  connection.end = rest;
  return true;
}

// At the end of the iteration: receive, or deliver again what is already there.
void Loop::want_receive(Connection& connection) {
  if (connection.closing || connection.paused || connection.receiving) return;
  if (connection.unconsumed() >= connection.wanted) {
    if (!connection.in_deliver) to_deliver_.push_back(connection.id.index);
    connection.in_deliver = true;
  } else {
    if (!connection.in_receive) to_receive_.push_back(connection.id.index);
    connection.in_receive = true;
  }
}

void Loop::starve(Connection& connection) {
  if (!connection.in_starved) starved_.push_back(connection.id.index);
  connection.in_starved = true;
}

void Loop::arm_receives() {
  // First come, first served: who waits longest for memory asks first.
  if (buffers_freed_) {
    buffers_freed_ = false;
    for (const uint32_t slot : std::exchange(starved_, {})) {
      if (!std::exchange(connections_[slot].in_starved, false)) continue;
      want_receive(connections_[slot]);
    }
  }
  for (const uint32_t slot : std::exchange(to_receive_, {})) {
    Connection& connection = connections_[slot];
    if (!std::exchange(connection.in_receive, false)) continue;
    if (connection.open && !connection.closing && !connection.closed && !connection.receiving &&
        !connection.paused && !connection.in_deliver)
      arm_receive(connection);
  }
}

void Loop::arm_receive(Connection& connection) {
  const size_t rest = connection.unconsumed(), wanted = connection.wanted;
  if (wanted > buffers_.largest()) {
    spdlog::error("{} announces a message of {} bytes; closed", connection.peer, wanted);
    return begin_close(connection);
  }
  const bool large = wanted >= kLargeMessage;
  const size_t fitting = large                                ? wanted
                         : wanted > ReceiveBuffers::kSmallest ? kManyMessages
                         : connection.hungry > 0              ? kHungryBuffer
                                                              : ReceiveBuffers::kSmallest;
  bool move = connection.buffer == BufferId::kNone || buffers_.state(connection.buffer).pinned;
  if (!move) {
    const MutableBytes bytes = buffers_.bytes(connection.buffer);
    // Too small for the message, or larger than a connection may hold that waits for one.
    move = bytes.size() < wanted || (rest == 0 && bytes.size() != fitting && !large);
    if (!move && connection.begin > 0 && (rest == 0 || bytes.size() - connection.begin < wanted)) {
      std::memmove(bytes.data(), bytes.data() + connection.begin, rest);
      connection.begin = 0;
      connection.end = rest;
    }
  }
  // Under pressure the smallest that will do is better than none.
  if (move && !carry_over(connection, std::max(fitting, rest + 1)) &&
      !carry_over(connection, std::max(wanted, rest + 1)))
    return starve(connection);
  const MutableBytes room = buffers_.bytes(connection.buffer).subspan(connection.end);
  const size_t missing = connection.begin + wanted - connection.end;
  connection.receiving = true;
  backend_->receive(connection.id.index, large ? room.first(missing) : room,
                    large ? ReceiveUntil::kFull : ReceiveUntil::kAny);
}

// ---- Sending ------------------------------------------------------------------------------------

void Loop::want_transmit(Connection& connection) {
  if (!connection.in_transmit) to_transmit_.push_back(connection.id.index);
  connection.in_transmit = true;
}

void Loop::pull_transmits() {
  Segment segments[Backend::kSegmentsMax];
  for (const uint32_t slot : std::exchange(to_transmit_, {})) {
    Connection& connection = connections_[slot];
    if (!std::exchange(connection.in_transmit, false)) continue;
    if (!connection.open || connection.sending || connection.closing) continue;
    const size_t count = engine_.transmit(connection.id, segments);
    if (count > 0) {
      connection.sending = true;
      backend_->send(slot, std::span(segments).first(count));
    } else if (connection.last_words) {
      begin_close(connection);
    }
  }
}

void Loop::on_sent(Connection& connection, int32_t result) {
  connection.sending = false;
  if (connection.closing) return finish_close_if_done(connection);
  if (result <= 0) return begin_close(connection);
  counters_.bytes_sent += static_cast<uint64_t>(result);
  events_.push_back(BytesSent{connection.id, static_cast<size_t>(result)});
  // Asked again after the engine has heard of it: TransmitReady comes only where nothing was left.
  want_transmit(connection);
}

// ---- Closing ------------------------------------------------------------------------------------

// What is in flight refers to the connection's and the engine's memory, so it ends first.
void Loop::begin_close(Connection& connection) {
  if (connection.closing) return;
  connection.closing = true;
  if (connection.receiving || connection.sending) ::shutdown(connection.fd.get(), SHUT_RDWR);
  finish_close_if_done(connection);
}

void Loop::finish_close_if_done(Connection& connection) {
  if (connection.receiving || connection.sending || connection.closed) return;
  connection.closed = true;
  backend_->remove(connection.id.index);
  connection.fd.reset();
  events_.push_back(ConnectionClosed{connection.id});
  closed_.push_back(connection.id.index);
}

// Only when every event that refers to its buffer has been delivered.
void Loop::free_closed() {
  for (const uint32_t slot : std::exchange(closed_, {})) {
    Connection& connection = connections_[slot];
    if (connection.buffer != BufferId::kNone) {
      ReceiveBuffers::State& state = buffers_.state(connection.buffer);
      if (state.pinned) {
        state.detached = true;
      } else {
        buffers_.release(connection.buffer);
        buffers_freed_ = true;
      }
      connection.buffer = BufferId::kNone;
    }
    connection.open = false;
    std::erase(lingering_, slot);
    std::erase(starved_, slot);
    connection.in_starved = false;
    free_slots_.push_back(slot);
  }
}

void Loop::cut_lingering() {
  for (const uint32_t slot : lingering_) {
    Connection& connection = connections_[slot];
    if (now_ < connection.close_by || connection.closing) continue;
    spdlog::info("{} does not read its last replies; closed", connection.peer);
    connection.close_by = Instant::never();
    begin_close(connection);
  }
}

}  // namespace semblance
