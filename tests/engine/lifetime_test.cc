// Requests that are in the store while the ground goes from under them: the handle is closed, the
// tree or the session ends, the connection breaks. Their answers come late, in any order, twice.

#include <algorithm>

#include "engine/wire/change_notify.h"
#include "tests/engine/harness/catalogue.h"

namespace semblance::test {
namespace {

using client::on;
using wire::Command;

enum class End : uint8_t { kClose, kTreeDisconnect, kLogoff, kDisconnect };
constexpr End kEnds[] = {End::kClose, End::kTreeDisconnect, End::kLogoff, End::kDisconnect};
const char* name_of(End end) {
  constexpr const char* kNames[] = {"close", "tree disconnect", "logoff", "disconnect"};
  return kNames[static_cast<size_t>(end)];
}

void bring_about(World& world, Stage& stage, End end) {
  Peer& peer = *stage.peer;
  switch (end) {
    case End::kClose:
      for (FileId file : {stage.file, stage.directory})
        peer.client().send(on(stage.tree, client::close_request(file)));
      break;
    case End::kTreeDisconnect:
      peer.client().send(on(stage.tree, client::simple_request(Command::kTreeDisconnect)));
      break;
    case End::kLogoff:
      peer.client().send(on(stage.tree, client::simple_request(Command::kLogoff)));
      break;
    case End::kDisconnect:
      world.disconnect(peer);
      break;
  }
  world.run();
}

enum class Order : uint8_t { kFirstFirst, kLastFirst };

void complete_all(World& world, Order order, int times) {
  for (int rounds = 0; !world.held().empty(); ++rounds) {
    ASSERT_LT(rounds, 100'000);
    world.complete(order == Order::kFirstFirst ? 0 : world.held().size() - 1, times);
    world.run();
  }
}

class Lifetime : public testing::TestWithParam<size_t> {
 protected:
  const Sample& sample() const { return every_command()[GetParam()]; }

  // The sample gets `steps` answers from the store, then the end comes, then the rest.
  void live_through(End end, int steps, Order order, int times) {
    SCOPED_TRACE(std::string(name_of(end)) + " after " + std::to_string(steps) + " completions, " +
                 (order == Order::kFirstFirst ? "first first, " : "last first, ") +
                 std::to_string(times) + " times");
    World world;
    Stage stage = set_stage(world);
    // Answers to a session that is gone can't be signed, nor be in order.
    stage.peer->client().expect_anything();
    world.hold_all();
    uint64_t id = stage.peer->client().send(sample().make(stage));
    world.run();
    for (int i = 0; i < steps && !world.held().empty(); ++i) {
      world.complete(size_t{0}, times);
      world.run();
    }
    bring_about(world, stage, end);
    complete_all(world, order, times);
    bool answered = stage.peer->client().take(id).has_value();
    bool waits = std::string(sample().name) == "change_notify";
    if (end != End::kDisconnect && !waits) {
      EXPECT_TRUE(answered) << "never answered";
    }
  }
};

TEST_P(Lifetime, EndsWhileTheStoreWorks) {
  for (End end : kEnds)
    for (int steps = 0; steps < 6; ++steps)
      for (Order order : {Order::kFirstFirst, Order::kLastFirst})
        for (int times : {1, 2}) live_through(end, steps, order, times);
}

// The store may take so long that the request is answered PENDING first.
TEST_P(Lifetime, EndsAfterTheInterimReply) {
  for (End end : kEnds) {
    SCOPED_TRACE(name_of(end));
    World world;
    Stage stage = set_stage(world);
    stage.peer->client().expect_anything();
    world.hold_all();
    stage.peer->client().send(sample().make(stage));
    world.advance(Duration::seconds(2));
    bring_about(world, stage, end);
    complete_all(world, Order::kFirstFirst, 2);
  }
}

// As an element in the middle of a compound.
TEST_P(Lifetime, EndsInTheMiddleOfACompound) {
  for (End end : kEnds)
    for (int steps : {0, 1, 2}) {
      SCOPED_TRACE(name_of(end));
      World world;
      Stage stage = set_stage(world);
      stage.peer->client().expect_anything();
      world.hold_all();
      std::vector<Request> chain;
      chain.push_back(on(stage.tree, client::simple_request(Command::kEcho)));
      chain.push_back(sample().make(stage));
      chain.push_back(on(stage.tree, client::simple_request(Command::kEcho)));
      stage.peer->client().send(std::move(chain));
      world.run();
      for (int i = 0; i < steps && !world.held().empty(); ++i) world.complete();
      bring_about(world, stage, end);
      complete_all(world, Order::kFirstFirst, 2);
    }
}

INSTANTIATE_TEST_SUITE_P(Command, Lifetime, testing::Range(size_t{0}, every_command().size()),
                         [](const auto& info) { return every_command()[info.param].name; });

TEST(LifetimeOfLogins, TheAccountIsFoundAfterTheConnectionIsGone) {
  World world;
  Peer& peer = world.add_peer();
  ASSERT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
  world.hold_accounts(true);
  peer.client().log_in(peer.login());
  world.run();
  ASSERT_EQ(world.held().size(), 1u);
  world.disconnect(peer);
  world.complete_all(2);
}

TEST(LifetimeOfLogins, ALogoffDuringReauthenticationEndsBoth) {
  World world;
  Peer& peer = world.add_peer();
  peer.connect();
  peer.client().expect_anything();
  world.hold_accounts(true);
  peer.client().log_in_again(peer.session(), peer.login());
  world.run();
  ASSERT_EQ(world.held().size(), 1u);
  Request logoff = client::simple_request(Command::kLogoff);
  logoff.session_id = peer.session().id();
  uint64_t id = peer.client().send(std::move(logoff));
  world.run();
  EXPECT_TRUE(peer.client().take(id).has_value());
  world.complete_all(2);
  world.run();
}

TEST(LifetimeOfOpens, ADisconnectWithThousandsOfOpensClosesThemAll) {
  World world;
  Peer& peer = world.add_peer();
  Tree tree = peer.connect();
  for (int i = 0; i < 3000; ++i)
    peer.file(tree, u"f" + std::u16string(1, static_cast<char16_t>(u'a' + i % 26)));
  EXPECT_EQ(world.report().opens, 3000u);
  world.hold_all();
  world.disconnect(peer);
  world.run();
  complete_all(world, Order::kLastFirst, 2);
}

// ---- CHANGE_NOTIFY ------------------------------------------------------------------------------

class PendingNotify : public testing::Test {
 protected:
  void SetUp() override {
    id_ = peer_.client().send(
        on(stage_.tree,
           client::change_notify_request(stage_.directory, wire::kNotifyChangeFileName, 512)));
    world_.run();
    ASSERT_NE(peer_.client().async_id(id_), 0u) << "no interim reply";
  }
  NtStatus outcome() {
    world_.run();
    auto reply = peer_.client().take(id_);
    return reply ? reply->status() : NtStatus::kPending;
  }

  World world_;
  Stage stage_ = set_stage(world_);
  Peer& peer_ = *stage_.peer;
  uint64_t id_ = 0;
};

TEST_F(PendingNotify, IsCancelledByItsAsyncId) {
  peer_.client().cancel(id_);
  EXPECT_EQ(outcome(), NtStatus::kCancelled);
  peer_.client().cancel(id_);  // nothing left to cancel
  EXPECT_EQ(peer_.sync().echo(), NtStatus::kSuccess);
}

TEST_F(PendingNotify, IsNotCancelledByAnUnsignedOrForeignCancel) {
  Peer& other = world_.add_peer();
  other.connect();
  Request cancel = client::simple_request(Command::kCancel);
  wire::Header header;
  header.command = Command::kCancel;
  header.flags = wire::kFlagAsyncCommand;
  header.message_id = id_;
  header.async_id = peer_.client().async_id(id_);
  header.session_id = stage_.tree.session_id;
  wire::Builder b(MutableBytes(cancel.element).first(wire::kHeaderSize));
  header.build(b);
  other.client().send_message(cancel.element);
  EXPECT_EQ(outcome(), NtStatus::kPending);
  peer_.client().cancel(id_, client::Signing::kWrong);
  EXPECT_EQ(outcome(), NtStatus::kPending);
}

TEST_F(PendingNotify, EndsWithCleanupWhenItsHandleIsClosed) {
  EXPECT_TRUE(peer_.sync().close(stage_.tree, stage_.directory).has_value());
  EXPECT_EQ(outcome(), NtStatus::kNotifyCleanup);
}

TEST_F(PendingNotify, EndsWithTheTree) {
  EXPECT_EQ(peer_.sync().tree_disconnect(stage_.tree), NtStatus::kSuccess);
  EXPECT_EQ(outcome(), NtStatus::kNotifyCleanup);
}

TEST_F(PendingNotify, EndsWithTheSession) {
  Request logoff = client::simple_request(Command::kLogoff);
  logoff.session_id = stage_.tree.session_id;
  peer_.client().expect_anything();  // the final reply comes when the key is gone
  EXPECT_TRUE(peer_.sync().call(std::move(logoff)).ok());
  EXPECT_NE(outcome(), NtStatus::kPending);
}

TEST_F(PendingNotify, EndsSilentlyWithTheConnection) {
  world_.disconnect(peer_);
  world_.run();
  world_.expect_quiet();
}

TEST_F(PendingNotify, ManyAtOnceAreBounded) {
  Limits limits;
  std::vector<uint64_t> ids;
  for (uint32_t i = 0; i < limits.async_per_connection + 50; ++i) {
    Request notify = client::change_notify_request(stage_.directory, 1, 64);
    notify.credits = 2;
    ids.push_back(peer_.client().send(on(stage_.tree, std::move(notify))));
    world_.run();
  }
  size_t refused = 0;
  for (uint64_t id : ids)
    if (auto reply = peer_.client().take(id))
      refused += reply->status() == NtStatus::kInsufficientResources;
  EXPECT_EQ(refused, 51u);  // one was pending before
  EXPECT_TRUE(peer_.sync().close(stage_.tree, stage_.directory).has_value());
}

}  // namespace
}  // namespace semblance::test
