// FSCTL_VALIDATE_NEGOTIATE_INFO: MS-SMB2 3.3.5.15.12, 2.2.31.4, 2.2.32.6.

#include "engine/wire/ioctl.h"
#include "tests/engine/harness/world.h"

namespace semblance::test {
namespace {

struct Question {
  uint32_t capabilities = wire::kGlobalCapLargeMtu;
  wire::Guid guid = client::Options{}.guid;
  uint16_t security_mode = wire::kNegotiateSigningEnabled;
  std::vector<uint16_t> dialects = {0x0202, 0x0210, 0x0300, 0x0302};
  uint32_t max_output = 24;
  std::vector<uint16_t> negotiated = {0x0202, 0x0210, 0x0300, 0x0302};
};

// The reply's status and what it says; kDisconnected when the connection was closed instead.
struct Verdict {
  NtStatus status{};
  wire::ValidateNegotiateInfoResponse info;
  client::Signature signature{};
};

Verdict ask(World& world, const Question& question) {
  client::Options options;
  options.dialects = question.negotiated;
  Peer& peer = world.add_peer(options);
  Tree tree = peer.connect();
  wire::ValidateNegotiateInfoRequest body;
  body.capabilities = question.capabilities;
  body.guid = question.guid;
  body.security_mode = question.security_mode;
  body.dialects = wire::U16List::of(question.dialects);
  std::vector<uint8_t> input(256);
  wire::Builder b(input);
  body.build(b);
  Reply reply = peer.sync().call(
      client::on(tree, client::ioctl_request(FileId::previous(), wire::kFsctlValidateNegotiateInfo,
                                             b.written(), question.max_output)));
  EXPECT_EQ(peer.open(), reply.status() != client::kDisconnected);
  Verdict verdict{reply.status(), {}, reply.signature};
  if (auto response = reply.as<wire::IoctlResponse>())
    verdict.info = wire::ValidateNegotiateInfoResponse::parse(response->output)
                       .value_or(wire::ValidateNegotiateInfoResponse{});
  return verdict;
}

TEST(ValidateNegotiate, B05TheTruthIsConfirmedAndSigned) {
  for (uint16_t dialect : {0x0202, 0x0210, 0x0300, 0x0302}) {
    World world;
    Question question;
    question.negotiated = question.dialects = {dialect};
    Verdict verdict = ask(world, question);
    EXPECT_EQ(verdict.status, NtStatus::kSuccess);
    EXPECT_EQ(verdict.signature, client::Signature::kGood);
    EXPECT_EQ(verdict.info.dialect, dialect);
    EXPECT_EQ(verdict.info.guid, (wire::Guid{1, 2, 3, 4}));
  }
}

TEST(ValidateNegotiate, B05TheAnswerRepeatsTheNegotiateResponse) {
  World world;
  client::Options options;
  options.dialects = {0x0202, 0x0210, 0x0300, 0x0302};
  Peer& peer = world.add_peer(options);
  Reply reply = peer.sync().wait(peer.client().negotiate());
  auto said = reply.as<wire::NegotiateResponse>();
  ASSERT_TRUE(said.has_value());
  Verdict verdict = ask(world, {});
  EXPECT_EQ(verdict.info.capabilities, said->capabilities);
  EXPECT_EQ(verdict.info.guid, said->server_guid);
  EXPECT_EQ(verdict.info.security_mode, said->security_mode);
  EXPECT_EQ(verdict.info.dialect, static_cast<uint16_t>(said->dialect_revision));
}

TEST(ValidateNegotiate, B05AnyDifferenceClosesTheConnectionWithoutAReply) {
  Question other_capabilities, other_guid, other_mode, fewer_dialects, more_dialects, short_output;
  other_capabilities.capabilities ^= 1;
  other_guid.guid[15] ^= 1;
  other_mode.security_mode = wire::kNegotiateSigningRequired;
  fewer_dialects.dialects = {0x0202, 0x0210};
  more_dialects.negotiated = {0x0202, 0x0210};
  short_output.max_output = 23;
  for (const Question& question :
       {other_capabilities, other_guid, other_mode, fewer_dialects, more_dialects, short_output}) {
    World world;
    EXPECT_EQ(ask(world, question).status, client::kDisconnected);
  }
}

TEST(ValidateNegotiate, B05On311ItClosesTheConnection) {
  World world;
  Question question;
  question.negotiated = question.dialects = {0x0202, 0x0311};
  EXPECT_EQ(ask(world, question).status, client::kDisconnected);
}

TEST(ValidateNegotiate, B05ABrokenQuestionClosesTheConnection) {
  for (size_t size : {0u, 1u, 4u, 22u, 24u}) {
    World world;
    client::Options options;
    options.dialects = {0x0302};
    Peer& peer = world.add_peer(options);
    Tree tree = peer.connect();
    std::vector<uint8_t> input(size, 0xFF);
    client::Answer answer =
        peer.sync().ioctl(tree, FileId::previous(), wire::kFsctlValidateNegotiateInfo, input, 24);
    EXPECT_EQ(answer.status, client::kDisconnected) << size;
  }
}

}  // namespace
}  // namespace semblance::test
