// What no honest client sends: every command cut short at every length, every field replaced by
// values at the edges, chains that lead nowhere. The engine answers with a status or closes that
// connection; another connection goes on undisturbed.

#include "tests/engine/harness/catalogue.h"

namespace semblance::test {
namespace {

// Somebody else on the same server, who must not notice.
class Witness {
 public:
  explicit Witness(World& world) : peer_(world.add_peer()) {
    tree_ = peer_.connect();
    file_ = peer_.file(tree_, u"witness", "undisturbed");
  }
  void expect_service() {
    ASSERT_TRUE(peer_.open());
    client::Answer read = peer_.sync().read(tree_, file_, 0, 64);
    EXPECT_EQ(read.status, NtStatus::kSuccess);
    EXPECT_EQ(as_text(read.data), "undisturbed");
  }

 private:
  Peer& peer_;
  Tree tree_;
  FileId file_;
};

class Hostile : public testing::TestWithParam<size_t> {
 protected:
  const Sample& sample() const { return every_command()[GetParam()]; }

  // Sends the sample with `change` applied and expects an answer of whatever kind.
  void attack(const std::function<void(std::vector<uint8_t>&)>& change, const std::string& what) {
    SCOPED_TRACE(what);
    World world;
    Witness witness(world);
    Stage stage = set_stage(world);
    Peer& peer = *stage.peer;
    peer.client().expect_anything();
    Request request = sample().make(stage);
    request.mutate = change;
    size_t unexpected = peer.client().unexpected().size();
    uint64_t id = peer.client().send(std::move(request));
    world.run();
    bool answered = peer.client().take(id) || peer.client().unexpected().size() > unexpected ||
                    peer.client().async_id(id) != 0;
    EXPECT_TRUE(answered || !peer.open()) << "neither answered nor closed";
    witness.expect_service();
  }

  size_t sample_size() {
    World world;
    return sample().make(set_stage(world)).element.size();
  }
};

TEST_P(Hostile, TruncatedAtEveryLength) {
  for (size_t size = sample_size(); size-- > 0;)
    attack([size](auto& element) { element.resize(size); }, "cut to " + std::to_string(size));
}

TEST_P(Hostile, EverySixteenBitFieldAtItsEdges) {
  size_t size = sample_size();
  for (size_t at = 4; at + 2 <= size; at += 2)
    for (uint16_t value : {0x0000, 0x0001, 0x7FFF, 0xFFFF})
      attack([=](auto& element) { store<uint16_t>(element.data() + at, value); },
             "u16 at " + std::to_string(at) + " = " + std::to_string(value));
}

TEST_P(Hostile, EveryThirtyTwoBitFieldAtItsEdges) {
  size_t size = sample_size();
  for (size_t at = 4; at + 4 <= size; at += 4)
    for (uint32_t value : {0x00000001u, 0x00010001u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu})
      attack([=](auto& element) { store<uint32_t>(element.data() + at, value); },
             "u32 at " + std::to_string(at) + " = " + std::to_string(value));
}

TEST_P(Hostile, NextCommandLeadsNowhere) {
  auto size = static_cast<uint32_t>(sample_size());
  for (uint32_t next : {1u, 7u, 8u, 63u, 64u, 65u, 72u, size & ~7u, size, size + 8, 0x7FFFFFF8u,
                        0xFFFFFFF8u, 0xFFFFFFFFu})
    attack([=](auto& element) { store<uint32_t>(element.data() + 20, next); },
           "NextCommand " + std::to_string(next));
}

TEST_P(Hostile, RelatedToNothing) {
  attack([](auto& element) { store<uint32_t>(element.data() + 16, 4u); }, "related, unsigned");
  attack([](auto& element) { store<uint32_t>(element.data() + 16, 4u | 8u); }, "related, signed");
  attack([](auto& element) { store<uint32_t>(element.data() + 16, 0xFFFFFFFEu); }, "all flags");
}

INSTANTIATE_TEST_SUITE_P(Command, Hostile, testing::Range(size_t{0}, every_command().size()),
                         [](const auto& info) { return every_command()[info.param].name; });

// ---- Whole chains, frames, and connections that never say anything right ------------------------

class HostileChain : public testing::Test {
 protected:
  World world_;
  Witness witness_{world_};
  Stage stage_ = set_stage(world_);

  void TearDown() override {
    world_.run();
    witness_.expect_service();
    world_.remove(*stage_.peer, World::Faults::kIgnore);
  }
};

TEST_F(HostileChain, AThousandElementsAreRefusedOrAnswered) {
  for (size_t elements : {63u, 64u, 65u, 200u, 1000u}) {
    stage_.peer->client().expect_anything();
    std::vector<Request> chain;
    for (size_t i = 0; i < elements; ++i) {
      Request echo = client::on(stage_.tree, client::simple_request(wire::Command::kEcho));
      echo.credits = 512;
      chain.push_back(std::move(echo));
    }
    stage_.peer->client().send(std::move(chain));
    world_.run();
    if (!stage_.peer->open()) stage_ = set_stage(world_);
    witness_.expect_service();
  }
}

TEST_F(HostileChain, TheSameMessageIdTwiceClosesTheConnection) {
  stage_.peer->client().expect_anything();
  uint64_t id = stage_.peer->client().next_message_id();
  EXPECT_EQ(stage_.peer->sync().echo(), NtStatus::kSuccess);
  stage_.peer->client().set_next_message_id(id);
  stage_.peer->client().send(client::simple_request(wire::Command::kEcho));
  world_.run();
  EXPECT_FALSE(stage_.peer->open());  // MS-SMB2 3.3.5.2.3
}

TEST_F(HostileChain, NoiseInFrames) {
  const std::vector<std::vector<uint8_t>> noises = {
      {0, 0, 0, 0},
      {0, 0, 0, 3, 0xFE, 'S', 'M'},
      {0, 0, 0, 4, 0xFE, 'S', 'M', 'B'},
      {0, 0, 0, 4, 0xFD, 'S', 'M', 'B'},
      {0, 0, 0, 4, 0xFC, 'S', 'M', 'B'},
      {0, 0, 0, 4, 0xFF, 'S', 'M', 'B'},
      {0, 0xFF, 0xFF, 0xFF},
      {0x81, 0, 0, 4, 1, 2, 3, 4},
      {0x85, 0, 0, 4, 1, 2, 3, 4},
      {'G', 'E', 'T', ' ', '/', ' '},
  };
  for (const auto& noise : noises)
    for (bool logged_in : {false, true}) {
      Stage stage;
      if (logged_in) stage = set_stage(world_);
      Peer& peer = logged_in ? *stage.peer : world_.add_peer();
      peer.client().expect_anything();
      peer.client().send_raw(noise);
      world_.run();
      EXPECT_FALSE(peer.open()) << "noise " << &noise - noises.data();
      world_.remove(peer, World::Faults::kIgnore);
      witness_.expect_service();
    }
}

TEST_F(HostileChain, KeepAlivesAreNothing) {
  stage_.peer->client().send_raw(std::vector<uint8_t>{0x85, 0, 0, 0, 0x85, 0, 0, 0});
  EXPECT_EQ(stage_.peer->sync().echo(), NtStatus::kSuccess);
}

TEST_F(HostileChain, EveryCommandBeforeNegotiateClosesTheConnection) {
  for (const Sample& sample : every_command()) {
    Peer& peer = world_.add_peer();
    peer.client().expect_anything();
    Request request = sample.make(stage_);
    request.signing = client::Signing::kNever;
    peer.client().send(std::move(request));
    world_.run();
    EXPECT_FALSE(peer.open()) << sample.name;
    world_.remove(peer, World::Faults::kIgnore);
  }
}

TEST_F(HostileChain, EveryCommandWithSomebodyElsesSessionIsRefusedWithoutEffect) {
  Peer& peer = world_.add_peer();
  ASSERT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
  for (const Sample& sample : every_command()) {
    if (std::string(sample.name) == "echo") continue;  // needs no session
    world_.take_operations();
    Request request = sample.make(stage_);
    EXPECT_EQ(peer.sync().call(std::move(request)).status(), NtStatus::kUserSessionDeleted)
        << sample.name;
    EXPECT_EQ(world_.take_operation_count(), 0u) << sample.name;
  }
}

TEST_F(HostileChain, AnUnfinishedMessageLeavesNothingBehind) {
  Peer& peer = *stage_.peer;
  peer.client().send(
      client::on(stage_.tree, client::write_request(stage_.file, 0, as_bytes("not all of it"))));
  world_.deliver(peer, peer.client().outgoing().size() - 1);
  world_.disconnect(peer);
  world_.run();
}

}  // namespace
}  // namespace semblance::test
