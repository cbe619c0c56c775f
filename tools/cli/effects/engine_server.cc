#include "tools/cli/effects/engine_server.h"

#include <algorithm>

#include "engine/base/check.h"

namespace semblance::effects {

class EngineServer::Connection : public Wire {
 public:
  Connection(EngineServer& server, ConnectionId id) : id(id), server_(server) {
    server_.connections_.push_back(this);
    server_.events_.push_back(ConnectionOpened{id, "canned"});
    server_.run();
  }
  ~Connection() override {
    std::erase(server_.connections_, this);
    server_.events_.push_back(ConnectionClosed{id});
    server_.run();
  }

  bool pump(client::Client& client) override {
    const Bytes out = client.outgoing();
    inbox.insert(inbox.end(), out.begin(), out.end());
    bool moved = !out.empty();
    client.sent(out.size());
    while (wanted <= inbox.size() && !paused) {
      deliver();
      moved |= take(client);
    }
    return take(client) || moved;
  }

  ConnectionId id;
  std::vector<uint8_t> inbox;  // received, not consumed
  size_t wanted = 1;
  bool paused = false;

 private:
  void deliver() {
    // A buffer of its own each time: it may be pinned.
    const BufferId buffer{server_.next_buffer_++};
    std::vector<uint8_t>& bytes = server_.buffers_[buffer] = std::move(inbox);
    inbox.clear();
    server_.events_.push_back(WallClock{server_.wall_});
    server_.events_.push_back(BytesReceived{id, buffer, bytes});
    server_.run();
  }

  bool take(client::Client& client) {
    bool moved = false;
    std::array<Segment, 64> segments;
    for (;;) {
      if (server_.measuring_) server_.meter_.on();
      const size_t count = server_.engine_.transmit(id, segments);
      if (server_.measuring_) server_.meter_.off();
      if (count == 0) return moved;
      size_t bytes = 0;
      for (const Segment& segment : std::span(segments).first(count)) {
        client.receive(segment);
        bytes += segment.size();
      }
      server_.events_.push_back(BytesSent{id, bytes});
      server_.run();
      moved = true;
    }
  }

  EngineServer& server_;
};

EngineServer::EngineServer(Meter& meter)
    : meter_(meter),
      accounts_({{kUser, kPassword}}, ""),
      engine_(config_.limits),
      effects_(Engine::effects_capacity()) {
  CHECK(accounts_.reload().has_value());
  store_.set_now(wall_);
  events_.push_back(Configure{&config_});
  events_.push_back(WallClock{wall_});
  on(NeedEntropy{1024});
  run();
}

std::unique_ptr<Wire> EngineServer::connect() {
  return std::make_unique<Connection>(
      *this, ConnectionId{static_cast<uint32_t>(connections_.size()), next_generation_++});
}

void EngineServer::pass_time() {
  constexpr int64_t kMilliseconds = 100;
  now_ = now_ + Duration::milliseconds(kMilliseconds);
  wall_.ticks += kMilliseconds * 10'000;
  store_.set_now(wall_);
  events_.push_back(WallClock{wall_});
  run();
}

void EngineServer::run() {
  while (!events_.empty()) {
    std::swap(events_, delivering_);
    for (size_t at = 0; at < delivering_.size(); at += Engine::kEventsPerStep)
      step(std::span(delivering_)
               .subspan(at, std::min(Engine::kEventsPerStep, delivering_.size() - at)));
    delivering_.clear();
    if (events_.empty()) entropy_.clear();
  }
}

void EngineServer::step(std::span<const Event> events) {
  effects_.clear();
  if (measuring_) meter_.on();
  engine_.step(now_, events, effects_);
  if (measuring_) meter_.off();
  for (const Effect& effect : effects_.all())
    std::visit([this](const auto& one) { on(one); }, effect);
}

EngineServer::Connection& EngineServer::find(ConnectionId id) {
  const auto found = std::ranges::find(connections_, id, &Connection::id);
  CHECK(found != connections_.end());
  return **found;
}

void EngineServer::on(const RunStore& effect) {
  if (measuring_) operations_[effect.what.index()] += 1;
  events_.push_back(StoreDone{effect.operation, store_.execute(effect.what)});
}

void EngineServer::on(const Authenticate& effect) {
  events_.push_back(accounts_.find(effect.operation, effect.user, effect.domain));
}

void EngineServer::on(const ReceiveProgress& effect) {
  Connection& connection = find(effect.connection);
  auto delivered = std::prev(buffers_.end());
  connection.inbox.assign(delivered->second.begin() + effect.consumed, delivered->second.end());
  connection.wanted = std::max<size_t>(effect.wanted, 1);
  connection.paused = effect.paused;
  if (!effect.pinned) buffers_.erase(delivered);
}

void EngineServer::on(const ResumeReceiving& effect) {
  Connection& connection = find(effect.connection);
  connection.paused = false;
  connection.wanted = 1;
}

void EngineServer::on(const CloseConnection&) { CHECK(!"canned requests are no reason to close"); }

// Bytes that nobody could guess are of no use here: these are the same in every run.
void EngineServer::on(const NeedEntropy& effect) {
  std::vector<uint8_t>& bytes = entropy_.emplace_back(effect.bytes);
  for (uint8_t& byte : bytes) byte = next_random_++;
  events_.push_back(Entropy{bytes});
}

}  // namespace semblance::effects
