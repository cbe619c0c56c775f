#include "sim/world/server.h"

#include <algorithm>
#include <array>

#include "engine/smb/report.h"
#include "sim/choice/sources.h"

namespace semblance::sim {

namespace {

constexpr uint64_t kStepToken = 0, kDeadlineToken = 1, kFirstTask = 2;
constexpr size_t kEventsMax = 16;  // of one step
constexpr int kRoundsMax = 64;     // of one iteration
constexpr size_t kSegmentsMax = 16;
constexpr Duration kLinger = Duration::seconds(10);
constexpr Duration kWallEvery = Duration::milliseconds(1);

}  // namespace

Server::Server(ServerOptions options, Scheduler& scheduler, Chooser& chooser, Swarm& swarm,
               Network& network, Disk& disk, Observers& observers, Failures& failures)
    : options_(std::move(options)),
      scheduler_(scheduler),
      chooser_(chooser),
      swarm_(swarm),
      network_(network),
      disk_(disk),
      observers_(observers),
      failures_(failures),
      own_effects_(options_.effects ? 0 : effects_capacity()),
      effects_(options_.effects ? *options_.effects : own_effects_),
      random_(options_.entropy_seed) {
  start();
}

Server::~Server() = default;

size_t Server::effects_capacity() { return (kEventsMax + 4) * kEffectsPerEvent; }

void Server::contract(bool holds, std::string_view what) {
  if (!holds) failures_.add("contract", std::string(what));
}

Server::Port* Server::find(ConnectionId id) {
  auto found = ports_.find(id.generation);
  return found != ports_.end() && found->second.id == id ? &found->second : nullptr;
}

FileTime Server::wall() const {
  auto passed = static_cast<uint64_t>(scheduler_.now().ns / 100);
  return {options_.wall.ticks + passed + static_cast<uint64_t>(wall_offset_)};
}

std::vector<uint8_t> Server::random_bytes(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; i += 8) {
    uint64_t word = scramble(random_ += 0x9E3779B97F4A7C15);
    std::memcpy(bytes.data() + i, &word, std::min<size_t>(8, count - i));
  }
  return bytes;
}

// ---- Life and death -----------------------------------------------------------------------------

void Server::start() {
  engine_ = std::make_unique<Engine>(options_.config.limits);
  wall_told_ = scheduler_.now();
  post(Configure{&options_.config});
  post(WallClock{wall()});
  give_entropy(1024);
  if (swarm_.has(FaultClass::kReload) || swarm_.has(FaultClass::kClock)) disturb();
}

// Reloads the configuration, and moves the wall clock, every now and then.
void Server::disturb() {
  constexpr uint32_t kEveryMsMax = 2'000;
  constexpr int64_t kJumps[] = {1, -1, 60, -60, 3'600, -3'600, 86'400 * 365, -86'400 * 365};
  if (chooser_.chance(Site::kReload, 0, swarm_.ppm(FaultClass::kReload, 500'000))) {
    for (ShareConfig& share : options_.config.shares) share.hidden = !share.hidden;
    post(Configure{&options_.config});
  }
  if (chooser_.chance(Site::kClock, 0, swarm_.ppm(FaultClass::kClock, 500'000))) {
    int64_t seconds = kJumps[chooser_.pick(Site::kClock, 0, std::size(kJumps))];
    wall_offset_ += seconds * static_cast<int64_t>(FileTime::kTicksPerSecond);
    post(WallClock{wall()});
  }
  if (!swarm_.has(FaultClass::kReload) && !swarm_.has(FaultClass::kClock)) return;  // healed
  uint32_t ms = 1 + chooser_.log_uniform(Site::kReload, 1, kEveryMsMax);
  scheduler_.wake(*this, Duration::milliseconds(ms), token_for([this] { disturb(); }));
}

void Server::crash(CrashKind kind) {
  if (!running()) return;
  ++crash_count_;
  // What the kernel had been asked to do may still happen.
  for (auto& [id, operation] : operations_)
    if (!operation.result && chooser_.chance(Site::kCrashPending, crash_count_, 500'000)) {
      operation.result = disk_.execute(operation.what);
      observers_.tell(&Observer::applied, id, operation.what, *operation.result, false);
    }
  past_marks_ = marks();
  engine_.reset();
  operations_.clear();
  queue_.clear();
  stepping_.clear();
  events_.clear();
  showing_.clear();
  buffers_.clear();
  lent_.clear();
  tasks_.clear();
  std::map<uint32_t, Port> ports = std::exchange(ports_, {});
  free_indexes_.clear();
  next_index_ = 0;
  deadline_scheduled_ = Instant::never();
  auto pick = [this](uint32_t bound) {
    return chooser_.pick(Site::kPowerLoss, crash_count_, bound);
  };
  if (kind == CrashKind::kPowerLoss)
    disk_.lose_power(pick);
  else
    disk_.kill();
  observers_.tell(&Observer::crashed, kind);
  for (auto& [generation, port] : ports) {
    observers_.tell(&Observer::closed, port.id);
    network_.reset(port.id);
  }
  uint32_t away_ms = 1 + chooser_.log_uniform(Site::kRestart, crash_count_, 5'000);
  scheduler_.wake(*this, Duration::milliseconds(away_ms), token_for([this] {
    start();
    observers_.tell(&Observer::restarted);
  }));
}

std::array<uint8_t, 128> Server::marks() const {
  std::array<uint8_t, 128> all = past_marks_;
  if (!running()) return all;
  EngineReport report = engine_->report();
  for (size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], report.marks[i]);
  return all;
}

bool Server::dies_here(const Effect& effect) {
  ++effect_count_;
  if (!std::holds_alternative<RunStore>(effect)) return false;
  if (options_.crash_at_effect != 0 && effect_count_ >= options_.crash_at_effect) {
    options_.crash_at_effect = 0;
    crash(options_.crash_kind);
    return true;
  }
  if (!chooser_.chance(Site::kCrash, 0, swarm_.ppm(FaultClass::kCrash, 10'000))) return false;
  crash(swarm_.has(FaultClass::kPowerLoss) ? CrashKind::kPowerLoss : CrashKind::kKill);
  return true;
}

void Server::drain() {
  if (running()) post(Drain{});
}

uint64_t Server::token_for(std::function<void()> what) {
  uint64_t id = kFirstTask + next_task_++;
  tasks_[id] = std::move(what);
  return id;
}

// ---- The network --------------------------------------------------------------------------------

ConnectionId Server::connect(NetworkEnd& client) {
  if (!running() || ports_.size() >= options_.config.limits.connections) return {};
  ConnectionId id{0, next_generation_++};
  if (free_indexes_.empty()) {
    id.index = next_index_++;
  } else {
    id.index = free_indexes_.back();
    free_indexes_.pop_back();
  }
  ports_[id.generation].id = id;
  network_.open(id, client, *this);
  observers_.tell(&Observer::opened, id);
  post(ConnectionOpened{id, "simulated"});
  return id;
}

void Server::arrived(ConnectionId connection, Bytes bytes) {
  Port* port = find(connection);
  if (port == nullptr) return;
  observers_.tell(&Observer::delivered, connection, bytes);
  port->inbox.insert(port->inbox.end(), bytes.begin(), bytes.end());
  port->fresh += bytes.size();
  schedule_step();
}

void Server::left(ConnectionId connection, size_t bytes) {
  Port* port = find(connection);
  if (port == nullptr || port->sending == 0) return;
  port->sending -= std::min(bytes, port->sending);
  if (port->sending != 0) return;
  port->ready = false;
  size_t sent = std::exchange(port->sent_in_all, 0);
  post(BytesSent{connection, sent});
}

void Server::broke(ConnectionId connection) {
  if (find(connection) != nullptr) forget(connection);
}

void Server::forget(ConnectionId id) {
  ports_.erase(id.generation);
  free_indexes_.push_back(id.index);
  observers_.tell(&Observer::closed, id);
  post(ConnectionClosed{id});
}

void Server::pull(Port& port) {
  if (!port.ready || port.sending != 0) return;
  std::array<Segment, kSegmentsMax> segments;
  size_t count = engine_->transmit(port.id, segments);
  contract(count != 0, "nothing to transmit after TransmitReady");
  size_t room = SIZE_MAX;
  if (chooser_.chance(Site::kSendRoom, port.id.generation, swarm_.ppm(FaultClass::kStall, 300'000)))
    room = 1 + chooser_.log_uniform(Site::kSendRoom, port.id.generation, 20'000);
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < count && bytes.size() < room; ++i) {
    contract(!segments[i].empty(), "an empty segment");
    Bytes part = segments[i].first(std::min(segments[i].size(), room - bytes.size()));
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  port.sending = port.sent_in_all = bytes.size();
  observers_.tell(&Observer::transmitted, port.id, Bytes(bytes));
  network_.send(port.id, Network::Side::kServer, bytes);
}

void Server::finish_closing(ConnectionId id) {
  Port* port = find(id);
  if (port == nullptr || !port->close_asked || port->sending != 0) return;
  Segment segment;
  if (engine_->transmit(id, {&segment, 1}) != 0) return;
  network_.close(id, Network::Side::kServer);
  forget(id);
}

// ---- Stepping -----------------------------------------------------------------------------------

void Server::post(Event event, std::vector<uint8_t> bytes) {
  queue_.push_back({std::move(event), std::move(bytes)});
  schedule_step();
}

void Server::schedule_step() {
  if (step_scheduled_) return;
  step_scheduled_ = true;
  uint32_t gather_us = 0;
  if (uint32_t level = swarm_.level(FaultClass::kBatch); level != 0)
    gather_us = chooser_.log_uniform(Site::kBatch, 0, 2 * level);
  scheduler_.wake(*this, Duration{int64_t{gather_us} * 1000}, kStepToken);
}

void Server::schedule_deadline() {
  Instant deadline = engine_->deadline();
  if (deadline >= deadline_scheduled_) return;
  deadline_scheduled_ = deadline;
  if (chooser_.chance(Site::kLate, 0, swarm_.ppm(FaultClass::kBatch, 200'000)))
    deadline = deadline + Duration::milliseconds(chooser_.log_uniform(Site::kLate, 0, 3'000));
  scheduler_.wake(*this, deadline, kDeadlineToken);
}

void Server::woken(uint64_t token) {
  if (token == kStepToken) {
    step_scheduled_ = false;
    if (running()) step_all();
  } else if (token == kDeadlineToken) {
    deadline_scheduled_ = Instant::never();
    if (running()) step_all();
  } else if (auto task = tasks_.extract(token); !task.empty()) {
    task.mapped()();
  }
}

void Server::step_all() {
  int rounds = 0;
  while (gather()) {
    step();
    if (!running()) return;
    if (++rounds == kRoundsMax) {
      contract(engine_->deadline() > scheduler_.now(), "deadline() stays in the past");
      schedule_step();
      break;
    }
  }
  schedule_deadline();
}

bool Server::gather() {
  events_.clear();
  stepping_.clear();
  showing_.clear();
  while (!queue_.empty() && stepping_.size() < kEventsMax) {
    stepping_.push_back(std::move(queue_.front()));
    queue_.pop_front();
    Queued& next = stepping_.back();
    if (auto* entropy = std::get_if<Entropy>(&next.event)) entropy->bytes = next.bytes;
    events_.push_back(next.event);
  }
  bool something = !events_.empty() || engine_->deadline() <= scheduler_.now();
  if (something && scheduler_.now() - wall_told_ >= kWallEvery) {
    wall_told_ = scheduler_.now();
    events_.push_back(WallClock{wall()});
  }
  if (queue_.empty()) {
    for (auto& [generation, port] : ports_) {
      if (events_.size() >= kEventsMax) break;
      if (port.paused || port.close_asked || (port.fresh == 0 && !port.again)) continue;
      port.fresh = 0;
      port.again = false;
      uint32_t buffer = next_buffer_++;
      std::vector<uint8_t>& bytes = lent_[buffer] = port.inbox;
      showing_.push_back(&port);
      events_.push_back(BytesReceived{port.id, BufferId{buffer}, bytes});
    }
  }
  return !events_.empty() || engine_->deadline() <= scheduler_.now();
}

void Server::step() {
  for (const Event& event : events_) observers_.tell(&Observer::event, scheduler_.now(), event);
  effects_.clear();
  engine_->step(scheduler_.now(), events_, effects_);
  handling_.assign(effects_.all().begin(), effects_.all().end());
  for (const Effect& effect : handling_) {
    observers_.tell(&Observer::effect, effect);
    if (dies_here(effect)) return;
    handle(effect);
  }
  observers_.tell(&Observer::stepped, *engine_);
  contract(showing_.empty(), "BytesReceived without ReceiveProgress");
  contract(lent_.empty(), "a receive buffer neither pinned nor given back");
  // BytesSent made room: what is left is not announced again.
  std::vector<ConnectionId> asked;
  for (const Queued& done : stepping_)
    if (const auto* sent = std::get_if<BytesSent>(&done.event)) {
      Segment segment;
      if (Port* port = find(sent->connection); port != nullptr && port->sending == 0)
        port->ready = engine_->transmit(sent->connection, {&segment, 1}) != 0;
    }
  for (auto& [generation, port] : ports_) {
    pull(port);
    if (port.close_asked) asked.push_back(port.id);
  }
  for (ConnectionId id : asked) finish_closing(id);
}

void Server::handle(const Effect& effect) {
  std::visit([this](const auto& one) { on(one); }, effect);
}

void Server::on(const ReceiveProgress& effect) {
  auto shown = std::ranges::find_if(
      showing_, [&](const Port* port) { return port->id == effect.connection; });
  if (shown == showing_.end())
    return contract(false, "ReceiveProgress that answers no BytesReceived");
  Port& port = **shown;
  // The buffers were lent in the order in which the connections are shown.
  auto position = static_cast<size_t>(shown - showing_.begin());
  auto lent = std::next(lent_.begin(), static_cast<ptrdiff_t>(position));
  showing_.erase(shown);
  contract(effect.consumed <= port.inbox.size(), "more consumed than delivered");
  contract(effect.wanted >= 4, "fewer bytes wanted than a frame has");
  auto consumed = std::min<size_t>(effect.consumed, port.inbox.size());
  // Sealed messages are deciphered where they are, but only once they are taken.
  contract(std::equal(port.inbox.begin() + static_cast<ptrdiff_t>(consumed), port.inbox.end(),
                      lent->second.begin() + static_cast<ptrdiff_t>(consumed)),
           "the engine wrote into bytes that it did not consume");
  port.inbox.erase(port.inbox.begin(), port.inbox.begin() + static_cast<ptrdiff_t>(consumed));
  port.paused = effect.paused;
  port.again = !effect.paused && effect.wanted <= port.inbox.size();
  if (effect.pinned) buffers_[lent->first] = std::move(lent->second);
  lent_.erase(lent);
}

void Server::on(const ResumeReceiving& effect) {
  Port* port = find(effect.connection);
  if (port == nullptr) return;  // gone meanwhile
  contract(port->paused, "ResumeReceiving for a connection that was not paused");
  port->paused = false;
  port->again = !port->inbox.empty();
}

void Server::on(const ReleaseBuffer& effect) {
  contract(buffers_.erase(static_cast<uint32_t>(effect.buffer)) == 1,
           "a buffer released that is not pinned");
}

void Server::on(const TransmitReady& effect) {
  Port* port = find(effect.connection);
  if (port != nullptr) port->ready = true;
}

void Server::on(const CloseConnection& effect) {
  Port* port = find(effect.connection);
  if (port == nullptr) return;
  contract(!port->close_asked, "CloseConnection twice");
  port->close_asked = true;
  scheduler_.wake(*this, kLinger, token_for([this, id = effect.connection] {
    if (find(id) == nullptr) return;
    network_.reset(id);
  }));
}

void Server::on(const NeedEntropy& effect) { give_entropy(effect.bytes); }

void Server::give_entropy(size_t bytes) { post(Entropy{}, random_bytes(bytes)); }

}  // namespace semblance::sim
