#include "tests/engine/harness/world.h"

#include <algorithm>

#include "engine/auth/ntlmv2.h"

namespace semblance::test {

std::string show(NtStatus status) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*s (0x%08X)", static_cast<int>(status_name(status).size()),
                status_name(status).data(), static_cast<uint32_t>(status));
  return text;
}

namespace {

Config config_of(const WorldOptions& options) {
  Config config;
  config.signing = options.signing;
  config.encryption = options.encryption;
  config.server_guid = {1, 2, 3, 4};
  ShareConfig data, fixed, open;
  data.name = "data";
  data.encrypt = options.encrypt;
  fixed.name = "fixed";
  fixed.read_only = true;
  open.name = "open";
  open.guest = options.guests;
  config.shares = {data, fixed, open};
  config.limits = options.limits;
  return config;
}

}  // namespace

World::World(WorldOptions options)
    : options_(std::move(options)),
      store_(3),
      engine_(options_.limits),
      effects_(Engine::effects_capacity()),
      config_(config_of(options_)),
      random_(options_.seed) {
  step(Configure{&config_});
  step(WallClock{wall_});
  store_.set_now(wall_);
  give_entropy(1024);
}

World::~World() {
  if (!settled_) settle();
}

Peer& World::add_peer(client::Options options) {
  ConnectionId id{0, next_generation_++};
  if (!free_indexes_.empty()) {
    id.index = free_indexes_.back();
    free_indexes_.pop_back();
  } else {
    id.index = next_index_++;
  }
  peers_.push_back(std::make_unique<Peer>(*this, id, std::move(options)));
  step(ConnectionOpened{id, "test"});
  return *peers_.back();
}

Peer* World::find(ConnectionId id) {
  for (auto& peer : peers_)
    if (peer->id_ == id && peer->open_) return peer.get();
  return nullptr;
}

void World::disconnect(Peer& peer) {
  if (!peer.open_) return;
  peer.open_ = false;  // whatever is said about it from here on is about an unknown connection
  peer.sync_.disconnected();
  step(ConnectionClosed{peer.id_});
  free_indexes_.push_back(peer.id_.index);
  Segment segment;
  EXPECT_EQ(engine_.transmit(peer.id_, {&segment, 1}), 0u) << "transmits on a closed connection";
}

void World::remove(Peer& peer, Faults faults) {
  disconnect(peer);
  if (faults == Faults::kCheck) expect_no_faults(peer);
  std::erase_if(peers_, [&](const auto& one) { return one.get() == &peer; });
}

// ---- Stepping -----------------------------------------------------------------------------------

void World::bare_step(std::span<const Event> events) {
  effects_.clear();
  if (before_step) before_step();
  if (options_.observer != nullptr) options_.observer->before_step(engine_, now_, events);
  engine_.step(now_, events, effects_);
  if (options_.observer != nullptr) options_.observer->after_step(effects_.all());
  if (after_step) after_step();
}

void World::step(std::span<const Event> events) {
  bare_step(events);
  // Effects are handled from a copy: handling one may step again.
  std::vector<Effect> effects(effects_.all().begin(), effects_.all().end());
  for (const Effect& effect : effects) std::visit([this](const auto& one) { on(one); }, effect);
  for (auto& [id, buffer] : buffers_) {
    if (buffer.sealed && receiving_ != nullptr && id == receiving_buffer_)
      buffer.copy.assign(buffer.bytes.get(), buffer.bytes.get() + buffer.size);
    EXPECT_TRUE(std::equal(buffer.copy.begin(), buffer.copy.end(), buffer.bytes.get()))
        << "the engine wrote into a receive buffer";
  }
  expect_transmit_announced();
}

void World::expect_transmit_announced() {
  for (auto& peer : peers_) {
    if (!peer->open_) continue;
    Segment segment;
    bool something = engine_.transmit(peer->id_, {&segment, 1}) != 0;
    EXPECT_EQ(something, peer->ready_) << "TransmitReady and transmit() disagree";
    if (something) {
      EXPECT_FALSE(segment.empty());
    }
  }
}

bool World::deliver(Peer& peer, size_t bytes) {
  if (!peer.open_ || peer.close_asked_ || peer.paused_) return false;
  Bytes out = peer.client_.outgoing();
  size_t take = std::min(bytes, out.size());
  if (take == 0 && !peer.more_) return false;
  peer.inbox_.insert(peer.inbox_.end(), out.begin(), out.begin() + take);
  peer.client_.sent(take);
  peer.more_ = false;
  // A buffer of exactly the right size for each delivery, so that a sanitizer sees every byte read
  // outside it or after its release.
  Buffer buffer;
  buffer.size = peer.inbox_.size();
  buffer.bytes.reset(new uint8_t[buffer.size]);
  std::copy(peer.inbox_.begin(), peer.inbox_.end(), buffer.bytes.get());
  buffer.copy = peer.inbox_;
  buffer.sealed = as_text(peer.inbox_).find("\xfdSMB") != std::string_view::npos;
  BufferId id{next_buffer_++};
  MutableBytes view(buffer.bytes.get(), buffer.size);
  buffers_[id] = std::move(buffer);
  receiving_ = &peer;
  receiving_buffer_ = id;
  delivered_ = view.size();
  progressed_ = false;
  step(BytesReceived{peer.id_, id, view});
  EXPECT_TRUE(progressed_) << "BytesReceived without ReceiveProgress";
  receiving_ = nullptr;
  return true;
}

bool World::collect(Peer& peer, size_t bytes) {
  if (!peer.open_) return false;
  std::array<Segment, 16> segments;
  size_t count = engine_.transmit(peer.id_, segments);
  size_t room = std::min(bytes, send_max_), taken = 0;
  for (size_t i = 0; i < count && room > taken; ++i) {
    Bytes part = segments[i].first(std::min(segments[i].size(), room - taken));
    peer.client_.receive(part);
    taken += part.size();
  }
  if (taken > 0) {
    // Known before the step looks at it: what is announced next is new.
    peer.ready_ = false;
    std::array<Segment, 1> rest;
    bare_step(std::array<Event, 1>{BytesSent{peer.id_, taken}});
    if (engine_.transmit(peer.id_, rest) != 0) peer.ready_ = true;
    std::vector<Effect> effects(effects_.all().begin(), effects_.all().end());
    for (const Effect& effect : effects)
      if (!std::holds_alternative<TransmitReady>(effect))
        std::visit([this](const auto& one) { on(one); }, effect);
  }
  finish_closing(peer);
  return taken > 0;
}

void World::finish_closing(Peer& peer) {
  Segment segment;
  if (peer.open_ && peer.close_asked_ && engine_.transmit(peer.id_, {&segment, 1}) == 0)
    disconnect(peer);
}

void World::meet_deadline() {
  for (int i = 0; engine_.deadline() <= now_; ++i) {
    ASSERT_LT(i, 10'000) << "deadline() stays in the past";
    step(std::span<const Event>{});
  }
}

bool World::run() {
  bool moved = false;
  for (bool again = true; again;) {
    again = false;
    meet_deadline();
    for (size_t i = 0; i < peers_.size(); ++i) {
      Peer& peer = *peers_[i];
      finish_closing(peer);
      again |= deliver(peer);
      again |= collect(peer);
    }
    std::vector<Held> ready = std::exchange(ready_, {});
    for (const Held& held : ready) complete(held, 1);
    again |= !ready.empty();
    moved |= again;
  }
  return moved;
}

void World::advance(Duration by) {
  Instant end = now_ + by;
  for (;;) {
    run();
    Instant next = engine_.deadline();
    if (next > end) break;
    wall_.ticks += static_cast<uint64_t>((next - now_).ns / 100);
    now_ = std::max(now_, next);
    step(WallClock{wall_});
  }
  wall_.ticks += static_cast<uint64_t>((end - now_).ns / 100);
  now_ = end;
  store_.set_now(wall_);
  step(WallClock{wall_});
  run();
}

// ---- Effects ------------------------------------------------------------------------------------

void World::on(const RunStore& effect) {
  operations_[effect.what.index()] += 1;
  StoreHandle handle = handle_of(effect.what);
  if (std::holds_alternative<StoreClose>(effect.what)) {
    EXPECT_FALSE(in_use_.contains(handle)) << "a handle closed while an operation uses it";
  } else if (handle != StoreHandle::kNone) {
    in_use_.insert(handle);
  }
  bool hold = filter_ && filter_(effect.what);
  (hold ? held_ : ready_).push_back({effect.operation, effect.what});
}

void World::on(const Authenticate& effect) {
  (hold_accounts_ ? held_ : ready_).push_back({effect.operation, effect});
}

void World::on(const ReceiveProgress& effect) {
  ASSERT_TRUE(receiving_ != nullptr && receiving_->id_ == effect.connection && !progressed_)
      << "ReceiveProgress that answers no BytesReceived";
  progressed_ = true;
  Peer& peer = *receiving_;
  ASSERT_LE(effect.consumed, delivered_);
  peer.inbox_.erase(peer.inbox_.begin(), peer.inbox_.begin() + effect.consumed);
  peer.paused_ = effect.paused;
  peer.wanted_ = effect.wanted;
  EXPECT_GE(effect.wanted, 4u);
  peer.more_ = !effect.paused && effect.wanted <= peer.inbox_.size();
  if (!effect.pinned) free_buffer(receiving_buffer_);
}

void World::on(const ResumeReceiving& effect) {
  Peer* peer = find(effect.connection);
  ASSERT_TRUE(peer != nullptr) << "ResumeReceiving for an unknown connection";
  EXPECT_TRUE(peer->paused_) << "ResumeReceiving for a connection that was not paused";
  peer->paused_ = false;
  peer->more_ = !peer->inbox_.empty();
}

void World::on(const ReleaseBuffer& effect) {
  EXPECT_TRUE(buffers_.contains(effect.buffer)) << "a buffer released that is not pinned";
  free_buffer(effect.buffer);
}

void World::free_buffer(BufferId id) { buffers_.erase(id); }

void World::on(const TransmitReady& effect) {
  Peer* peer = find(effect.connection);
  ASSERT_TRUE(peer != nullptr) << "TransmitReady for an unknown connection";
  EXPECT_FALSE(peer->ready_) << "TransmitReady twice";
  peer->ready_ = true;
}

void World::on(const CloseConnection& effect) {
  Peer* peer = find(effect.connection);
  ASSERT_TRUE(peer != nullptr) << "CloseConnection for an unknown connection";
  EXPECT_FALSE(peer->close_asked_) << "CloseConnection twice";
  peer->close_asked_ = true;
}

void World::on(const NeedEntropy& effect) { give_entropy(effect.bytes); }

void World::give_entropy(size_t bytes) {
  std::vector<uint8_t> random(bytes);
  for (uint8_t& byte : random) {
    // SplitMix64
    uint64_t z = (random_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    byte = static_cast<uint8_t>(z ^ (z >> 31));
  }
  step(Entropy{random});
}

// ---- The store ----------------------------------------------------------------------------------

void World::complete(const Held& held, int times) {
  Event event;
  if (held.is_store()) {
    const auto& operation = std::get<StoreOperation>(held.what);
    std::optional<StoreResult> result;
    if (override_) result = override_(operation);
    if (!result) result = store_.execute(operation);
    event = StoreDone{held.id, *result};
    if (auto used = in_use_.find(handle_of(operation)); used != in_use_.end()) in_use_.erase(used);
  } else {
    const auto& wanted = std::get<Authenticate>(held.what);
    AccountFound found{held.id, AccountState::kUnknown};
    auto account = options_.accounts.find(std::string(wanted.user));
    if (account != options_.accounts.end()) {
      found.state = account->second.state;
      found.nt_hash = *auth::nt_hash_of(account->second.password);
      found.uid = 1000 + static_cast<uint32_t>(std::distance(options_.accounts.begin(), account));
    }
    event = found;
  }
  for (int i = 0; i < times; ++i) step(event);
}

void World::complete(size_t index, int times) {
  ASSERT_LT(index, held_.size());
  Held held = held_[index];
  held_.erase(held_.begin() + static_cast<ptrdiff_t>(index));
  complete(held, times);
}

void World::complete_all(int times) {
  while (!held_.empty()) complete(size_t{0}, times);
}

void World::make_outside(std::string_view path, OpenWhat what, std::string_view content,
                         ShareId share) {
  uint8_t access = what == OpenWhat::kNewFile ? kOpenRead | kOpenWrite : kOpenRead;
  StoreResult made = store_.execute(StoreOpen{share, path, what, access});
  ASSERT_TRUE(made.ok()) << path;
  StoreHandle handle = std::get<StoreOpened>(made.value).handle;
  if (!content.empty()) store_.execute(StoreWrite{handle, 0, as_bytes(content)});
  store_.execute(StoreClose{handle});
}

std::array<uint32_t, kStoreOperationKinds> World::take_operations() {
  return std::exchange(operations_, {});
}

uint32_t World::take_operation_count() {
  uint32_t sum = 0;
  for (uint32_t count : take_operations()) sum += count;
  return sum;
}

// ---- At rest ------------------------------------------------------------------------------------

void World::expect_quiet() {
  EngineReport r = report();
  EXPECT_EQ(r.requests, 0u) << "requests left";
  EXPECT_EQ(r.frames, 0u) << "coroutine frames left";
  EXPECT_EQ(r.transmit_bytes, 0u) << "transmit blocks left";
  EXPECT_TRUE(buffers_.empty()) << "receive buffers still pinned";
  EXPECT_EQ(r.counters.bugs, 0u) << "broken invariants of the engine";
  for (size_t i = 0; i < smb::kShapes; ++i)
    EXPECT_EQ(r.ledgers[i].over_budget, 0u)
        << "over budget: " << smb::shape_name(static_cast<smb::Shape>(i)) << ", at most "
        << r.ledgers[i].operations_max << " operations";
}

void World::settle() {
  settled_ = true;
  run();
  for (auto& peer : peers_) disconnect(*peer);
  hold_nothing();
  hold_accounts(false);
  run();
  while (!held_.empty()) {
    complete_all();
    run();
  }
  expect_quiet();
  EngineReport r = report();
  EXPECT_EQ(r.connections, 0u);
  EXPECT_EQ(r.sessions, 0u);
  EXPECT_EQ(r.trees, 0u);
  EXPECT_EQ(r.opens, 0u);
  EXPECT_EQ(r.files, 0u);
  EXPECT_EQ(store_.open_count(), 0u) << "store handles left";
  for (auto& peer : peers_) expect_no_faults(*peer);
}

void World::expect_no_faults(const Peer& peer) {
  for (const std::string& fault : peer.client_.faults())
    ADD_FAILURE() << "connection " << peer.id_.generation << ": " << fault;
}

}  // namespace semblance::test
