// Sealed messages: every cipher and dialect, sessions and shares that require them, nothing in the
// clear that is to be sealed, nothing taken that does not open. MS-SMB2 3.3.5.2.1.1, 3.3.4.1.4.

#include "engine/base/utf16.h"
#include "engine/wire/flush.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/transform_header.h"
#include "tests/engine/harness/catalogue.h"

namespace semblance::test {
namespace {

using client::on;
using client::Sealing;
using crypto::Cipher;

struct Variant {
  const char* name;
  uint16_t dialect;
  std::vector<uint16_t> offered;
  Cipher expected;

  client::Options options() const {
    client::Options options;
    options.dialects = {dialect};
    options.ciphers = offered;
    return options;
  }
};
const Variant kVariants[] = {
    {"smb300", 0x0300, {1}, Cipher::kAes128Ccm},
    {"smb302", 0x0302, {1}, Cipher::kAes128Ccm},
    {"smb311_ccm128", 0x0311, {1}, Cipher::kAes128Ccm},
    {"smb311_gcm128", 0x0311, {2}, Cipher::kAes128Gcm},
    {"smb311_ccm256", 0x0311, {3}, Cipher::kAes256Ccm},
    {"smb311_gcm256", 0x0311, {4}, Cipher::kAes256Gcm},
    {"smb311_all", 0x0311, {4, 3, 2, 1}, Cipher::kAes128Gcm},
};

// What passes on the wire, both ways, as it is there.
class Wiretap : public StepObserver {
 public:
  void before_step(const Engine& engine, Instant, std::span<const Event> events) override {
    for (const Event& event : events) {
      if (const auto* received = std::get_if<BytesReceived>(&event))
        to_server.append(as_text(received->bytes));
      if (const auto* sent = std::get_if<BytesSent>(&event)) note_sent(engine, *sent);
    }
  }
  void after_step(std::span<const Effect>) override {}
  void clear() {
    to_server.clear();
    to_client.clear();
  }

  std::string to_server, to_client;

 private:
  void note_sent(const Engine& engine, const BytesSent& sent) {
    std::array<Segment, 64> segments;
    size_t left = sent.bytes;
    for (size_t i = 0, n = engine.transmit(sent.connection, segments); i < n && left > 0; i++) {
      const Bytes part = segments[i].first(std::min(left, segments[i].size()));
      to_client.append(as_text(part));
      left -= part.size();
    }
  }
};

WorldOptions required(StepObserver* observer = nullptr) {
  WorldOptions options;
  options.encryption = Requirement::kRequired;
  options.observer = observer;
  return options;
}
WorldOptions encrypted_share(StepObserver* observer = nullptr) {
  WorldOptions options;
  options.encrypt = true;
  options.observer = observer;
  return options;
}

bool needs_session(const Sample& sample) { return std::string_view(sample.name) != "echo"; }

class Sealed : public testing::TestWithParam<size_t> {
 protected:
  const Variant& variant() const { return kVariants[GetParam()]; }
};

TEST_P(Sealed, EveryReplyOfASealedSessionIsSealed) {
  for (const Sample& sample : every_command()) {
    SCOPED_TRACE(sample.name);
    World world(required());
    Stage stage = set_stage(world, variant().options());
    Client& client = stage.peer->client();
    EXPECT_EQ(static_cast<uint16_t>(client.dialect()), variant().dialect);
    EXPECT_EQ(client.cipher(), variant().expected);
    uint64_t id = client.send(sample.make(stage));
    world.run();
    // The interim reply and the CANCEL are sealed too: the client's books say so.
    if (client.async_id(id) != 0) client.cancel(id);
    world.run();
    auto reply = client.take(id);
    ASSERT_TRUE(reply.has_value());
    EXPECT_TRUE(reply->sealed);
    EXPECT_EQ(reply->signature, client::Signature::kNone);
  }
}

TEST_P(Sealed, PlaintextOnASealedSessionIsRefusedWithoutEffect) {
  World world(required());
  Stage stage = set_stage(world, variant().options());
  EngineReport before = world.report();
  world.take_operations();
  for (const Sample& sample : every_command()) {
    if (!needs_session(sample)) continue;
    SCOPED_TRACE(sample.name);
    Request request = sample.make(stage);
    request.sealing = Sealing::kNever;
    Reply reply = stage.peer->sync().call(std::move(request));
    EXPECT_EQ(reply.status(), NtStatus::kAccessDenied);
    EXPECT_FALSE(reply.sealed);
    EXPECT_EQ(reply.signature, client::Signature::kGood);
    EXPECT_EQ(world.take_operation_count(), 0u);
  }
  EngineReport after = world.report();
  EXPECT_EQ(after.opens, before.opens);
  EXPECT_EQ(after.trees, before.trees);
  EXPECT_EQ(after.sessions, before.sessions);
  EXPECT_EQ(stage.peer->sync().flush(stage.tree, stage.file), NtStatus::kSuccess);
}

// Only what belongs to the share: the rest of the session may stay in the clear.
TEST_P(Sealed, AShareThatIsToBeSealedRefusesPlaintext) {
  World world(encrypted_share());
  Stage stage = set_stage(world, variant().options());
  EXPECT_TRUE(stage.tree.info.share_flags & wire::kShareFlagEncryptData);
  EXPECT_FALSE(stage.ipc.info.share_flags & wire::kShareFlagEncryptData);
  SyncClient& smb = stage.peer->sync();
  EXPECT_FALSE(smb.call(on(stage.ipc, client::read_request(stage.pipe, 0, 512))).sealed);
  EXPECT_TRUE(smb.call(on(stage.tree, client::read_request(stage.file, 0, 10))).sealed);
  world.take_operations();
  for (const Sample& sample : every_command()) {
    Request request = sample.make(stage);
    if (request.tree_id != stage.tree.tree_id || !needs_session(sample)) continue;
    if (std::string_view(sample.name) == "logoff") continue;  // concerns no share
    SCOPED_TRACE(sample.name);
    request.sealing = Sealing::kNever;
    EXPECT_EQ(smb.call(std::move(request)).status(), NtStatus::kAccessDenied);
    EXPECT_EQ(world.take_operation_count(), 0u);
  }
}

TEST_P(Sealed, NoNameAndNoContentIsEverInTheClear) {
  constexpr std::string_view kContent = "canary in a coal mine";
  constexpr std::u16string_view kName = u"canary.txt";
  const std::string_view name = as_text(as_bytes(kName));
  for (bool encrypt : {true, false}) {
    Wiretap wire;
    WorldOptions options;
    options.encrypt = encrypt;
    options.observer = &wire;
    World world(options);
    Stage stage = set_stage(world, variant().options());
    SyncClient& smb = stage.peer->sync();
    wire.clear();
    FileId file = stage.peer->file(stage.tree, std::u16string(kName), kContent);
    EXPECT_EQ(as_text(smb.read(stage.tree, file, 0, 100).data), kContent);
    FileId root = smb.create(stage.tree, {.access = wire::kFileListDirectory,
                                          .options = wire::kFileDirectoryFile})
                      ->id;
    EXPECT_TRUE(smb.list(stage.tree, root, FileInfoClass::kIdBothDirectory, u"*").has_value());
    for (const std::string* stream : {&wire.to_server, &wire.to_client}) {
      // A share that is not to be sealed shows that the search finds what is there.
      EXPECT_EQ(stream->find(kContent) == std::string::npos, encrypt);
      EXPECT_EQ(stream->find(name) == std::string::npos, encrypt);
    }
  }
}

TEST_P(Sealed, WhatWasChangedOnTheWayEndsTheConnection) {
  const size_t size = wire::kTransformHeaderSize + wire::kHeaderSize + 49;
  for (size_t at = 0; at < size; at++) {
    SCOPED_TRACE(at);
    World world(required());
    Stage stage = set_stage(world, variant().options());
    stage.peer->client().expect_anything();
    world.take_operations();
    Request request = on(stage.tree, client::write_request(stage.file, 0, as_bytes("payload")));
    request.tamper_sealed = [at](std::vector<uint8_t>& sealed) { sealed.at(at) ^= 0x10; };
    stage.peer->client().send(std::move(request));
    world.run();
    EXPECT_FALSE(stage.peer->open());
    // Nothing but what a disconnect does: the handles are closed.
    const auto operations = world.take_operations();
    EXPECT_EQ(operations[StoreOperation(StoreWrite{}).index()], 0u);
  }
}

TEST_P(Sealed, AWrongTagEndsTheConnection) {
  World world(encrypted_share());
  Stage stage = set_stage(world, variant().options());
  Request request = on(stage.tree, client::flush_request(stage.file));
  request.sealing = Sealing::kWrong;
  EXPECT_EQ(stage.peer->sync().call(std::move(request)).status(), client::kDisconnected);
  EXPECT_FALSE(stage.peer->open());
}

TEST_P(Sealed, TooShortOrTooLongEndsTheConnection) {
  for (const int change : {-1, +1, -1000}) {
    World world(required());
    Stage stage = set_stage(world, variant().options());
    Request request = on(stage.tree, client::flush_request(stage.file));
    request.tamper_sealed = [change](std::vector<uint8_t>& sealed) {
      const auto size = static_cast<ptrdiff_t>(sealed.size());
      sealed.resize(static_cast<size_t>(std::max<ptrdiff_t>(size + change, 20)));
    };
    EXPECT_EQ(stage.peer->sync().call(std::move(request)).status(), client::kDisconnected);
  }
}

TEST_P(Sealed, ACompoundIsSealedAsOne) {
  Wiretap wire;
  World world(encrypted_share(&wire));
  Stage stage = set_stage(world, variant().options());
  wire.clear();
  std::vector<Request> chain;
  chain.push_back(on(stage.tree, client::create_request({.name = u"made"})));
  chain.push_back(client::related(client::write_request(FileId::previous(), 0, as_bytes("text"))));
  chain.push_back(client::related(client::read_request(FileId::previous(), 0, 4)));
  chain.push_back(client::related(client::close_request(FileId::previous())));
  for (const Reply& reply : stage.peer->sync().call(std::move(chain))) {
    EXPECT_EQ(reply.status(), NtStatus::kSuccess);
    EXPECT_TRUE(reply.sealed);
  }
  // One transform there and one back, and no header of a message.
  for (const std::string* stream : {&wire.to_server, &wire.to_client}) {
    EXPECT_EQ(stream->find("\xfdSMB"), wire::kFrameHeaderSize);
    EXPECT_EQ(stream->find("\xfdSMB", wire::kFrameHeaderSize + 1), std::string::npos);
    EXPECT_EQ(stream->find("\xfeSMB"), std::string::npos);
  }
}

// A compound of which one element needs it: all of it.
TEST_P(Sealed, OneElementThatIsToBeSealedSealsTheOthers) {
  World world(encrypted_share());
  Stage stage = set_stage(world, variant().options());
  std::vector<Request> chain;
  chain.push_back(on(stage.ipc, client::simple_request(wire::Command::kEcho)));
  chain.push_back(on(stage.tree, client::flush_request(stage.file)));
  for (const Reply& reply : stage.peer->sync().call(std::move(chain))) {
    EXPECT_EQ(reply.status(), NtStatus::kSuccess);
    EXPECT_TRUE(reply.sealed);
  }
}

TEST_P(Sealed, AClientMaySealWhereNobodyAsks) {
  Wiretap wire;
  WorldOptions options;
  options.observer = &wire;
  World world(options);
  Peer& peer = world.add_peer(variant().options());
  EXPECT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
  client::Login login = peer.login();
  login.seal = true;
  const client::Session& session = peer.sync().log_in(login);
  ASSERT_TRUE(session.valid()) << show(session.status());
  EXPECT_FALSE(session.flags() & wire::kSessionFlagEncryptData);
  wire.clear();
  Tree tree = peer.tree(session, u"data");
  FileId file = peer.file(tree, u"file", "text");
  Reply reply = peer.sync().call(on(tree, client::read_request(file, 0, 4)));
  EXPECT_TRUE(reply.ok() && reply.sealed);
  EXPECT_EQ(wire.to_client.find("\xfeSMB"), std::string::npos);
}

// The key of one session says nothing for another, on the same connection too.
TEST_P(Sealed, ASealSpeaksForItsOwnSessionOnly) {
  World world(required());
  Stage stage = set_stage(world, variant().options());
  const client::Session& other = stage.peer->sync().log_in(stage.peer->login("bert", "hidden"));
  ASSERT_TRUE(other.valid());
  Request request = on(stage.tree, client::flush_request(stage.file));
  const uint64_t owner = request.session_id;
  request.session_id = other.id();
  request.mutate = [owner](std::vector<uint8_t>& element) {
    store<uint64_t>(element.data() + 40, owner);
  };
  stage.peer->client().expect_anything();
  EXPECT_EQ(stage.peer->sync().call(std::move(request)).status(), NtStatus::kAccessDenied);
}

// Large replies, in pieces, several at a time.
TEST_P(Sealed, ManyLargeReadsComeWhole) {
  World world(required());
  Stage stage = set_stage(world, variant().options());
  SyncClient& smb = stage.peer->sync();
  std::vector<uint8_t> content(300'000);
  for (size_t i = 0; i < content.size(); i++) content[i] = static_cast<uint8_t>(i * 7 >> 3);
  EXPECT_EQ(smb.write(stage.tree, stage.file, 0, content), content.size());
  world.send_at_most(4099);
  std::vector<uint64_t> ids;
  for (uint32_t i = 0; i < 5; i++) {
    Request request = on(stage.tree, client::read_request(stage.file, i * 60'000, 60'000));
    ids.push_back(stage.peer->client().send(std::move(request)));
  }
  for (size_t i = 0; i < ids.size(); i++) {
    Reply reply = smb.wait(ids[i]);
    ASSERT_TRUE(reply.ok() && reply.sealed);
    EXPECT_TRUE(std::equal(reply.element.end() - 60'000, reply.element.end(),
                           content.begin() + static_cast<ptrdiff_t>(i * 60'000)));
  }
}

INSTANTIATE_TEST_SUITE_P(Cipher, Sealed, testing::Range(size_t{0}, std::size(kVariants)),
                         [](const auto& info) { return kVariants[info.param].name; });

// ---- Who can't ----------------------------------------------------------------------------------

TEST(Sealing, WhoHasNoCipherIsNotAdmitted) {
  for (const uint16_t dialect : {0x0202, 0x0210, 0x0300, 0x0302, 0x0311}) {
    SCOPED_TRACE(dialect);
    client::Options options;
    options.dialects = {dialect};
    {
      World world(required());
      Peer& peer = world.add_peer(options);
      EXPECT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
      EXPECT_EQ(peer.log_in().status(), NtStatus::kAccessDenied);
    }
    World world(encrypted_share());
    Peer& peer = world.add_peer(options);
    EXPECT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
    ASSERT_TRUE(peer.log_in().valid());
    auto tree = peer.sync().tree_connect(peer.session(), u"\\\\server\\data");
    EXPECT_EQ(tree.error(), NtStatus::kAccessDenied);
  }
}

TEST(Sealing, AServerThatDoesNotSealSaysSo) {
  WorldOptions options = encrypted_share();
  options.encryption = Requirement::kOff;
  for (const Variant& variant : kVariants) {
    SCOPED_TRACE(variant.name);
    World world(options);
    Stage stage = set_stage(world, variant.options());
    EXPECT_EQ(stage.peer->client().cipher(), std::nullopt);
    Reply reply = stage.peer->sync().call(on(stage.tree, client::flush_request(stage.file)));
    EXPECT_TRUE(reply.ok() && !reply.sealed);
  }
}

// Somebody else's replies fill the room for all: who seals waits for it like everyone.
TEST(Sealing, NoRoomForTheReplyIsNoReasonToBreakOff) {
  WorldOptions options;
  options.limits.read_max = options.limits.transact_max = 1 << 20;
  options.limits.transmit_bytes = options.limits.transmit_bytes_per_connection = 4 << 20;
  World world(options);
  const std::string content(200'000, 'l');
  Peer& slow = world.add_peer();
  Tree tree = slow.connect();
  FileId large = slow.file(tree, u"large", content);
  Peer& peer = world.add_peer(kVariants[3].options());
  EXPECT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
  client::Login login = peer.login();
  login.seal = true;
  Tree sealed_tree = peer.tree(peer.sync().log_in(login), u"data");
  FileId file = peer.file(sealed_tree, u"other", content);

  std::vector<uint64_t> ids;
  for (int i = 0; i < 20; i++)
    ids.push_back(slow.client().send(on(tree, client::read_request(large, 0, 200'000))));
  while (world.deliver(slow)) {
  }
  const uint64_t id = peer.client().send(on(sealed_tree, client::read_request(file, 0, 200'000)));
  world.run();
  EXPECT_TRUE(peer.open());
  for (const uint64_t slow_id : ids) EXPECT_TRUE(slow.sync().wait(slow_id).ok());
  EXPECT_TRUE(peer.sync().wait(id).ok());
}

// ---- The client's own books ---------------------------------------------------------------------

class SealingClient : public testing::Test {
 protected:
  bool finds(std::string_view what) {
    for (const std::string& fault : client().faults())
      if (fault == what) return true;
    return false;
  }
  Client& client() { return stage_.peer->client(); }
  // Faults that were provoked are not held against the world.
  void TearDown() override { world_.remove(*stage_.peer, World::Faults::kIgnore); }

  Wiretap wire_;
  World world_{required(&wire_)};
  Stage stage_ = set_stage(world_, kVariants[3].options());
};

TEST_F(SealingClient, FindsANonceThatIsUsedTwice) {
  wire_.clear();
  EXPECT_EQ(stage_.peer->sync().flush(stage_.tree, stage_.file), NtStatus::kSuccess);
  EXPECT_TRUE(client().faults().empty());
  client().receive(as_bytes(wire_.to_client));
  EXPECT_TRUE(finds("a nonce used twice"));
}

TEST_F(SealingClient, FindsASealThatDoesNotOpen) {
  wire_.clear();
  EXPECT_EQ(stage_.peer->sync().flush(stage_.tree, stage_.file), NtStatus::kSuccess);
  wire_.to_client.back() ^= 1;
  client().receive(as_bytes(wire_.to_client));
  EXPECT_TRUE(finds("sealed message that does not open"));
}

TEST_F(SealingClient, FindsAPlaintextReplyToASealedRequest) {
  const uint64_t id = client().send(on(stage_.tree, client::flush_request(stage_.file)));
  Request forged = client::make_request(wire::Command::kFlush, wire::FlushResponse{});
  wire::Header header;
  header.command = wire::Command::kFlush;
  header.flags = wire::kFlagServerToRedir;
  header.message_id = id;
  header.session_id = stage_.tree.session_id;
  header.credits = 1;
  wire::Builder b(MutableBytes(forged.element).first(wire::kHeaderSize));
  header.build(b);
  std::vector<uint8_t> frame(wire::kFrameHeaderSize);
  wire::Builder f(frame);
  wire::FrameHeader{wire::kFrameSessionMessage, static_cast<uint32_t>(forged.element.size())}.build(
      f);
  frame.insert(frame.end(), forged.element.begin(), forged.element.end());
  client().receive(frame);
  EXPECT_TRUE(finds("plaintext reply to a sealed request"));
  EXPECT_TRUE(finds("plaintext from a session that is to be sealed"));
}

}  // namespace
}  // namespace semblance::test
