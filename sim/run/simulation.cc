#include "sim/run/simulation.h"

#include <algorithm>

#include "engine/auth/ntlmv2.h"
#include "engine/base/planted.h"
#include "engine/smb/report.h"
#include "sim/choice/sources.h"
#include "sim/clients/actor.h"
#include "sim/log/trace_hash.h"
#include "sim/oracles/suite.h"
#include "sim/run/trace.h"
#include "sim/world/outside_actor.h"
#include "sim/world/server.h"

namespace semblance::sim {

namespace {

constexpr Duration kWorkMax = Duration::seconds(600);
constexpr Duration kHealMax = Duration::seconds(400);
constexpr uint64_t kWakesMax = 2'000'000;
constexpr uint32_t kClientsMax = 5;

constexpr ShareId kData{0}, kFixed{1}, kOpen{2}, kVault{3};

class Hasher : public Observer {
 public:
  void event(Instant now, const Event& event) override { hash_.event(now, event); }
  void effect(const Effect& effect) override { hash_.effect(effect); }
  void transmitted(ConnectionId id, Bytes bytes) override { hash_.sent(id, bytes); }
  std::array<uint64_t, 2> digest() const { return hash_.digest(); }

 private:
  TraceHash hash_;
};

// What a run is like, drawn once.
struct Shape {
  Chooser& chooser;

  uint32_t pick(uint64_t what, uint32_t bound) { return chooser.pick(Site::kShape, what, bound); }
  bool chance(uint64_t what, uint32_t ppm) { return chooser.chance(Site::kShape, what, ppm); }
};
enum ShapeEntity : uint64_t {
  kWorkload,
  kClients,
  kSigning,
  kGuests,
  kLimit = 5,
  kClient = 1000,
};

Limits limits_of(const Swarm& swarm, Shape shape) {
  Limits limits;
  limits.connections = 32;
  limits.sessions = 32;
  limits.sessions_per_connection = 8;
  limits.trees = 64;
  limits.opens = 256;
  limits.locks = 1024;
  limits.locks_per_open = 64;
  limits.requests = 256;
  limits.requests_per_connection = 64;
  limits.async_per_connection = 16;
  limits.frames = 128;
  limits.credits = 512;
  limits.compound = 16;
  limits.read_max = limits.write_max = limits.transact_max = 1u << 20;
  limits.transmit_bytes_per_connection = 4u << 20;
  limits.transmit_bytes = 16u << 20;
  limits.index_entries = 4096;
  if (!swarm.has(FaultClass::kLimits)) return limits;
  auto few = [&](uint32_t& limit, uint32_t least, uint32_t range) {
    if (shape.chance(kLimit, 400'000)) limit = least + shape.pick(kLimit, range);
  };
  few(limits.sessions, 2, 6);
  few(limits.trees, 4, 12);
  few(limits.opens, 2, 20);
  few(limits.locks_per_open, 1, 5);
  few(limits.requests, 4, 20);
  few(limits.requests_per_connection, 2, 10);
  few(limits.async_per_connection, 1, 3);
  few(limits.frames, 2, 10);
  few(limits.credits, 8, 60);
  few(limits.compound, 2, 4);
  few(limits.index_entries, 1, 10);
  few(limits.interim_ms, 1, 500);
  return limits;
}

struct User {
  std::string_view name, password;
  AccountState state = AccountState::kActive;
};
constexpr User kUsers[] = {
    {"anna", "secret"}, {"bert", "hidden"}, {"gone", "secret", AccountState::kDisabled}};

ServerOptions server_options(const RunOptions& options, const Swarm& swarm, Shape shape) {
  ServerOptions server;
  ShareConfig data, fixed, open;
  data.name = "data";
  fixed.name = "fixed";
  fixed.read_only = true;
  open.name = "open";
  open.guest = shape.chance(kGuests, 500'000);
  Config& config = server.config;
  ShareConfig vault;
  vault.name = "vault";
  vault.encrypt = true;
  config.shares = {data, fixed, open, vault};
  config.server_guid = {1, 2, 3, 4};
  // Counted and judged at rest, so that a failure can say what it is.
  config.bugs = BugPolicy::kCloseConnection;
  config.signing = shape.chance(kSigning, 300'000) ? Requirement::kRequired : Requirement::kAuto;
  if (options.signing) config.signing = *options.signing;
  config.limits = limits_of(swarm, shape);
  for (const User& user : kUsers)
    server.accounts.push_back(
        {std::string(user.name), *auth::nt_hash_of(std::string(user.password)), user.state});
  server.entropy_seed = options.seed;
  server.wall = FileTime::from_unix(kFirstWallSecond, 0);
  server.crash_at_effect = options.crash_at_effect;
  server.crash_kind = options.crash_kind;
  server.effects = options.effects;
  return server;
}

constexpr uint64_t kFurnished = 64 << 10;  // bytes of the disk, more than these files need

// The files that are there from the start.
void furnish(Disk& disk) {
  disk.set_now(FileTime::from_unix(1'600'000'000, 0));
  Outside outside(disk);
  for (ShareId share : {kData, kFixed, kOpen, kVault}) {
    std::string content = share == kVault ? std::string(kCanary) : std::string();
    content.resize(1500, 'a');
    outside.create_file(share, "a", as_bytes(content));
    outside.create_directory(share, "dir");
    outside.create_file(share, "dir/a", as_bytes("in a directory"));
    outside.create_directory(share, "dir/sub");
    outside.create_file(share, "c.txt", as_bytes(std::string(5000, 'c')));
    outside.create_symlink(share, "link", "a");
  }
  disk.sync();
}

class Simulation {
 public:
  Simulation(Chooser& chooser, const RunOptions& options)
      : options_(options),
        chooser_(chooser),
        swarm_(Swarm::draw(chooser, options.faults)),
        failures_(scheduler_),
        network_(scheduler_, chooser, swarm_),
        disk_(4, 4096) {
    result_.swarm = swarm_.text();
    observers_.add(hasher_);
    observers_.add(suite_.witness());
    for (Observer* watcher : options.watchers) observers_.add(*watcher);
    if (options.trace != nullptr) {
      trace_.emplace(failures_, scheduler_, options.trace);
      suite_.witness().add_first(*trace_);
    }
    furnish(disk_);
    if (swarm_.has(FaultClass::kDiskFull)) {
      constexpr uint32_t kRoomMax = 1 << 20;
      disk_.set_capacity(kFurnished + chooser.log_uniform(Site::kCapacity, 0, kRoomMax));
    }
    Shape shape{chooser};
    server_.emplace(server_options(options, swarm_, shape), scheduler_, chooser_, swarm_, network_,
                    disk_, observers_, failures_);
    outside_.emplace(scheduler_, chooser_, swarm_, disk_, *server_, observers_);
    hire(shape);
  }

  RunResult run() {
    observers_.tell(&Observer::begins, scheduler_);
    if (swarm_.has(FaultClass::kOutside)) outside_->start();
    for (auto& actor : actors_) actor->start();
    Instant start = scheduler_.now();
    run_until(start + kWorkMax, [this] { return all_finished(); });
    // What is under way goes on for a moment.
    run_until(scheduler_.now() + Duration::milliseconds(500), [] { return false; });
    heal();
    result_.requests = suite_.witness().requests();
    result_.events = scheduler_.wakes();
    result_.effects = server_->effects();
    result_.simulated = scheduler_.now() - start;
    result_.hash = hasher_.digest();
    result_.failure = failures_.first();
    result_.marks = server_->marks();
    result_.choices = chooser_.choices();
    return std::move(result_);
  }

 private:
  void hire(Shape shape);
  void hire_scripted(const Surroundings& world);
  bool all_finished() const {
    return std::ranges::all_of(actors_, [](const auto& actor) { return actor->finished(); });
  }
  template <typename Done>
  bool run_until(Instant end, Done done);
  void heal();
  void expect_rest();
  std::string unrest() const;

  const RunOptions& options_;
  RunResult result_;
  Chooser& chooser_;
  Scheduler scheduler_;
  Swarm swarm_;
  Failures failures_;
  Observers observers_;
  Network network_;
  Disk disk_;
  Hasher hasher_;
  OracleSuite suite_{failures_, scheduler_, disk_};
  std::optional<Trace> trace_;
  std::optional<Server> server_;
  std::optional<OutsideActor> outside_;
  Commons commons_;
  std::vector<std::unique_ptr<ClientActor>> actors_;
};

// One command at a time, without a pause.
constexpr Workload kScripted{"scripted", {}, 0, 1, 0, 0};

void Simulation::hire_scripted(const Surroundings& world) {
  ActorOptions actor;
  actor.commands = options_.requests;
  actor.workload = &kScripted;
  actor.script = options_.script;
  actor.user = kUsers[0].name;
  actor.password = kUsers[0].password;
  result_.shape = kScripted.name;
  actors_.push_back(std::make_unique<ClientActor>(std::move(actor), world));
}

void Simulation::hire(Shape shape) {
  Surroundings world{scheduler_, chooser_,   swarm_,    network_,
                     *server_,   observers_, failures_, commons_};
  if (options_.script) return hire_scripted(world);
  if (options_.clients) {
    result_.shape = std::to_string(options_.clients->size()) + " clients as given";
    for (ActorOptions actor : *options_.clients) {
      actor.number = static_cast<uint32_t>(actors_.size());
      actors_.push_back(std::make_unique<ClientActor>(std::move(actor), world));
    }
    return;
  }
  auto all = workloads();
  const Workload& workload = all[shape.pick(kWorkload, static_cast<uint32_t>(all.size()))];
  uint32_t count = 1 + shape.pick(kClients, kClientsMax);
  result_.shape = std::string(workload.name) + ", " + std::to_string(count) + " clients";
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t entity = kClient + i;
    ActorOptions actor;
    actor.number = i;
    // Five requests of a client are its way in.
    actor.commands =
        std::max(1u, options_.requests / count - std::min(5u, options_.requests / count));
    actor.workload = &workload;
    if (swarm_.has(FaultClass::kMutate) && shape.chance(entity, 500'000))
      actor.manners = Manners::kMutating;
    if (swarm_.has(FaultClass::kByzantine) && shape.chance(entity, 400'000))
      actor.manners = Manners::kByzantine;
    constexpr uint16_t kDialects[] = {0, 0x0311, 0x0302, 0x0300, 0x0210, 0x0202};
    constexpr uint32_t kDialectWeights[] = {40, 20, 10, 10, 10, 10};
    uint16_t dialect = kDialects[chooser_.weighted(Site::kShape, entity, kDialectWeights)];
    if (dialect != 0) actor.client.dialects = {dialect};
    constexpr uint16_t kAlgorithms[] = {2, 1, 0};
    if (shape.chance(entity, 300'000))
      actor.client.signing_algorithms = {kAlgorithms[shape.pick(entity, 3)]};
    // Four ciphers, or one of them, or none.
    constexpr uint32_t kCipherWeights[] = {40, 30, 30};
    uint32_t ciphers = chooser_.weighted(Site::kShape, entity, kCipherWeights);
    if (ciphers == 1) actor.client.ciphers = {2, 1, 4, 3};
    if (ciphers == 2) actor.client.ciphers = {static_cast<uint16_t>(1 + shape.pick(entity, 4))};
    actor.seal = ciphers != 0 && shape.chance(entity, 300'000);
    actor.signing_required = shape.chance(entity, 300'000);
    constexpr uint32_t kUserWeights[] = {60, 30, 3, 4, 3};
    uint32_t user = chooser_.weighted(Site::kShape, entity, kUserWeights);
    if (user == 3) {
      actor.anonymous = true;
      actor.share = u"open";
    } else if (user == 4) {
      actor.user = "stranger";
      actor.password = "guess";
      actor.share = u"open";
    } else {
      actor.user = kUsers[user].name;
      actor.password = kUsers[user].password;
      constexpr std::u16string_view kShares[] = {u"data", u"fixed", u"open", u"vault", u"nowhere"};
      constexpr uint32_t kShareWeights[] = {77, 7, 8, 7, 1};
      actor.share = kShares[chooser_.weighted(Site::kShape, entity, kShareWeights)];
    }
    actors_.push_back(std::make_unique<ClientActor>(std::move(actor), world));
  }
}

template <typename Done>
bool Simulation::run_until(Instant end, Done done) {
  while (!failures_.first() && !done()) {
    if (!scheduler_.run_one(end)) return done();
    if (scheduler_.wakes() > kWakesMax)
      failures_.add("liveness", "the world does not come to rest");
  }
  return !failures_.first();
}

void Simulation::heal() {
  if (failures_.first()) return;
  bool drains = chooser_.chance(Site::kReload, 2, swarm_.ppm(FaultClass::kReload, 600'000));
  swarm_.heal();
  disk_.set_capacity(UINT64_MAX);
  Instant end = scheduler_.now() + kHealMax;
  run_until(end, [this] { return server_->running(); });
  // Sometimes the server ends it: those who wait for nothing are sent away.
  if (drains && server_->running()) server_->drain();
  for (auto& actor : actors_) actor->wind_down();
  auto at_rest = [this] {
    return server_->connections() == 0 && server_->idle() &&
           std::ranges::all_of(actors_, [](const auto& actor) { return actor->gone(); });
  };
  if (!run_until(end, at_rest)) {
    if (!failures_.first())
      failures_.add("liveness", "the healed world does not come to rest: " + unrest());
    return;
  }
  // Closing what the last connections left takes a few steps more.
  run_until(scheduler_.now() + Duration::seconds(5), [] { return false; });
  if (!failures_.first()) expect_rest();
}

std::string Simulation::unrest() const {
  std::string text = std::to_string(server_->connections()) + " connections, " +
                     std::to_string(server_->operations()) + " operations, " +
                     std::to_string(server_->pinned()) + " pinned buffers";
  for (const auto& actor : actors_)
    if (!actor->gone()) text += ", client " + actor->state();
  return text;
}

void Simulation::expect_rest() {
  EngineReport report = server_->engine().report();
  auto none = [this](uint64_t count, const char* what) {
    if (count != 0)
      failures_.add("rest", std::to_string(count) + " " + what + " left when all have gone");
  };
  none(report.connections, "connections");
  none(report.sessions, "sessions");
  none(report.trees, "trees");
  none(report.opens, "opens");
  none(report.files, "files");
  none(report.requests, "requests");
  none(report.frames, "coroutine frames");
  none(report.transmit_bytes, "bytes to transmit");
  none(server_->pinned(), "pinned receive buffers");
  none(disk_.open_count(), "handles of the disk");
  none(report.counters.bugs, "broken invariants of the engine");
  observers_.tell(&Observer::rested, server_->engine());
  if (PLANTED(kCanary)) failures_.add("canary", "a failure out of nothing");
}

}  // namespace

RunResult simulate(Chooser& chooser, const RunOptions& options) {
  return Simulation(chooser, options).run();
}

}  // namespace semblance::sim
