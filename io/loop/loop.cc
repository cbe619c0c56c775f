#include "io/loop/loop.h"

#include <spdlog/spdlog.h>
#include <sys/random.h>

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "io/loop/clock.h"

namespace semblance {

Loop::Loop(Engine& engine, Store& store, const AccountDatabase& accounts, const Limits& limits,
           std::unique_ptr<Backend> backend)
    : engine_(engine),
      store_(store),
      accounts_(accounts),
      backend_(std::move(backend)),
      workers_(store),
      buffers_(size_t{limits.write_max} + (64 << 10),
               std::max(kReceiveBytes, 4 * (size_t{limits.write_max} + (64 << 10)))),
      connections_(limits.connections),
      effects_(Engine::effects_capacity()),
      drain_limit_(Duration::seconds(limits.drain_seconds + 5)) {
  for (uint32_t slot = limits.connections; slot-- > 0;) {
    connections_[slot].id = {slot, 0};
    free_slots_.push_back(slot);
  }
  events_.reserve(Engine::kEventsPerStep);
  watch(workers_.ready_fd(), [this] { collect_workers(); });
  CHECK(watches_.size() == kWorkersWatch + 1);
}

// What is in flight refers to the buffers, so the backend goes first.
Loop::~Loop() { backend_.reset(); }

void Loop::configure(const Config& config) {
  now_ = monotonic_now();
  config_ = config;
  events_.push_back(Configure{&config_});
  events_.push_back(WallClock{wall_now()});
  carry_out(NeedEntropy{256});
  run_engine();
}

uint32_t Loop::watch(int fd, std::function<void()> readable) {
  const auto id = static_cast<uint32_t>(watches_.size());
  watches_.push_back({fd, std::move(readable)});
  backend_->watch(id, fd);
  return id;
}

void Loop::listen(Listener listener) {
  const size_t index = listeners_.size();
  const int fd = listener.fd.get();
  const uint32_t id = watch(fd, [this, index] { accept_from(index); });
  listeners_.push_back({std::move(listener), id});
}

void Loop::drain() {
  if (draining_) return;
  draining_ = true;
  drain_until_ = monotonic_now() + drain_limit_;
  for (const Listening& listening : listeners_) {
    backend_->unwatch(listening.watch);
    watches_[listening.watch] = {-1, {}};
  }
  accept_again_ = Instant::never();
  events_.push_back(Drain{});
}

void Loop::run() {
  while (!(draining_ && events_.empty() && (engine_.drained() || monotonic_now() > drain_until_)))
    iterate();
  listeners_.clear();
}

void Loop::iterate(Duration limit) {
  completions_.clear();
  const bool reports_matter = draining_ || !lingering_.empty();
  backend_->wait(time_to_wait(limit), reports_matter ? SentReports::kNow : SentReports::kMayWait,
                 completions_);
  now_ = monotonic_now();
  counters_.iterations++;
  events_.push_back(WallClock{wall_now()});
  if (now_ >= accept_again_) resume_accepting();
  for (const Completion& completion : completions_) on_completion(completion);
  run_engine();
  pull_transmits();
  cut_lingering();
  arm_receives();
  if (events_.empty()) free_closed();
  publish_if_due();
}

Duration Loop::time_to_wait(Duration limit) const {
  if (!events_.empty() || !to_deliver_.empty()) return {0};
  Instant until = std::min({engine_.deadline(), accept_again_, drain_until_});
  for (const uint32_t slot : lingering_) until = std::min(until, connections_[slot].close_by);
  if (unpublished_) until = std::min(until, published_at_ + kPublishEvery);
  if (until == Instant::never()) return limit;
  const Duration wait = std::max(Duration{0}, until - monotonic_now());
  return limit.ns < 0 ? wait : std::min(wait, limit);
}

void Loop::on_completion(const Completion& completion) {
  switch (completion.kind) {
    case Completion::Kind::kReceived:
      on_received(connections_[completion.slot], completion.result);
      break;
    case Completion::Kind::kSent:
      on_sent(connections_[completion.slot], completion.result);
      break;
    case Completion::Kind::kReadable: {
      const Watch& watched = watches_[completion.slot];
      if (watched.fd < 0) break;
      watched.readable();
      // What was called may have given the watch up, or paused it.
      const auto paused = [&](const Listening& l) {
        return l.paused && l.watch == completion.slot;
      };
      if (watched.fd >= 0 && std::ranges::none_of(listeners_, paused))
        backend_->watch(completion.slot, watched.fd);
      break;
    }
  }
}

void Loop::resume_accepting() {
  accept_again_ = Instant::never();
  for (Listening& listening : listeners_)
    if (std::exchange(listening.paused, false))
      backend_->watch(listening.watch, listening.listener.fd.get());
}

// Steps until nothing follows any more, or often enough for now.
void Loop::run_engine() {
  for (int round = 0; round < kRoundsMax && !events_.empty(); round++) {
    std::swap(events_, delivering_);
    for (size_t at = 0; at < delivering_.size(); at += Engine::kEventsPerStep)
      deliver(std::span(delivering_)
                  .subspan(at, std::min(Engine::kEventsPerStep, delivering_.size() - at)));
    delivering_.clear();
    if (events_.empty()) {
      entropy_.clear();
      deliver_again();
    }
  }
}

void Loop::deliver(std::span<const Event> events) {
  counters_.steps++;
  counters_.events += events.size();
  if (observer_ != nullptr) observer_->before_step(engine_, now_, events);
  engine_.step(now_, events, effects_);
  if (observer_ != nullptr) observer_->after_step(effects_.all());
  for (const Effect& effect : effects_.all()) {
    if (const auto* run = std::get_if<RunStore>(&effect))
      to_run_.push_back(run);
    else
      std::visit([this](const auto& what) { carry_out(what); }, effect);
  }
  run_store();
  effects_.clear();
}

namespace {

// Larger ones gain nothing, and a run is not to keep the others waiting.
constexpr size_t kMergedBytes = 64 << 10, kRunBytes = 256 << 10;

// What a read or write that may be merged is about.
struct Extent {
  size_t kind;
  StoreHandle handle;
  uint64_t offset, size;

  bool is_followed_by(const Extent& next) const {
    return next.kind == kind && next.handle == handle && next.offset == offset + size;
  }
};

std::optional<Extent> mergeable(const StoreOperation& operation) {
  std::optional<Extent> extent;
  if (const auto* read = std::get_if<StoreRead>(&operation))
    extent = {operation.index(), read->handle, read->offset, read->into.size()};
  else if (const auto* write = std::get_if<StoreWrite>(&operation); write && !write->write_through)
    extent = {operation.index(), write->handle, write->offset, write->data.size()};
  if (extent && extent->size > kMergedBytes) extent.reset();
  return extent;
}

}  // namespace

// As if one after the other: only what follows at once in order and in place is merged.
void Loop::run_store() {
  for (size_t at = 0; at < to_run_.size();) {
    neighbours_.assign(1, &to_run_[at]->what);
    auto last = mergeable(*neighbours_.front());
    uint64_t bytes = last ? last->size : 0;
    while (last && neighbours_.size() < Store::kRunMax &&
           at + neighbours_.size() < to_run_.size()) {
      const StoreOperation& what = to_run_[at + neighbours_.size()]->what;
      const auto next = mergeable(what);
      if (!next || !last->is_followed_by(*next) || bytes + next->size > kRunBytes) break;
      bytes += next->size;
      neighbours_.push_back(&what);
      last = next;
    }
    const size_t count = neighbours_.size();
    const size_t done = count > 1 ? store_.try_run(neighbours_) : 0;
    for (size_t i = 0; i < count; i++, at++) {
      if (i >= done) {
        carry_out(*to_run_[at]);
        continue;
      }
      const uint64_t size = mergeable(*neighbours_[i])->size;
      events_.push_back(StoreDone{to_run_[at]->operation, {StoreError::kNone, StoreCount{size}}});
    }
    counters_.store_inline += done;
    counters_.store_merged += done;
  }
  to_run_.clear();
}

// ---- Effects ------------------------------------------------------------------------------------

namespace {

bool changes_names(const StoreOperation& operation) {
  const auto* open = std::get_if<StoreOpen>(&operation);
  return (open != nullptr && open->what != OpenWhat::kExisting) ||
         std::holds_alternative<StoreUnlink>(operation) ||
         std::holds_alternative<StoreRename>(operation) ||
         std::holds_alternative<StoreLink>(operation);
}

}  // namespace

void Loop::carry_out(const RunStore& effect) {
  if (auto result = store_.try_now(effect.what)) {
    counters_.store_inline++;
    // The engine knows its changes of a directory by their time: it may not lie before them.
    if (changes_names(effect.what)) events_.push_back(WallClock{wall_now()});
    events_.push_back(StoreDone{effect.operation, *result});
  } else {
    counters_.store_waiting++;
    workers_.submit(effect.operation, effect.what);
  }
}

void Loop::carry_out(const Authenticate& effect) {
  events_.push_back(accounts_.find(effect.operation, effect.user, effect.domain));
}

void Loop::carry_out(const ReceiveProgress& effect) {
  Connection* connection = find(effect.connection);
  if (connection == nullptr || connection->buffer == BufferId::kNone) return;
  CHECK(effect.consumed <= connection->unconsumed());
  connection->begin += effect.consumed;
  connection->wanted = std::max<size_t>(effect.wanted, 1);
  connection->paused = effect.paused;
  if (effect.pinned) buffers_.state(connection->buffer).pinned = true;
  want_receive(*connection);
}

void Loop::carry_out(const ResumeReceiving& effect) {
  Connection* connection = find(effect.connection);
  if (connection == nullptr) return;
  connection->paused = false;
  if (connection->unconsumed() > 0) connection->wanted = 1;  // deliver what there is
  want_receive(*connection);
}

void Loop::carry_out(const ReleaseBuffer& effect) {
  ReceiveBuffers::State& state = buffers_.state(effect.buffer);
  if (!state.pinned) return;
  state.pinned = false;
  if (!state.detached) return;
  buffers_.release(effect.buffer);
  buffers_freed_ = true;
}

void Loop::carry_out(const TransmitReady& effect) {
  if (Connection* connection = find(effect.connection)) want_transmit(*connection);
}

void Loop::carry_out(const CloseConnection& effect) {
  Connection* connection = find(effect.connection);
  if (connection == nullptr || connection->last_words) return;
  connection->last_words = true;
  connection->close_by = now_ + kLingerMax;
  lingering_.push_back(connection->id.index);
  want_transmit(*connection);
}

void Loop::carry_out(const NeedEntropy& effect) {
  std::vector<uint8_t>& bytes = entropy_.emplace_back(effect.bytes);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::getrandom(bytes.data() + done, bytes.size() - done, 0);
    CHECK(got > 0 || errno == EINTR);
    if (got > 0) done += static_cast<size_t>(got);
  }
  events_.push_back(Entropy{bytes});
}

void Loop::carry_out(const LogLine& effect) {
  static constexpr spdlog::level::level_enum kLevels[] = {
      spdlog::level::err, spdlog::level::warn, spdlog::level::info, spdlog::level::debug};
  const auto level = kLevels[static_cast<size_t>(effect.level)];
  if (!spdlog::should_log(level)) return;
  std::string about;
  if (Connection* connection = find(effect.connection))
    about = fmt::format("c{}.{} {} ", effect.connection.index, effect.connection.generation,
                        connection->peer);
  if (effect.session != 0) about += fmt::format("s{:x} ", effect.session);
  if (effect.detail != 0)
    spdlog::log(level, "{}{} ({:#x})", about, effect.what, effect.detail);
  else
    spdlog::log(level, "{}{}", about, effect.what);
}

void Loop::collect_workers() {
  finished_.clear();
  workers_.collect(finished_);
  for (const WorkerPool::Finished& done : finished_)
    events_.push_back(StoreDone{done.operation, done.result});
}

// A snapshot is due a few times a second while there is something new to tell; a server without
// work publishes its last state and then sleeps.
void Loop::publish_if_due() {
  if (!publish_) return;
  if (now_ - published_at_ < kPublishEvery) {
    unpublished_ = true;
    return;
  }
  counters_.receive_buffer_bytes = buffers_.used();
  published_at_ = now_;
  unpublished_ = false;
  publish_(counters_);
}

}  // namespace semblance
