// Sessions: their end, their renewal, and who may use them. MS-SMB2 3.3.5.5, 3.3.5.6, 3.3.5.2.9.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

class Sessions : public OneClient {
 protected:
  NtStatus renew(client::Login login) {
    client::Session& session = peer.session();
    peer.client().log_in_again(session, std::move(login));
    world.run();
    return session.status();
  }
};

TEST_F(Sessions, B06RenewalKeepsEverything) {
  FileId file = peer.file(tree, u"held", "held");
  uint64_t id = peer.session().id();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(renew(peer.login()), NtStatus::kSuccess);
    EXPECT_EQ(peer.session().id(), id);
    EXPECT_EQ(content(file), "held");  // and its signature is right with the old key
  }
  EXPECT_EQ(world.report().sessions, 1u);
}

TEST_F(Sessions, B06AFailedRenewalEndsTheSession) {
  peer.file(tree, u"held", "held");
  EXPECT_EQ(renew(peer.login("anna", "wrong")), NtStatus::kLogonFailure);
  Request echo = client::on(tree, client::create_request({.name = u"x"}));
  echo.signing = client::Signing::kNever;
  EXPECT_EQ(smb().call(std::move(echo)).status(), NtStatus::kUserSessionDeleted);
  world.run();
  EXPECT_EQ(world.report().sessions, 0u);
  EXPECT_EQ(world.report().opens, 0u);
}

TEST_F(Sessions, ALogoffClosesWhatWasOpen) {
  peer.file(tree, u"held", "held");
  EXPECT_EQ(smb().log_off(peer.session()), NtStatus::kSuccess);
  world.run();
  EngineReport report = world.report();
  EXPECT_EQ(report.sessions + report.trees + report.opens + report.files, 0u);
  EXPECT_EQ(world.store().open_count(), 0u);
}

TEST_F(Sessions, ATreeIsNotUsedByAnotherSession) {
  client::Session& second = smb().log_in(peer.login("bert", "hidden"));
  ASSERT_TRUE(second.valid());
  FileId file = peer.file(tree, u"mine", "mine");
  Tree borrowed = tree;
  borrowed.session_id = second.id();
  EXPECT_EQ(smb().read(borrowed, file, 0, 4).status, NtStatus::kNetworkNameDeleted);
  Tree own = peer.tree(second, u"data");
  EXPECT_EQ(smb().read(own, file, 0, 4).status, NtStatus::kFileClosed);
  Tree other_tree = peer.tree(peer.session(), u"data");
  EXPECT_EQ(smb().read(other_tree, file, 0, 4).status, NtStatus::kFileClosed);
}

TEST_F(Sessions, AClosedHandleStaysClosed) {
  for (int i = 0; i < 100; ++i) {
    FileId file = peer.file(tree, u"again", "x");
    smb().close(tree, file);
    EXPECT_EQ(smb().read(tree, file, 0, 1).status, NtStatus::kFileClosed);
    FileId next = peer.file(tree, u"again", "x");
    EXPECT_NE(next, file);
    EXPECT_EQ(smb().read(tree, file, 0, 1).status, NtStatus::kFileClosed);
    smb().close(tree, next);
  }
}

// 3.3.5.5.3: PreviousSessionId ends another session of the same user, and of nobody else.
TEST_F(Sessions, APreviousSessionOfTheSameUserIsEnded) {
  peer.file(tree, u"held", "held");
  Peer& other = world.add_peer();
  ASSERT_EQ(other.sync().negotiate(), NtStatus::kSuccess);
  client::Login bert = other.login("bert", "hidden");
  bert.previous_session_id = peer.session().id();
  ASSERT_TRUE(other.sync().log_in(bert).valid());
  EXPECT_EQ(smb().echo(), NtStatus::kSuccess);
  EXPECT_EQ(open_status(u"held"), NtStatus::kSuccess);
  client::Login anna = other.login();
  anna.previous_session_id = peer.session().id();
  ASSERT_TRUE(other.sync().log_in(anna).valid());
  world.run();
  EXPECT_EQ(open_status(u"held"), NtStatus::kUserSessionDeleted);
}

TEST_F(Sessions, AShareThatIsNotThere) {
  for (const char16_t* path : {u"\\\\server\\none", u"\\\\server", u"\\\\server\\", u"", u"data",
                               u"\\data", u"\\\\server\\data\\sub"})
    EXPECT_EQ(smb().tree_connect(peer.session(), path).error(), NtStatus::kBadNetworkName);
  EXPECT_TRUE(smb().tree_connect(peer.session(), u"\\\\SERVER\\DATA").has_value());
  EXPECT_TRUE(smb().tree_connect(peer.session(), u"\\\\10.0.0.1\\Data").has_value());
}

TEST(SessionLimits, SessionsOfOneConnectionAreBounded) {
  WorldOptions options;
  options.limits.sessions_per_connection = 4;
  World world(options);
  Peer& peer = world.add_peer();
  ASSERT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(peer.log_in().valid());
  EXPECT_FALSE(peer.log_in().valid());
  EXPECT_EQ(peer.session().status(), NtStatus::kInsufficientResources);
}

TEST(SessionLimits, HalfDoneLoginsAreBoundedToo) {
  WorldOptions options;
  options.limits.sessions_per_connection = 4;
  World world(options);
  Peer& peer = world.add_peer();
  ASSERT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
  world.hold_accounts(true);
  for (int i = 0; i < 8; ++i) {
    peer.client().log_in(peer.login());
    world.run();
  }
  EXPECT_LE(world.report().sessions, 4u);
}

TEST(SessionLimits, AConnectionWithoutASessionIsClosedInTime) {
  World world;
  Peer& idle = world.add_peer();
  Peer& half = world.add_peer();
  Peer& busy = world.add_peer();
  ASSERT_EQ(half.sync().negotiate(), NtStatus::kSuccess);
  busy.connect();
  world.advance(Duration::seconds(29));
  EXPECT_TRUE(idle.open() && half.open());
  world.advance(Duration::seconds(2));
  EXPECT_FALSE(idle.open());
  EXPECT_FALSE(half.open());
  EXPECT_TRUE(busy.open());
}

TEST(Drain, FinishesWhatIsUnderWayAndClosesTheRest) {
  World world;
  Peer& idle = world.add_peer();
  Peer& busy = world.add_peer();
  idle.connect();
  Tree tree = busy.connect();
  FileId file = busy.file(tree, u"file", "data");
  world.hold_all();
  uint64_t id = busy.client().send(client::on(tree, client::read_request(file, 0, 4)));
  world.run();
  world.drain();
  world.run();
  EXPECT_FALSE(idle.open());
  EXPECT_TRUE(busy.open());
  world.hold_nothing();
  world.complete_all();
  world.run();
  auto reply = busy.client().take(id);
  EXPECT_TRUE(reply.has_value() && reply->ok());
  EXPECT_FALSE(busy.open());
  EXPECT_TRUE(world.engine().drained());
}

TEST(Drain, EndsInTimeWhateverTheStoreDoes) {
  World world;
  Peer& busy = world.add_peer();
  Tree tree = busy.connect();
  FileId file = busy.file(tree, u"file", "data");
  world.hold_all();
  busy.client().send(client::on(tree, client::read_request(file, 0, 4)));
  world.run();
  world.drain();
  world.advance(Duration::seconds(6));
  EXPECT_FALSE(busy.open());
}

}  // namespace
}  // namespace semblance::test
