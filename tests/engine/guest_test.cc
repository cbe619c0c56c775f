// Guests and anonymous sessions: MS-SMB2 3.3.5.5.3, 3.3.5.7, 3.3.5.2.4, 2.2.6.

#include "tests/engine/harness/world.h"

namespace semblance::test {
namespace {

class Guest : public testing::TestWithParam<uint16_t> {
 protected:
  client::Session& come_in(client::Login login) {
    client::Options options;
    options.dialects = {GetParam()};
    options.security_mode = wire::kNegotiateSigningEnabled;
    peer_ = &world_.add_peer(options);
    EXPECT_EQ(peer_->sync().negotiate(), NtStatus::kSuccess);
    return peer_->sync().log_in(std::move(login));
  }
  client::Login login(std::string user, std::string password = "x") {
    Peer& any = peer_ != nullptr ? *peer_ : world_.add_peer();
    return any.login(std::move(user), std::move(password));
  }
  client::Login anonymous() {
    client::Login login = this->login("");
    login.options.anonymous = true;
    return login;
  }
  // Everything that such a session does goes unsigned, both ways.
  void use(client::Session& session) {
    EXPECT_EQ(session.signer(), nullptr);
    peer_->tree(session, u"IPC$");
    Tree tree = peer_->tree(session, u"open");
    FileId file = peer_->file(tree, u"guest file", "from a guest");
    Reply reply = peer_->sync().call(client::on(tree, client::read_request(file, 0, 100)));
    EXPECT_TRUE(reply.ok());
    EXPECT_EQ(reply.signature, client::Signature::kNone);
    EXPECT_EQ(peer_->sync().tree_connect(session, u"\\\\server\\data").error(),
              NtStatus::kAccessDenied);
    EXPECT_EQ(peer_->sync().log_off(session), NtStatus::kSuccess);
  }

  World world_;
  Peer* peer_ = nullptr;
};

TEST_P(Guest, B07AnUnknownUserIsAGuestWhoIsNotAskedToSign) {
  client::Session& session = come_in(login("nosuch"));
  ASSERT_TRUE(session.valid()) << show(session.status());
  EXPECT_EQ(session.flags(), wire::kSessionFlagIsGuest);
  use(session);
}

TEST_P(Guest, B07AnonymousIsNullAndNotAskedToSign) {
  client::Session& session = come_in(anonymous());
  ASSERT_TRUE(session.valid()) << show(session.status());
  EXPECT_EQ(session.flags(), wire::kSessionFlagIsNull);
  use(session);
}

TEST_P(Guest, B07AsksForSigningInVain) {
  client::Login wanted = login("nosuch");
  wanted.security_mode = wire::kNegotiateSigningRequired;
  client::Session& session = come_in(wanted);
  ASSERT_TRUE(session.valid());
  use(session);
}

TEST_P(Guest, B07AKnownUserWithAWrongPasswordIsNoGuest) {
  for (const char* password : {"wrong", "", "SECRET"}) {
    client::Session& session = come_in(login("anna", password));
    EXPECT_FALSE(session.valid());
    EXPECT_EQ(session.status(), NtStatus::kLogonFailure);
    EXPECT_EQ(peer_->sync().tree_connect(session, u"\\\\server\\open").error(),
              NtStatus::kUserSessionDeleted);
  }
  EXPECT_EQ(world_.report().sessions, 0u);
}

TEST_P(Guest, B07ADisabledUserIsNoGuest) {
  client::Session& session = come_in(login("gone", "secret"));
  EXPECT_FALSE(session.valid());
}

TEST_P(Guest, ASignedRequestOfAGuestIsNotJudged) {
  client::Session& session = come_in(login("nosuch"));
  Tree tree = peer_->tree(session, u"open");
  Request request = client::on(tree, client::create_request({.name = u"signed by a guest"}));
  request.signing = client::Signing::kWrong;
  EXPECT_TRUE(peer_->sync().call(std::move(request)).ok());
}

INSTANTIATE_TEST_SUITE_P(Dialect, Guest, testing::Values(0x0202, 0x0210, 0x0300, 0x0302, 0x0311));

TEST(NoGuests, AnUnknownUserIsRefusedWhereNoShareIsForGuests) {
  WorldOptions options;
  options.guests = false;
  World world(options);
  Peer& peer = world.add_peer();
  ASSERT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
  client::Session& session = peer.log_in("nosuch", "x");
  EXPECT_EQ(session.status(), NtStatus::kLogonFailure);
}

TEST(NoGuests, AServerThatRequiresSigningHasNone) {
  WorldOptions options;
  options.signing = Requirement::kRequired;
  World world(options);
  Peer& peer = world.add_peer();
  ASSERT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
  EXPECT_FALSE(peer.log_in("nosuch", "x").valid());
}

}  // namespace
}  // namespace semblance::test
