// The command sequence window as a client sees it: MS-SMB2 3.3.1.1, 3.3.1.2, 3.3.5.2.3, 3.3.4.1.2.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

using client::on;
using client::related;

class Credits : public OneClient {
 protected:
  Request echo(uint16_t credits) {
    Request request = on(tree, client::simple_request(wire::Command::kEcho));
    request.credits = credits;
    return request;
  }
  // CREATE, QUERY_INFO and CLOSE of the root, as Linux asks for a file's attributes.
  std::vector<Request> stat(std::array<uint16_t, 3> credits) {
    std::vector<Request> chain;
    chain.push_back(on(
        tree, client::create_request({.access = 0x80, .disposition = CreateDisposition::kOpen})));
    chain.push_back(
        related(client::query_info_request(FileId::previous(), wire::InfoType::kFile,
                                           static_cast<uint8_t>(FileInfoClass::kAll), 4096)));
    chain.push_back(related(client::close_request(FileId::previous())));
    for (size_t i = 0; i < 3; ++i) chain[i].credits = credits[i];
    return chain;
  }
  int64_t balance() { return peer.client().credits(); }
  // Spends down to `left` by reads that cost two and ask for nothing.
  void spend(int64_t left) {
    FileId file = peer.file(tree, u"spent", "x");
    for (int i = 0; balance() > left; ++i) {
      ASSERT_LT(i, 10'000);
      Request request = client::read_request(file, 0, 128 << 10);
      request.credits = 0;
      ASSERT_TRUE(smb().call(on(tree, std::move(request))).ok());
    }
  }
};

TEST_F(Credits, B10ACompoundIsChargedAndGrantedElementByElement) {
  for (std::array<uint16_t, 3> credits : {std::array<uint16_t, 3>{1, 1, 1}, {0, 0, 3}, {3, 0, 0}}) {
    int64_t before = balance();
    for (int i = 0; i < 2000; ++i)
      for (const Reply& reply : smb().call(stat(credits))) ASSERT_TRUE(reply.ok());
    // A server may grant 1 to who asks for 0 (3.3.1.2); it may not lose or invent any otherwise.
    EXPECT_GE(balance(), before);
    EXPECT_LE(balance(), int64_t{Limits{}.credits});
    if (credits[0] == 1) {
      EXPECT_EQ(balance(), before);
    }
  }
}

TEST_F(Credits, B10EightCompoundsInFlightNeverRunDry) {
  int64_t before = balance();
  for (int round = 0; round < 300; ++round) {
    std::vector<uint64_t> ids;
    for (int i = 0; i < 8; ++i)
      for (uint64_t id : peer.client().send(stat({1, 1, 1}))) ids.push_back(id);
    world.run();
    for (uint64_t id : ids) ASSERT_TRUE(peer.client().take(id)->ok());
    ASSERT_EQ(balance(), before);
  }
}

TEST_F(Credits, B10WhoAsksForNothingIsNeverStranded) {
  spend(1);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(smb().call(echo(0)).ok());
    ASSERT_GE(balance(), 1);
  }
}

TEST_F(Credits, B10AFailingElementCostsWhatItCosts) {
  int64_t before = balance();
  for (int i = 0; i < 100; ++i) {
    std::vector<Request> chain = stat({1, 1, 1});
    chain[0] =
        on(tree,
           client::create_request({.name = u"missing", .disposition = CreateDisposition::kOpen}));
    chain[0].credits = 1;
    for (const Reply& reply : smb().call(std::move(chain)))
      EXPECT_EQ(reply.status(), NtStatus::kObjectNameNotFound);
  }
  EXPECT_EQ(balance(), before);
}

TEST_F(Credits, B10AnAsynchronousRequestIsGrantedOnce) {
  FileId directory = peer.directory(tree, u"watched");
  int64_t before = balance();
  for (int i = 0; i < 50; ++i) {
    Request request = client::change_notify_request(directory, 1, 64);
    request.credits = 1;
    uint64_t id = peer.client().send(on(tree, std::move(request)));
    world.run();
    EXPECT_EQ(balance(), before);
    peer.client().cancel(id);
    world.run();
    EXPECT_EQ(balance(), before);
    EXPECT_TRUE(peer.client().take(id).has_value());
  }
}

TEST_F(Credits, B10ASlowStoreDoesNotChangeTheBooks) {
  FileId file = peer.file(tree, u"slow", "slow");
  int64_t before = balance();
  world.hold_all();
  Request request = client::read_request(file, 0, 4);
  request.credits = 1;
  uint64_t id = peer.client().send(on(tree, std::move(request)));
  world.advance(Duration::seconds(3));
  EXPECT_NE(peer.client().async_id(id), 0u);
  world.complete_all();
  world.run();
  EXPECT_TRUE(peer.client().take(id)->ok());
  EXPECT_EQ(balance(), before);
}

TEST_F(Credits, B11GrantsEndAtTheLimit) {
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(smb().call(echo(512)).ok());
    ASSERT_LE(balance(), int64_t{Limits{}.credits});
    ASSERT_GE(balance(), 1);
  }
}

TEST(CreditCeiling, B11AtASmallLimitTransfersGoOn) {
  WorldOptions options;
  options.limits.credits = 64;
  World world(options);
  Peer& peer = world.add_peer();
  Tree tree = peer.connect();
  FileId file = peer.file(tree, u"big");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(peer.sync().echo(), NtStatus::kSuccess);
  EXPECT_EQ(peer.client().credits(), 64);
  std::vector<uint8_t> block(65536, 'b');
  for (int round = 0; round < 4; ++round) {
    std::vector<uint64_t> ids;
    for (uint64_t i = 0; i < 64; ++i)
      ids.push_back(
          peer.client().send(on(tree, client::write_request(file, i * block.size(), block))));
    EXPECT_EQ(peer.client().credits(), 0);
    world.run();
    ASSERT_TRUE(peer.open());
    for (uint64_t id : ids) EXPECT_TRUE(peer.client().take(id)->ok());
    EXPECT_EQ(peer.client().credits(), 64);
  }
}

TEST(CreditCeiling, B11OneCreditIsEnoughToLive) {
  WorldOptions options;
  options.limits.credits = 1;
  World world(options);
  Peer& peer = world.add_peer();
  Tree tree = peer.connect();
  FileId file = peer.file(tree, u"poor", "poor");
  EXPECT_EQ(as_text(peer.sync().read(tree, file, 0, 10).data), "poor");
  EXPECT_EQ(peer.client().credits(), 1);
}

TEST_F(Credits, AMultiCreditRequestTakesAsManyIds) {
  FileId file = peer.file(tree, u"large", std::string(60000, 'l'));
  spend(40);
  for (uint32_t kib : {64u, 65u, 128u, 1024u}) {
    int64_t before = balance();
    Request request = client::read_request(file, 0, kib << 10);
    uint16_t charge = peer.client().charge_for(kib << 10);
    EXPECT_EQ(charge, (kib + 63) / 64);
    request.credits = charge;
    EXPECT_TRUE(smb().call(on(tree, std::move(request))).ok());
    EXPECT_EQ(balance(), before);
  }
}

// MS-SMB2 3.3.5.2.5
TEST_F(Credits, ATooSmallChargeIsInvalid) {
  FileId file = peer.file(tree, u"cheat", "x");
  for (uint16_t charge : {0, 1}) {
    Request request = client::read_request(file, 0, 65537);
    request.charge = charge;
    EXPECT_EQ(smb().call(on(tree, std::move(request))).status(), NtStatus::kInvalidParameter);
  }
}

TEST_F(Credits, IdsMayComeInAnyOrderWithinTheWindow) {
  uint64_t first = peer.client().next_message_id();
  ASSERT_GE(balance(), 8);
  for (uint64_t id : {5, 3, 7, 0, 1, 2, 6, 4}) {
    peer.client().set_next_message_id(first + id);
    ASSERT_TRUE(smb().call(echo(1)).ok());
  }
  peer.client().set_next_message_id(first + 8);
  EXPECT_EQ(smb().echo(), NtStatus::kSuccess);
}

TEST_F(Credits, AnIdBeyondTheWindowClosesTheConnection) {
  peer.client().expect_anything();
  peer.client().set_next_message_id(peer.client().next_message_id() +
                                    static_cast<uint64_t>(balance()));
  peer.client().send(echo(1));
  world.run();
  EXPECT_FALSE(peer.open());
}

}  // namespace
}  // namespace semblance::test
