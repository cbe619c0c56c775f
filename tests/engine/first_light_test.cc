// One file's life, from the first byte of a connection to its end, in every way bytes can come.

#include "tests/engine/harness/world.h"

namespace semblance::test {
namespace {

void live(Peer& peer) {
  Tree tree = peer.connect();
  FileId file = peer.file(tree, u"hello.txt", "hello, world");
  client::Answer read = peer.sync().read(tree, file, 7, 100);
  EXPECT_EQ(read.status, NtStatus::kSuccess);
  EXPECT_EQ(as_text(read.data), "world");
  EXPECT_TRUE(peer.sync().close(tree, file).has_value());
  EXPECT_EQ(peer.sync().echo(), NtStatus::kSuccess);
  EXPECT_EQ(peer.sync().tree_disconnect(tree), NtStatus::kSuccess);
  EXPECT_EQ(peer.sync().log_off(peer.session()), NtStatus::kSuccess);
}

TEST(FirstLight, AFileIsMadeWrittenReadAndClosed) {
  World world;
  live(world.add_peer());
  world.expect_quiet();
}

TEST(FirstLight, RepliesMayLeaveAFewBytesAtATime) {
  World world;
  world.send_at_most(7);
  live(world.add_peer());
}

TEST(FirstLight, RequestsMayArriveOneByteAtATime) {
  World world;
  Peer& peer = world.add_peer();
  client::SyncClient slow(peer.client(), [&] {
    bool moved = false;
    while (world.deliver(peer, 1)) moved = true;
    return world.run() || moved;
  });
  EXPECT_EQ(slow.negotiate(), NtStatus::kSuccess);
  client::Session& session = slow.log_in(peer.login());
  ASSERT_TRUE(session.valid());
  auto tree = slow.tree_connect(session, u"\\\\server\\data");
  ASSERT_TRUE(tree.has_value());
  auto opened = slow.create(*tree, {.name = u"slow.txt"});
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(slow.write(*tree, opened->id, 0, as_bytes("bytes")), 5u);
  EXPECT_EQ(as_text(slow.read(*tree, opened->id, 0, 16).data), "bytes");
}

TEST(FirstLight, ManyRequestsMayArriveInOneGo) {
  World world;
  Peer& peer = world.add_peer();
  Tree tree = peer.connect();
  FileId file = peer.file(tree, u"many", "0123456789");
  std::vector<uint64_t> ids;
  for (uint64_t i = 0; i < 60; ++i)
    ids.push_back(peer.client().send(client::on(tree, client::read_request(file, i % 10, 1))));
  world.run();
  for (size_t i = 0; i < ids.size(); ++i) {
    auto reply = peer.client().take(ids[i]);
    ASSERT_TRUE(reply.has_value());
    EXPECT_TRUE(reply->ok());
  }
}

}  // namespace
}  // namespace semblance::test
