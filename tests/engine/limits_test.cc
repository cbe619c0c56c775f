// Every pool runs out at some time: the request waits or is refused, nothing is lost, nobody
// crashes, and afterwards everything works again.

#include "tests/engine/harness/catalogue.h"

namespace semblance::test {
namespace {

using client::on;

enum class Waiting : uint8_t { kToo, kNot };  // whether requests that wait without end take part

// Runs every sample, several of it at once, where `limits` are tight.
void run_everything(const Limits& limits, int at_once, Waiting waiting = Waiting::kToo) {
  for (const Sample& sample : every_command()) {
    if (waiting == Waiting::kNot && std::string(sample.name) == "change_notify") continue;
    SCOPED_TRACE(sample.name);
    WorldOptions options;
    options.limits = limits;
    World world(options);
    Stage stage = set_stage(world);
    Client& client = stage.peer->client();
    std::vector<uint64_t> ids;
    for (int i = 0; i < at_once; ++i) {
      Request request = sample.make(stage);
      request.credits = 2;
      ids.push_back(client.send(std::move(request)));
    }
    client.expect_anything();
    world.run();
    for (uint64_t id : ids)
      if (client.async_id(id) != 0) client.cancel(id);
    world.run();
    for (uint64_t id : ids) EXPECT_TRUE(client.take(id).has_value()) << "never answered";
    EXPECT_TRUE(stage.peer->open());
  }
}

TEST(Tight, Frames) {
  for (uint32_t frames : {7u, 8u, 9u, 10u, 12u, 16u}) {
    SCOPED_TRACE(frames);
    Limits limits;
    limits.frames = frames;
    run_everything(limits, 8);
  }
}

TEST(Tight, Requests) {
  for (uint32_t requests : {1u, 2u, 3u}) {
    Limits limits;
    limits.requests = requests;
    run_everything(limits, 8, Waiting::kNot);
    limits = {};
    limits.requests_per_connection = requests;
    run_everything(limits, 8);
  }
}

// Given no request left for the work of closing, deadline() does not ask for step after step until
// there is one.
TEST(Tight, AHandleThatWaitsForARequestToCloseItCostsNoSteps) {
  WorldOptions options;
  options.limits.requests = 1;
  World world(options);
  Peer& stays = world.add_peer();
  Tree tree = stays.connect();
  FileId file = stays.file(tree, u"file", "some bytes");
  Peer& leaves = world.add_peer();
  auto doomed = leaves.sync().create(leaves.connect(),
                                     {.name = u"doomed", .options = wire::kFileDeleteOnClose});
  ASSERT_TRUE(doomed.has_value());
  world.hold_all();
  stays.client().send(on(tree, client::read_request(file, 0, 4)));
  world.run();
  world.disconnect(leaves);
  EXPECT_GT(world.engine().deadline(), world.now());
  world.hold_nothing();
  world.complete_all();
  world.run();
  EXPECT_EQ(world.report().opens, 1u);
  EXPECT_EQ(stays.sync()
                .create(tree, {.name = u"doomed", .disposition = CreateDisposition::kOpen})
                .error(),
            NtStatus::kObjectNameNotFound);
}

// Given no coroutine frame for the work of a CLOSE, it is refused and the handle stays as it was.
TEST(Tight, ACloseThatFindsNoFrameCanBeRepeated) {
  WorldOptions options;
  options.limits.frames = 12;
  World world(options);
  Peer& peer = world.add_peer();
  Tree tree = peer.connect();
  FileId directory = peer.directory(tree, u"dir");
  auto doomed = peer.sync().create(tree, {.name = u"doomed", .options = wire::kFileDeleteOnClose});
  ASSERT_TRUE(doomed.has_value());
  std::vector<uint64_t> waiting;
  for (uint32_t i = 0; i < options.limits.frames; ++i)
    waiting.push_back(peer.sync().change_notify(tree, directory, 1));
  world.run();
  EXPECT_EQ(peer.sync().close(tree, doomed->id).error(), NtStatus::kInsufficientResources);
  for (uint64_t id : waiting) peer.client().cancel(id);
  world.run();
  EXPECT_TRUE(peer.sync().close(tree, doomed->id).has_value());
  EXPECT_EQ(peer.sync()
                .create(tree, {.name = u"doomed", .disposition = CreateDisposition::kOpen})
                .error(),
            NtStatus::kObjectNameNotFound);
}

TEST(Tight, Opens) {
  Limits limits;
  limits.opens = 4;
  run_everything(limits, 8);
}

TEST(Tight, TransmitBytes) {
  Limits limits;
  limits.transmit_bytes_per_connection = 1;
  run_everything(limits, 8);
  limits = {};
  limits.transmit_bytes = 64 << 10;
  run_everything(limits, 8);
}

TEST(Tight, IndexEntries) {
  Limits limits;
  limits.index_entries = 1;
  run_everything(limits, 4);
}

TEST(Tight, AsyncPerConnection) {
  Limits limits;
  limits.async_per_connection = 1;
  run_everything(limits, 4);
}

TEST(Tight, Connections) {
  WorldOptions options;
  options.limits.connections = 2;
  World world(options);
  Peer& first = world.add_peer();
  Peer& second = world.add_peer();
  Tree tree = first.connect();
  second.connect();
  EXPECT_EQ(world.report().connections, 2u);
  world.disconnect(second);
  Peer& third = world.add_peer();
  third.connect();
  EXPECT_EQ(first.sync().echo(), NtStatus::kSuccess);
}

// A connection whose client does not read: its requests wait, the others' do not.
TEST(Tight, ASlowReaderHoldsNobodyUp) {
  WorldOptions options;
  options.limits.transmit_bytes_per_connection = 1 << 20;
  World world(options);
  Peer& slow = world.add_peer();
  Tree tree = slow.connect();
  FileId file = slow.file(tree, u"large", std::string(60'000, 'l'));
  Peer& other = world.add_peer();
  Tree theirs = other.connect();
  std::vector<uint64_t> ids;
  for (int i = 0; i < 60; ++i)
    ids.push_back(slow.client().send(on(tree, client::read_request(file, 0, 60'000))));
  while (world.deliver(slow)) {
  }
  EXPECT_LE(world.report().transmit_bytes, 3u << 20);
  while (world.deliver(other)) {
  }
  world.run();
  for (uint64_t id : ids) {
    auto reply = slow.client().take(id);
    ASSERT_TRUE(reply.has_value());
    EXPECT_TRUE(reply->ok());
  }
  EXPECT_TRUE(other.sync().create(theirs, {.name = u"quick"}).has_value());
}

// Requests that wait without end must leave room for the others, and for what ends them.
TEST(Tight, PendingNotifiesDoNotStopTheServer) {
  WorldOptions options;
  options.limits.requests = 16;
  World world(options);
  Stage stage = set_stage(world);
  Client& client = stage.peer->client();
  client.expect_anything();  // some may be refused
  Peer& other = world.add_peer();
  other.connect();
  uint64_t last = 0;
  for (int i = 0; i < 40; ++i) {
    Request notify = client::change_notify_request(stage.directory, 1, 64);
    notify.credits = 4;
    last = client.send(on(stage.tree, std::move(notify)));
    world.run();
  }
  EXPECT_EQ(other.sync().echo(), NtStatus::kSuccess);
  EXPECT_TRUE(client.take(last).has_value() || client.async_id(last) != 0) << "never answered";
}

// Many clients that make the same file at the same time: each gets it, none is thrown out.
TEST(Race, ToMakeTheSameFile) {
  for (CreateDisposition disposition :
       {CreateDisposition::kOpenIf, CreateDisposition::kCreate, CreateDisposition::kOverwriteIf}) {
    World world;
    std::vector<std::pair<Peer*, uint64_t>> racers;
    for (int i = 0; i < 6; ++i) {
      Peer& peer = world.add_peer();
      Tree tree = peer.connect();
      racers.emplace_back(
          &peer, peer.client().send(on(
                     tree, client::create_request(
                               {.name = u"goal", .disposition = disposition, .attributes = 2}))));
    }
    world.run();
    int opened = 0;
    for (auto [peer, id] : racers) {
      EXPECT_TRUE(peer->open());
      auto reply = peer->client().take(id);
      ASSERT_TRUE(reply.has_value());
      opened += reply->ok();
      if (!reply->ok()) {
        EXPECT_EQ(reply->status(), NtStatus::kObjectNameCollision);
      }
    }
    EXPECT_EQ(opened, disposition == CreateDisposition::kCreate ? 1 : 6);
  }
}

// Opens that are closed while the store takes its time to give the handles back.
TEST(Tight, SlowClosesAreBounded) {
  WorldOptions options;
  options.limits.opens = 4;
  options.limits.requests = 4;
  World world(options);
  Peer& peer = world.add_peer();
  Tree tree = peer.connect();
  world.hold([](const StoreOperation& what) { return std::holds_alternative<StoreClose>(what); });
  bool refused = false;
  for (int i = 0; i < 100; ++i) {
    auto opened = peer.sync().create(tree, {.name = u"file"});
    if (!opened) {
      // Nobody is read any more until the store has taken handles back.
      EXPECT_EQ(opened.error(), NtStatus::kIoTimeout);
      EXPECT_GE(i, 3);
      refused = true;
      break;
    }
    uint64_t id = peer.client().send(on(tree, client::close_request(opened->id)));
    world.run();
    EXPECT_TRUE(peer.client().take(id).has_value());
  }
  EXPECT_TRUE(refused);
  world.hold_nothing();
  world.complete_all();
  world.run();
  EXPECT_EQ(peer.client().pending(), 0u) << "never answered";
  EXPECT_TRUE(peer.sync().create(tree, {.name = u"file"}).has_value());
}

}  // namespace
}  // namespace semblance::test
