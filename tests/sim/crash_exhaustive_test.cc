// Every workload of up to three operations of a small grammar, crashed at every operation of its
// disk, by a kill and by power losses of several outcomes, with all oracles looking on.

#include <gtest/gtest.h>

#include "engine/base/utf16.h"
#include "engine/client/requests.h"
#include "engine/wire/file_info.h"
#include "engine/wire/file_name_info.h"
#include "sim/choice/sources.h"
#include "sim/run/simulation.h"

namespace semblance::sim::test {
namespace {

using wire::CreateDisposition;
using wire::FileId;

enum class Do : uint8_t {
  kCreateAndWrite,
  kOverwrite,
  kWrite,
  kWriteThrough,
  kFlush,
  kRename,
  kRenameOver,
  kDelete,
  kSetEndOfFile,
  kCount,
};
constexpr size_t kOperations = static_cast<size_t>(Do::kCount);
constexpr size_t kLengthMax = 3;
// Of a power loss: nothing lost, all lost, and some between.
enum class Outcome : uint64_t { kKindest, kHarshest, kHashed, kHashedToo, kCount };

client::Request create(std::u16string_view name, CreateDisposition disposition) {
  client::CreateArgs args;
  args.name = name;
  args.disposition = disposition;
  return client::create_request(args);
}

template <typename Info>
client::Request set(FileId file, const Info& info) {
  std::vector<uint8_t> data(512);
  wire::Builder b(data);
  info.build(b);
  return client::set_info_request(file, wire::InfoType::kFile, static_cast<uint8_t>(Info::kClass),
                                  b.written());
}

client::Request rename(FileId file, std::u16string_view to, bool replace) {
  wire::FileRenameInformation info;
  info.replace_if_exists = replace;
  info.file_name = as_bytes(to);
  return set(file, info);
}

client::Request write(FileId file, uint64_t offset, size_t size, uint32_t number, uint32_t flags) {
  std::vector<uint8_t> data(size, static_cast<uint8_t>('0' + number));
  return client::write_request(file, offset, data, flags);
}

// An operation goes to the newest handle, or to one of "a" that is opened for it.
Draft draft_of(Do what, uint32_t number, const client::Tree& tree, const std::vector<Held>& held) {
  Draft draft;
  bool creates = what == Do::kCreateAndWrite || what == Do::kOverwrite || held.empty();
  FileId file = creates ? FileId::previous() : held.back().id;
  if (creates) {
    auto disposition =
        what == Do::kOverwrite ? CreateDisposition::kOverwriteIf : CreateDisposition::kOpenIf;
    draft.requests.push_back(create(what == Do::kCreateAndWrite ? u"new" : u"a", disposition));
    draft.creates = true;
  }
  auto add = [&](client::Request request) {
    draft.requests.push_back(creates ? client::related(std::move(request)) : std::move(request));
  };
  switch (what) {
    case Do::kCreateAndWrite:
    case Do::kOverwrite:
      add(write(file, 0, 600, number, 0));
      break;
    case Do::kWrite:
    case Do::kWriteThrough:
      add(write(file, 100, 700, number, what == Do::kWriteThrough ? 1 : 0));
      break;
    case Do::kFlush:
      add(client::flush_request(file));
      break;
    case Do::kRename:
      add(rename(file, u"moved", false));
      break;
    case Do::kRenameOver:
      add(rename(file, u"c.txt", true));
      break;
    case Do::kDelete:
      add(set(file, wire::FileDispositionInformation{true}));
      add(client::close_request(file));
      break;
    case Do::kSetEndOfFile:
      add(set(file, wire::FileEndOfFileInformation{50}));
      break;
    case Do::kCount:
      break;
  }
  for (client::Request& request : draft.requests) {
    request.session_id = tree.session_id;
    request.tree_id = tree.tree_id;
  }
  return draft;
}

// A world without events but for what a power loss leaves.
class Outcomes : public Source {
 public:
  explicit Outcomes(Outcome outcome) : outcome_(outcome), hash_(static_cast<uint64_t>(outcome)) {}
  uint32_t decide(const Decision& decision, uint32_t bound,
                  std::span<const uint32_t> weights) override {
    if (decision.site != Site::kPowerLoss || outcome_ == Outcome::kKindest) return 0;
    if (outcome_ == Outcome::kHarshest) return bound - 1;
    return hash_.decide(decision, bound, weights);
  }

 private:
  Outcome outcome_;
  HashSource hash_;
};

// The numbers of the effects at which a server can die.
class CrashPoints : public Observer {
 public:
  void effect(const Effect& effect) override {
    ++count_;
    if (std::holds_alternative<RunStore>(effect)) points.push_back(count_);
  }
  void crashed(CrashKind) override { ++crashes; }
  std::vector<uint64_t> points;
  uint64_t crashes = 0;

 private:
  uint64_t count_ = 0;
};

struct Counted {
  uint64_t workloads = 0, crashes = 0, power_losses = 0;
};

std::string text_of(const std::vector<Do>& workload) {
  std::string text;
  for (Do what : workload) text += std::to_string(static_cast<int>(what)) + ' ';
  return text;
}

void run(const std::vector<Do>& workload, Outcome outcome, uint64_t crash_at, CrashKind kind,
         CrashPoints& points) {
  Outcomes source(outcome);
  Chooser chooser(source);
  RunOptions options;
  options.faults.emplace();
  options.requests = static_cast<uint32_t>(workload.size());
  options.script = [&](uint32_t number, const client::Tree& tree, const std::vector<Held>& held) {
    return draft_of(workload.at(number), number, tree, held);
  };
  options.crash_at_effect = crash_at;
  options.crash_kind = kind;
  options.watchers = {&points};
  RunResult result = simulate(chooser, options);
  ASSERT_FALSE(result.failure) << result.failure->oracle << ": " << result.failure->what
                               << "\nworkload " << text_of(workload) << "crash at " << crash_at
                               << " kind " << static_cast<int>(kind) << " outcome "
                               << static_cast<uint64_t>(outcome);
}

void explore(const std::vector<Do>& workload, Counted& counted) {
  ++counted.workloads;
  CrashPoints all;
  ASSERT_NO_FATAL_FAILURE(run(workload, Outcome::kKindest, 0, CrashKind::kKill, all));
  for (uint64_t point : all.points) {
    CrashPoints killed;
    ASSERT_NO_FATAL_FAILURE(run(workload, Outcome::kKindest, point, CrashKind::kKill, killed));
    counted.crashes += killed.crashes;
    for (uint64_t i = 0; i < static_cast<uint64_t>(Outcome::kCount); ++i) {
      CrashPoints lost;
      auto outcome = static_cast<Outcome>(i);
      ASSERT_NO_FATAL_FAILURE(run(workload, outcome, point, CrashKind::kPowerLoss, lost));
      counted.crashes += lost.crashes;
      counted.power_losses += lost.crashes;
    }
  }
}

void extend(std::vector<Do>& workload, Counted& counted) {
  if (!workload.empty()) ASSERT_NO_FATAL_FAILURE(explore(workload, counted));
  if (workload.size() == kLengthMax) return;
  for (size_t i = 0; i < kOperations; ++i) {
    workload.push_back(static_cast<Do>(i));
    ASSERT_NO_FATAL_FAILURE(extend(workload, counted));
    workload.pop_back();
  }
}

TEST(CrashExhaustive, WhatWasPromisedSurvivesEveryCrashOfEverySmallWorkload) {
  Counted counted;
  std::vector<Do> workload;
  extend(workload, counted);
  std::printf("%llu workloads, %llu crashes, %llu of them power losses\n",
              static_cast<unsigned long long>(counted.workloads),
              static_cast<unsigned long long>(counted.crashes),
              static_cast<unsigned long long>(counted.power_losses));
  EXPECT_EQ(counted.workloads, kOperations * (1 + kOperations * (1 + kOperations)));
  EXPECT_GT(counted.power_losses, 10 * counted.workloads);
}

}  // namespace
}  // namespace semblance::sim::test
