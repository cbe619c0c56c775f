// Compounds: what the elements share, and what a failure means for those behind it.
// MS-SMB2 3.3.5.2.7, 3.3.4.1.3.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

using client::on;
using client::related;

class Compounds : public OneClient {
 protected:
  Request create(std::u16string name, CreateDisposition disposition = CreateDisposition::kOpenIf) {
    return on(tree, client::create_request({.name = std::move(name), .disposition = disposition}));
  }
  Request write(std::string_view text) {
    return related(client::write_request(FileId::previous(), 0, as_bytes(text)));
  }
  Request read() { return related(client::read_request(FileId::previous(), 0, 100)); }
  Request close() { return related(client::close_request(FileId::previous())); }
  template <typename... Requests>
  std::vector<Reply> send(Requests... requests) {
    std::vector<Request> chain;
    (chain.push_back(std::move(requests)), ...);
    return smb().call(std::move(chain));
  }
  static std::vector<NtStatus> statuses(const std::vector<Reply>& replies) {
    std::vector<NtStatus> all;
    for (const Reply& reply : replies) all.push_back(reply.status());
    return all;
  }
  using Statuses = std::vector<NtStatus>;
  static constexpr auto kOk = NtStatus::kSuccess;
};

TEST_F(Compounds, TheFileOfACreateIsInherited) {
  EXPECT_EQ(statuses(send(create(u"f"), write("text"), read(), close())),
            (Statuses{kOk, kOk, kOk, kOk}));
  EXPECT_EQ(content(u"f"), "text");
  EXPECT_EQ(world.report().opens, 0u);
}

TEST_F(Compounds, RepliesComeInOneChainInOrder) {
  std::vector<Reply> replies = send(create(u"f"), write("text"), close());
  for (size_t i = 0; i < replies.size(); ++i) {
    EXPECT_EQ(replies[i].header.next_command != 0, i + 1 < replies.size());
    EXPECT_EQ(replies[i].header.is_related(), i > 0);
    EXPECT_EQ(replies[i].element.size() % 8 == 0 || i + 1 == replies.size(), true);
    EXPECT_EQ(replies[i].header.session_id, tree.session_id);
    EXPECT_EQ(replies[i].header.tree_id, tree.tree_id);
  }
}

// 3.3.5.2.7.2: what depends on a failed create fails with it.
TEST_F(Compounds, AFailedCreateFailsTheRest) {
  EXPECT_EQ(statuses(send(create(u"none", CreateDisposition::kOpen), write("x"), read(), close())),
            Statuses(4, NtStatus::kObjectNameNotFound));
  EXPECT_EQ(open_status(u"none"), NtStatus::kObjectNameNotFound);
}

TEST_F(Compounds, AFailureLaterLeavesTheHandleToTheRest) {
  make(u"f", "data");
  auto replies =
      send(on(tree, client::create_request({.name = u"f", .access = wire::kFileGenericRead})),
           write("x"), read(), close());
  EXPECT_EQ(statuses(replies), (Statuses{kOk, NtStatus::kAccessDenied, kOk, kOk}));
  EXPECT_EQ(world.report().opens, 0u);
}

TEST_F(Compounds, AnUnrelatedElementStandsForItself) {
  FileId file = peer.file(tree, u"f", "data");
  auto replies =
      send(create(u"none", CreateDisposition::kOpen), on(tree, client::read_request(file, 0, 4)),
           related(client::flush_request(FileId::previous())));
  EXPECT_EQ(statuses(replies), (Statuses{NtStatus::kObjectNameNotFound, kOk, kOk}));
}

TEST_F(Compounds, TwoChainsInOneMessage) {
  EXPECT_EQ(statuses(send(create(u"a"), write("A"), close(), create(u"b"), write("B"), close())),
            Statuses(6, kOk));
  EXPECT_EQ(content(u"a"), "A");
  EXPECT_EQ(content(u"b"), "B");
}

TEST_F(Compounds, AWholeLifeFromTreeConnectOn) {
  Request connect = client::tree_connect_request(u"\\\\server\\data");
  connect.session_id = tree.session_id;
  EXPECT_EQ(statuses(send(std::move(connect), related(client::create_request({.name = u"life"})),
                          write("short"), close(),
                          related(client::simple_request(wire::Command::kTreeDisconnect)))),
            Statuses(5, kOk));
  EXPECT_EQ(world.report().trees, 1u);
}

// B09: macOS asks for a resume key in the middle; it must not go asynchronous.
TEST_F(Compounds, B09TheMacProbeFinishesInOneGo) {
  make(u"probe", "x");
  for (uint32_t code : {wire::kFsctlSrvRequestResumeKey, wire::kFsctlGetReparsePoint}) {
    auto replies = send(on(tree, client::create_request({.name = u"probe",
                                                         .access = 0x120089,
                                                         .disposition = CreateDisposition::kOpen})),
                        related(client::ioctl_request(FileId::previous(), code, {}, 32)), close());
    EXPECT_TRUE(replies[0].ok());
    EXPECT_TRUE(replies[2].ok());
    for (const Reply& reply : replies) EXPECT_EQ(reply.interims, 0u);
    EXPECT_NE(replies[1].status(), NtStatus::kInternalError);
    if (code == wire::kFsctlGetReparsePoint) {
      EXPECT_EQ(replies[1].status(), NtStatus::kNotAReparsePoint);
    }
  }
}

TEST_F(Compounds, AWaitInTheMiddleIsRefused) {
  FileId directory = peer.directory(tree, u"dir");
  auto replies = send(on(tree, client::change_notify_request(directory, 1, 64)),
                      on(tree, client::simple_request(wire::Command::kEcho)));
  EXPECT_TRUE(is_error(replies[0].status()));
  EXPECT_TRUE(replies[1].ok());
}

TEST_F(Compounds, AWaitAtTheEndIsAnsweredPendingBehindTheOthers) {
  FileId directory = peer.directory(tree, u"dir");
  std::vector<Request> chain;
  chain.push_back(on(tree, client::simple_request(wire::Command::kEcho)));
  chain.push_back(on(tree, client::change_notify_request(directory, 1, 64)));
  std::vector<uint64_t> ids = peer.client().send(std::move(chain));
  world.run();
  EXPECT_TRUE(peer.client().take(ids[0])->ok());
  EXPECT_NE(peer.client().async_id(ids[1]), 0u);
  EXPECT_TRUE(smb().close(tree, directory).has_value());
  world.run();
  EXPECT_EQ(peer.client().take(ids[1])->status(), NtStatus::kNotifyCleanup);
}

TEST_F(Compounds, SplitAnywhereTheAnswersAreTheSame) {
  make(u"f", "0123456789");
  auto chain = [&] {
    std::vector<Request> all;
    all.push_back(create(u"f"));
    all.push_back(read());
    all.push_back(close());
    return all;
  };
  size_t size = 0;
  {
    peer.client().send(chain());
    size = peer.client().outgoing().size();
    world.run();
  }
  for (size_t at = 1; at < size; ++at) {
    std::vector<uint64_t> ids = peer.client().send(chain());
    world.deliver(peer, at);
    world.run();
    for (uint64_t id : ids) {
      auto reply = peer.client().take(id);
      ASSERT_TRUE(reply.has_value() && reply->ok()) << at;
    }
  }
}

// CANCEL has no reply: the one before it is then the last of the compound, and signed as such.
TEST(Compound, WhatIsAnsweredBeforeACancelEndsTheReply) {
  for (uint16_t dialect : {0x0202, 0x0302, 0x0311}) {
    World world;
    Peer& peer = world.add_peer({.dialects = {dialect}});
    Tree tree = peer.connect();
    std::vector<Request> chain;
    chain.push_back(client::on(tree, client::simple_request(wire::Command::kEcho)));
    chain.push_back(client::on(tree, client::simple_request(wire::Command::kCancel)));
    std::vector<uint64_t> ids = peer.client().send(std::move(chain));
    world.run();
    auto reply = peer.client().take(ids.front());
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->header.next_command, 0u);
    EXPECT_EQ(reply->signature, client::Signature::kGood);
  }
}

}  // namespace
}  // namespace semblance::test
