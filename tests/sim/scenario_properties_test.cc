// Whole worlds as properties. Any world holds what the oracles say. And what must make no
// difference to the answers makes none: how bytes are split and events gathered, in which order
// operations of different clients complete, whether messages are signed or sealed.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "sim/choice/sources.h"
#include "sim/run/simulation.h"
#include "tests/sim/answers.h"

namespace semblance::sim::test {
namespace {

// ---- Any world ----------------------------------------------------------------------------------

// One word for each decision, in order; 0 at their end. A vector of words shrinks by losing some
// and by making others smaller, which is towards the uneventful answer.
class WordsSource : public Source {
 public:
  explicit WordsSource(std::vector<uint32_t> words) : words_(std::move(words)) {}
  uint32_t decide(const Decision&, uint32_t bound, std::span<const uint32_t> weights) override {
    if (at_ == words_.size()) return 0;
    uint64_t word = words_[at_++];
    if (weights.empty()) return static_cast<uint32_t>(word * bound >> 32);
    uint64_t sum = 0;
    for (uint32_t weight : weights) sum += weight;
    uint64_t point = word * sum >> 32;
    uint32_t i = 0;
    for (; point >= weights[i]; ++i) point -= weights[i];
    return i;
  }

 private:
  std::vector<uint32_t> words_;
  size_t at_ = 0;
};

// Enough for small worlds; a longer run goes on uneventfully.
constexpr int kWordsMax = 600;

TEST(ScenarioProperties, OraclesHoldInAnyWorld) {
  EXPECT_TRUE(rc::check([] {
    const auto words =
        *rc::gen::resize(kWordsMax, rc::gen::container<std::vector<uint32_t>>(rc::gen::resize(
                                        rc::kNominalSize, rc::gen::arbitrary<uint32_t>())));
    WordsSource source(words);
    Chooser chooser(source);
    RunOptions options;
    options.requests = 15;
    const RunResult result = simulate(chooser, options);
    RC_CLASSIFY(result.swarm != "none");
    if (!result.failure) return;
    RC_FAIL(result.failure->oracle + ": " + result.failure->what + " (" + result.shape +
            "; faults " + result.swarm + ")");
  }));
}

// ---- What makes no difference -------------------------------------------------------------------

// Everything that a client can do whose outcome is its own doing: nothing that waits for others,
// and one command at a time. Sessions and trees, that of pipes too, are asked for beside the
// commands, so their answers come at any time.
constexpr Workload make_steady() {
  Workload steady{.name = "steady", .think_ms = 5, .depth = 1, .bytes_max = 70'000};
  for (CommandKind kind :
       {CommandKind::kClose,         CommandKind::kRead,           CommandKind::kWrite,
        CommandKind::kFlush,         CommandKind::kQueryInfo,      CommandKind::kQueryFs,
        CommandKind::kQuerySecurity, CommandKind::kSetEndOfFile,   CommandKind::kSetBasic,
        CommandKind::kSetAllocation, CommandKind::kSetSecurity,    CommandKind::kRename,
        CommandKind::kDisposition,   CommandKind::kQueryDirectory, CommandKind::kLock,
        CommandKind::kUnlock,        CommandKind::kIoctl,          CommandKind::kEcho,
        CommandKind::kOplockBreak,   CommandKind::kOpenQueryClose, CommandKind::kCreateWriteClose,
        CommandKind::kReadReadRead,  CommandKind::kBrokenChain})
    steady.weights[static_cast<size_t>(kind)] = 4;
  steady.weights[static_cast<size_t>(CommandKind::kCreate)] = 30;
  return steady;
}
constexpr Workload kSteady = make_steady();
constexpr uint32_t kCommands = 40;

// Each in a share of its own.
std::vector<ActorOptions> some_clients(size_t count) {
  constexpr std::u16string_view kShares[] = {u"data", u"open", u"fixed"};
  std::vector<ActorOptions> clients(count);
  for (size_t i = 0; i < count; ++i) {
    ActorOptions& client = clients[i];
    client.commands = kCommands;
    client.workload = &kSteady;
    client.user = "anna";
    client.password = "secret";
    client.share = kShares[i];
    client.foreign_handles = false;
  }
  return clients;
}

struct Told {
  RunResult result;
  Answers answers;
};

Told run(uint64_t seed, const std::vector<ActorOptions>& clients,
         const std::vector<FaultClass>& faults) {
  HashSource source(seed);
  Chooser chooser(source);
  Told told;
  RunOptions options;
  options.clients = clients;
  options.faults = faults;
  options.signing = Requirement::kAuto;
  options.watchers = {&told.answers};
  told.result = simulate(chooser, options);
  return told;
}

void expect_same(const Told& one, const Told& other) {
  for (const Told* told : {&one, &other})
    if (told->result.failure)
      RC_FAIL(told->result.failure->oracle + ": " + told->result.failure->what);
  const std::string difference = one.answers.difference(other.answers);
  if (!difference.empty()) RC_FAIL(difference);
  // Clients that were turned away prove nothing.
  RC_ASSERT(one.answers.all().size() >= kCommands / 2);
}

// What these tests compare does tell runs apart.
TEST(ScenarioProperties, OtherCommandsHaveOtherAnswers) {
  const auto clients = some_clients(1);
  const Told told = run(1, clients, {});
  EXPECT_EQ(told.answers.difference(run(1, clients, {}).answers), "");
  EXPECT_NE(told.answers.difference(run(2, clients, {}).answers), "");
  EXPECT_NE(told.answers.difference(run(1, some_clients(2), {}).answers), "");
}

uint64_t some_seed() { return *rc::gen::noShrink(rc::gen::inRange<uint64_t>(1, 1ull << 40)); }

std::vector<FaultClass> some_of(const std::vector<FaultClass>& faults) {
  std::vector<FaultClass> some;
  for (FaultClass fault : faults)
    if (*rc::gen::arbitrary<bool>()) some.push_back(fault);
  return some;
}

TEST(ScenarioProperties, HowBytesComeApartMakesNoDifference) {
  EXPECT_TRUE(rc::check([] {
    const uint64_t seed = some_seed();
    const auto clients = some_clients(*rc::gen::inRange<size_t>(1, 4));
    const auto faults = some_of({FaultClass::kSplit, FaultClass::kBatch, FaultClass::kDelay});
    expect_same(run(seed, clients, {}), run(seed, clients, faults));
  }));
}

TEST(ScenarioProperties, OrderOfCompletionMakesNoDifference) {
  EXPECT_TRUE(rc::check([] {
    const uint64_t seed = some_seed();
    const auto clients = some_clients(*rc::gen::inRange<size_t>(1, 4));
    const auto faults = some_of({FaultClass::kRepeat, FaultClass::kBatch});
    std::vector<FaultClass> slow = faults;
    slow.push_back(FaultClass::kSlowDisk);
    expect_same(run(seed, clients, {}), run(seed, clients, slow));
  }));
}

TEST(ScenarioProperties, SignaturesMakeNoDifference) {
  EXPECT_TRUE(rc::check([] {
    const uint64_t seed = some_seed();
    auto clients = some_clients(*rc::gen::inRange<size_t>(1, 4));
    const uint16_t dialect = *rc::gen::element<uint16_t>(0x0202, 0x0210, 0x0300, 0x0302, 0x0311);
    for (ActorOptions& client : clients) client.client.dialects = {dialect};
    const Told as_usual = run(seed, clients, {});
    for (ActorOptions& client : clients) client.signing_required = true;
    const Told signed_always = run(seed, clients, {});
    for (ActorOptions& client : clients) {
      client.signing_required = false;
      client.unsigned_requests = true;
    }
    expect_same(as_usual, signed_always);
    // 3.1.1 always has TREE_CONNECT signed; the actor connects before it works.
    expect_same(as_usual, run(seed, clients, {}));
  }));
}

TEST(ScenarioProperties, SealsMakeNoDifference) {
  EXPECT_TRUE(rc::check([] {
    const uint64_t seed = some_seed();
    auto clients = some_clients(*rc::gen::inRange<size_t>(1, 4));
    // 3.0 and 3.0.2 know AES-128-CCM alone.
    const uint16_t dialect = *rc::gen::element<uint16_t>(0x0300, 0x0302, 0x0311);
    const uint16_t cipher = dialect == 0x0311 ? *rc::gen::element<uint16_t>(1, 2, 3, 4) : 1;
    for (ActorOptions& client : clients) {
      client.client.dialects = {dialect};
      client.client.ciphers = {cipher};
    }
    const Told in_the_clear = run(seed, clients, {});
    for (ActorOptions& client : clients) client.seal = true;
    expect_same(in_the_clear, run(seed, clients, {}));
  }));
}

}  // namespace
}  // namespace semblance::sim::test
