#include "fuzz/support/world.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace semblance::fuzz {
namespace {

Config config_of(const WorldOptions& options) {
  Config config;
  config.signing = options.signing;
  config.encryption = options.encryption;
  config.server_guid = {1, 2, 3, 4};
  config.bugs = BugPolicy::kAbort;  // a request over its budget too
  ShareConfig data, fixed, sealed;
  data.name = "data";
  data.guest = true;
  fixed.name = "fixed";
  fixed.read_only = true;
  sealed.name = "sealed";
  sealed.encrypt = true;
  config.shares = {data, fixed, sealed};
  config.limits = options.limits;
  return config;
}

// Its capacity is in the contract and takes megabytes, so there is one for all worlds. It is empty
// between steps.
EffectQueue& effect_queue() {
  static EffectQueue queue(Engine::effects_capacity());
  return queue;
}

}  // namespace

Limits tiny_limits() {
  Limits limits;
  limits.connections = 6;
  limits.sessions = 8;
  limits.sessions_per_connection = 4;
  limits.trees = 8;
  limits.opens = 16;
  limits.locks = 32;
  limits.locks_per_open = 12;
  limits.requests = 24;
  limits.requests_per_connection = 12;
  limits.async_per_connection = 4;
  limits.frames = 24;
  limits.credits = 128;
  limits.compound = 12;
  // Replies then fit into the engine's small blocks, which it keeps; larger ones cost a mapping
  // each.
  limits.read_max = limits.write_max = limits.transact_max = 48 << 10;
  limits.transmit_bytes_per_connection = 512 << 10;
  limits.transmit_bytes = 2 << 20;
  limits.index_entries = 64;
  return limits;
}

World::World(const WorldOptions& options) : store_(3), engine_(options.limits) {
  Config config = config_of(options);
  step(Configure{&config});
  step(WallClock{wall_});
  store_.memory().set_now(wall_);
  run();
}

size_t World::connect() {
  ConnectionId id{next_index_, next_generation_++};
  if (free_indexes_.empty()) {
    ++next_index_;
  } else {
    id.index = free_indexes_.back();
    free_indexes_.pop_back();
  }
  wires_.push_back(std::make_unique<Wire>());
  wires_.back()->id = id;
  step(ConnectionOpened{id, "fuzz"});
  return wires_.size() - 1;
}

Wire* World::find(ConnectionId id) {
  for (auto& wire : wires_)
    if (wire->id == id && wire->open) return wire.get();
  return nullptr;
}

// What is said about a connection must be about one that is open.
Wire& World::get(ConnectionId id) {
  Wire* wire = find(id);
  CHECK(wire != nullptr);
  return *wire;
}

void World::disconnect(size_t index) {
  Wire& w = wire(index);
  if (!w.open) return;
  w.open = false;
  w.inbox.clear();
  w.fresh = 0;
  free_indexes_.push_back(w.id.index);
  step(ConnectionClosed{w.id});
  Segment segment;
  CHECK(engine_.transmit(w.id, {&segment, 1}) == 0);
}

void World::forget_closed() {
  std::erase_if(wires_, [](const auto& wire) { return !wire->open; });
}

// ---- Steps --------------------------------------------------------------------------------------

void World::step(std::span<const Event> events) {
  EffectQueue& effects = effect_queue();
  engine_.step(now_, events, effects);
  for (const Effect& effect : effects.all())
    std::visit([this](const auto& one) { handle(one); }, effect);
  effects.clear();
  for (auto& wire : wires_) {
    if (!wire->open) continue;
    Segment segment;
    bool something = engine_.transmit(wire->id, {&segment, 1}) != 0;
    CHECK(!something || !segment.empty());
    CHECK(something == wire->ready);  // TransmitReady and transmit() agree
  }
}

void World::send(size_t index, Bytes bytes) {
  Wire& w = wire(index);
  w.inbox.insert(w.inbox.end(), bytes.begin(), bytes.end());
  w.fresh += bytes.size();
}

bool World::deliver(size_t index, size_t bytes) {
  Wire& w = wire(index);
  if (!w.open || w.close_asked || w.paused) return false;
  size_t take = std::min(bytes, w.fresh);
  if (take == 0 && !w.more) return false;
  w.more = false;
  w.fresh -= take;
  // Memory of exactly the right size, so that the sanitizer sees every byte read outside it or
  // after its release.
  delivered_ = w.inbox.size() - w.fresh;
  delivery_ = {BufferId{next_buffer_++}, std::unique_ptr<uint8_t[]>(new uint8_t[delivered_])};
  std::copy_n(w.inbox.begin(), delivered_, delivery_.bytes.get());
  receiving_ = &w;
  step(BytesReceived{w.id, delivery_.id, {delivery_.bytes.get(), delivered_}});
  CHECK(receiving_ == nullptr);  // ReceiveProgress answers every BytesReceived
  return true;
}

bool World::collect(size_t index, size_t bytes) {
  Wire& w = wire(index);
  if (!w.open) return false;
  std::array<Segment, 4> segments;
  size_t count = engine_.transmit(w.id, segments), taken = 0;
  for (size_t i = 0; i < count && taken < bytes; ++i) {
    Bytes part = segments[i].first(std::min(segments[i].size(), bytes - taken));
    w.received.insert(w.received.end(), part.begin(), part.end());
    taken += part.size();
  }
  if (taken > 0) {
    EffectQueue& effects = effect_queue();
    Event sent = BytesSent{w.id, taken};
    engine_.step(now_, {&sent, 1}, effects);
    // What is left was announced before; what is new is announced now.
    Segment segment;
    w.ready = engine_.transmit(w.id, {&segment, 1}) != 0;
    for (const Effect& effect : effects.all()) {
      auto* ready = std::get_if<TransmitReady>(&effect);
      if (ready == nullptr || ready->connection != w.id)
        std::visit([this](const auto& one) { handle(one); }, effect);
    }
    effects.clear();
  }
  finish_closing(index);
  return taken > 0;
}

void World::finish_closing(size_t index) {
  Wire& w = wire(index);
  Segment segment;
  if (w.open && w.close_asked && engine_.transmit(w.id, {&segment, 1}) == 0) disconnect(index);
}

void World::meet_deadline() {
  for (int i = 0; engine_.deadline() <= now_; ++i) {
    CHECK(i < 10'000);  // deadline() does not stay in the past
    step(std::span<const Event>{});
  }
}

void World::run() {
  for (bool again = true; again;) {
    again = false;
    meet_deadline();
    if (entropy_wanted_ > 0) {
      std::vector<uint8_t> bytes(std::exchange(entropy_wanted_, 0));
      for (uint8_t& byte : bytes)
        byte = static_cast<uint8_t>((random_ = random_ * 6364136223846793005 + 1) >> 56);
      step(Entropy{bytes});
    }
    for (size_t i = 0; i < wires_.size(); ++i) {
      finish_closing(i);
      again |= deliver(i);
      again |= collect(i);
    }
    again |= answer_ready();
  }
}

void World::advance(Duration by) {
  Instant end = now_ + by;
  for (;;) {
    run();
    Instant next = engine_.deadline();
    if (next > end) break;
    now_ = std::max(now_, next);
    step(std::span<const Event>{});
  }
  wall_.ticks += static_cast<uint64_t>(by.ns / 100);
  now_ = end;
  store_.memory().set_now(wall_);
  step(WallClock{wall_});
  run();
}

// ---- Effects ------------------------------------------------------------------------------------

namespace {

bool uses(const Held& held, StoreHandle handle) {
  auto* operation = std::get_if<StoreOperation>(&held.what);
  return operation != nullptr && handle_of(*operation) == handle;
}

}  // namespace

void World::handle(const RunStore& effect) {
  // No handle is given back while an operation uses it. (ready_ are executed in order.)
  if (auto* close = std::get_if<StoreClose>(&effect.what))
    for (const Held& held : held_) CHECK(!uses(held, close->handle));
  (hold_ ? held_ : ready_).push_back({effect.operation, effect.what});
}

void World::handle(const Authenticate& effect) {
  (hold_ ? held_ : ready_).push_back({effect.operation, effect});
}

void World::handle(const ReceiveProgress& effect) {
  CHECK(receiving_ != nullptr && receiving_->id == effect.connection);
  Wire& w = *std::exchange(receiving_, nullptr);
  CHECK(effect.consumed <= delivered_ && effect.wanted >= 4);
  w.inbox.erase(w.inbox.begin(), w.inbox.begin() + effect.consumed);
  w.paused = effect.paused;
  w.more = !effect.paused && effect.wanted <= delivered_ - effect.consumed;
  if (effect.pinned) pinned_.push_back(std::move(delivery_));
  delivery_ = {};
}

void World::handle(const ResumeReceiving& effect) {
  Wire& w = get(effect.connection);
  CHECK(w.paused);
  w.paused = false;
  w.more = w.inbox.size() > w.fresh;
}

void World::handle(const ReleaseBuffer& effect) {
  auto found = std::ranges::find(pinned_, effect.buffer, &Buffer::id);
  CHECK(found != pinned_.end());
  pinned_.erase(found);
}

void World::handle(const TransmitReady& effect) {
  Wire& w = get(effect.connection);
  CHECK(!w.ready);
  w.ready = true;
}

void World::handle(const CloseConnection& effect) {
  Wire& w = get(effect.connection);
  CHECK(!w.close_asked);
  w.close_asked = true;
}

void World::handle(const NeedEntropy& effect) { entropy_wanted_ += effect.bytes; }

// ---- The store and the accounts -----------------------------------------------------------------

void World::answer(const Held& held, int times) {
  Event event;
  if (auto* operation = std::get_if<StoreOperation>(&held.what)) {
    event = StoreDone{held.id, store_.execute(*operation)};
  } else {
    std::string_view user = std::get<Authenticate>(held.what).user;
    AccountFound found{held.id, AccountState::kUnknown};
    if (user == "anna") found = {held.id, AccountState::kActive, {1, 2, 3}, 1000};
    if (user == "gone") found.state = AccountState::kDisabled;
    if (user == "late") found.state = AccountState::kUnavailable;
    event = found;
  }
  for (int i = 0; i < times; ++i) step(event);
}

bool World::answer_ready() {
  if (ready_.empty()) return false;
  // Answering makes new ones: by index, and a copy of each.
  for (size_t i = 0; i < ready_.size(); ++i) {
    Held held = ready_[i];
    answer(held, 1);
  }
  ready_.clear();
  return true;
}

void World::complete(size_t index, int times) {
  CHECK(index < held_.size());
  Held held = held_[index];
  held_.erase(held_.begin() + static_cast<ptrdiff_t>(index));
  answer(held, times);
}

void World::complete_all() {
  while (!held_.empty()) complete(0);
}

// ---- At rest ------------------------------------------------------------------------------------

void World::settle() {
  run();
  for (size_t i = 0; i < wires_.size(); ++i) disconnect(i);
  hold_ = false;
  run();
  while (!held_.empty()) {
    complete_all();
    run();
  }
  EngineReport r = engine_.report();
  CHECK(r.requests == 0 && r.frames == 0 && r.transmit_bytes == 0);
  CHECK(r.connections == 0 && r.sessions == 0 && r.trees == 0 && r.opens == 0 && r.files == 0);
  CHECK(r.counters.bugs == 0);
  for (const smb::LedgerRow& row : r.ledgers) CHECK(row.over_budget == 0);
  CHECK(pinned_.empty());
  CHECK(store_.memory().open_count() == 0);
}

}  // namespace semblance::fuzz
