// Signatures: every dialect and algorithm, both ways; nothing takes effect before its signature is
// checked. MS-SMB2 3.3.5.2.4, 3.3.4.1.1, 3.1.4.1.

#include "tests/engine/harness/catalogue.h"

namespace semblance::test {
namespace {

using client::on;
using client::Signing;
using crypto::SigningAlgorithm;

constexpr uint8_t kRequired = wire::kNegotiateSigningRequired;

struct Variant {
  const char* name;
  uint16_t dialect;
  std::vector<uint16_t> offered;
  SigningAlgorithm expected;

  client::Options options() const {
    client::Options options;
    options.dialects = {dialect};
    options.signing_algorithms = offered;
    return options;
  }
};
const Variant kVariants[] = {
    {"smb202", 0x0202, {}, SigningAlgorithm::kHmacSha256},
    {"smb210", 0x0210, {}, SigningAlgorithm::kHmacSha256},
    {"smb300", 0x0300, {}, SigningAlgorithm::kAesCmac},
    {"smb302", 0x0302, {}, SigningAlgorithm::kAesCmac},
    {"smb311_default", 0x0311, {}, SigningAlgorithm::kAesCmac},
    {"smb311_hmac", 0x0311, {0}, SigningAlgorithm::kHmacSha256},
    {"smb311_cmac", 0x0311, {1, 0}, SigningAlgorithm::kAesCmac},
    {"smb311_gmac", 0x0311, {2}, SigningAlgorithm::kAesGmac},
};

class Signed : public testing::TestWithParam<size_t> {
 protected:
  const Variant& variant() const { return kVariants[GetParam()]; }
};

TEST_P(Signed, EveryReplyIsSignedWithTheAlgorithmThatWasAgreedOn) {
  for (const Sample& sample : every_command()) {
    SCOPED_TRACE(sample.name);
    World world;
    Stage stage = set_stage(world, variant().options(), kRequired);
    Client& client = stage.peer->client();
    EXPECT_EQ(static_cast<uint16_t>(client.dialect()), variant().dialect);
    EXPECT_EQ(client.signing_algorithm(), variant().expected);
    uint64_t id = client.send(sample.make(stage));
    world.run();
    if (client.async_id(id) != 0) client.cancel(id);
    world.run();
    auto reply = client.take(id);
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->signature, client::Signature::kGood);
  }
}

// B03: the same as the second element of a compound, between others.
TEST_P(Signed, B03EveryElementOfACompoundIsSignedByItself) {
  for (const Sample& sample : every_command()) {
    if (std::string(sample.name) == "logoff") continue;  // what follows has no session
    if (std::string(sample.name) == "change_notify") continue;
    SCOPED_TRACE(sample.name);
    World world;
    Stage stage = set_stage(world, variant().options(), kRequired);
    std::vector<Request> chain;
    chain.push_back(on(stage.ipc, client::simple_request(wire::Command::kEcho)));
    chain.push_back(sample.make(stage));
    chain.push_back(on(stage.ipc, client::simple_request(wire::Command::kEcho)));
    for (Reply& reply : stage.peer->sync().call(std::move(chain)))
      EXPECT_EQ(reply.signature, client::Signature::kGood);
  }
}

TEST_P(Signed, UnsignedOrWronglySignedIsRefusedWithoutEffect) {
  World world;
  Stage stage = set_stage(world, variant().options(), kRequired);
  EngineReport before = world.report();
  world.take_operations();
  for (const Sample& sample : every_command())
    for (Signing signing : {Signing::kNever, Signing::kWrong}) {
      SCOPED_TRACE(sample.name);
      Request request = sample.make(stage);
      request.signing = signing;
      EXPECT_EQ(stage.peer->sync().call(std::move(request)).status(), NtStatus::kAccessDenied);
      EXPECT_EQ(world.take_operation_count(), 0u);
    }
  EngineReport after = world.report();
  EXPECT_EQ(after.opens, before.opens);
  EXPECT_EQ(after.trees, before.trees);
  EXPECT_EQ(after.sessions, before.sessions);
  EXPECT_EQ(after.counters.bad_signatures - before.counters.bad_signatures, every_command().size());
  EXPECT_EQ(stage.peer->sync().flush(stage.tree, stage.file), NtStatus::kSuccess);
}

TEST_P(Signed, ABitChangedOnTheWayIsNoticedWhereverItIs) {
  World world;
  Stage stage = set_stage(world, variant().options(), kRequired);
  world.take_operations();
  Request probe = on(stage.tree, client::write_request(stage.file, 0, as_bytes("payload")));
  // Not the fields that say whose signature it is and where the message ends.
  for (size_t at = 44; at < probe.element.size(); ++at) {
    if (at < 48) continue;
    Request request = on(stage.tree, client::write_request(stage.file, 0, as_bytes("payload")));
    request.tamper = [at](MutableBytes element) { element[at] ^= 0x10; };
    EXPECT_EQ(stage.peer->sync().call(std::move(request)).status(), NtStatus::kAccessDenied) << at;
    EXPECT_EQ(world.take_operation_count(), 0u) << at;
  }
  EXPECT_EQ(as_text(stage.peer->sync().read(stage.tree, stage.file, 0, 4).data), "xxxx");
}

TEST_P(Signed, ATamperedElementInACompoundHasNoEffectAndLeavesTheOthersAlone) {
  for (size_t tampered : {0u, 1u, 2u}) {
    World world;
    Stage stage = set_stage(world, variant().options(), kRequired);
    std::vector<Request> chain;
    for (uint64_t i = 0; i < 3; ++i)
      chain.push_back(on(stage.tree, client::write_request(stage.file, i, as_bytes("W"))));
    chain[tampered].tamper = [](MutableBytes element) { element[112] = 'T'; };
    std::vector<Reply> replies = stage.peer->sync().call(std::move(chain));
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(replies[i].status(), i == tampered ? NtStatus::kAccessDenied : NtStatus::kSuccess);
    std::string expected = "WWW";
    expected[tampered] = 'x';
    EXPECT_EQ(as_text(stage.peer->sync().read(stage.tree, stage.file, 0, 3).data), expected);
  }
}

TEST_P(Signed, AFailedElementOfARelatedCompoundTakesTheRestWithIt) {
  World world;
  Stage stage = set_stage(world, variant().options(), kRequired);
  std::vector<Request> chain;
  chain.push_back(on(stage.tree, client::create_request({.name = u"victim"})));
  chain.push_back(client::related(client::write_request(FileId::previous(), 0, as_bytes("W"))));
  chain.push_back(client::related(client::close_request(FileId::previous())));
  chain[0].signing = Signing::kWrong;
  std::vector<Reply> replies = stage.peer->sync().call(std::move(chain));
  for (const Reply& reply : replies) EXPECT_TRUE(is_error(reply.status()));
  auto opened = stage.peer->sync().create(
      stage.tree, {.name = u"victim", .disposition = CreateDisposition::kOpen});
  EXPECT_EQ(opened.error(), NtStatus::kObjectNameNotFound);
}

INSTANTIATE_TEST_SUITE_P(Dialect, Signed, testing::Range(size_t{0}, std::size(kVariants)),
                         [](const auto& info) { return kVariants[info.param].name; });

TEST(Signing, ASignatureThatNobodyRequiresMustStillBeRight) {
  World world;
  Stage stage = set_stage(world);
  Request request = on(stage.tree, client::flush_request(stage.file));
  request.signing = Signing::kWrong;
  EXPECT_EQ(stage.peer->sync().call(std::move(request)).status(), NtStatus::kAccessDenied);
  request = on(stage.tree, client::flush_request(stage.file));
  request.signing = Signing::kNever;
  EXPECT_EQ(stage.peer->sync().call(std::move(request)).status(), NtStatus::kSuccess);
}

TEST(Signing, TheServerMayRequireIt) {
  WorldOptions options;
  options.signing = Requirement::kRequired;
  World world(options);
  Stage stage = set_stage(world);
  Request request = on(stage.tree, client::flush_request(stage.file));
  request.signing = Signing::kNever;
  EXPECT_EQ(stage.peer->sync().call(std::move(request)).status(), NtStatus::kAccessDenied);
}

}  // namespace
}  // namespace semblance::test
