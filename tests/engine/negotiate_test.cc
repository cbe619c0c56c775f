// NEGOTIATE: which dialect, which contexts. MS-SMB2 3.3.5.4, 2.2.3.1, 3.3.5.3.

#include "engine/wire/smb1_negotiate.h"
#include "tests/engine/harness/world.h"

namespace semblance::test {
namespace {

struct Raw {
  uint16_t type;
  std::vector<uint8_t> data;
};

// A context list as it stands on the wire, with `pad` between contexts and `tail` behind the last.
std::vector<uint8_t> layout(const std::vector<Raw>& contexts, uint8_t pad = 0,
                            std::vector<uint8_t> tail = {}) {
  std::vector<uint8_t> list;
  for (const Raw& context : contexts) {
    list.resize(align_up(list.size(), 8), pad);
    std::array<uint8_t, 8> head{};
    store<uint16_t>(head.data(), context.type);
    store<uint16_t>(head.data() + 2, static_cast<uint16_t>(context.data.size()));
    list.insert(list.end(), head.begin(), head.end());
    list.insert(list.end(), context.data.begin(), context.data.end());
  }
  list.insert(list.end(), tail.begin(), tail.end());
  return list;
}

const Raw kPreauth{1, {1, 0, 4, 0, 1, 0, 9, 9, 9, 9}};
const Raw kEncryption{2, {4, 0, 2, 0, 1, 0, 4, 0, 3, 0}};
const Raw kCompression{3, {1, 0, 0, 0, 0, 0, 0, 0, 1, 0}};
const Raw kNetname{5, {'h', 0, 'o', 0, 's', 0, 't', 0}};
const Raw kRdma{7, {1, 0, 0, 0, 0, 0, 0, 0, 1, 0}};
const Raw kSigning{8, {2, 0, 2, 0, 1, 0}};
const Raw kUnknown{0x7FFF, {1, 2, 3, 4, 5, 6, 7}};

NtStatus negotiate(std::vector<uint8_t> list, size_t count) {
  World world;
  client::Options options;
  options.raw_contexts = std::move(list);
  options.raw_context_count = static_cast<uint16_t>(count);
  Peer& peer = world.add_peer(options);
  NtStatus status = peer.sync().negotiate();
  if (status == NtStatus::kSuccess) {
    EXPECT_EQ(peer.client().dialect(), wire::Dialect::kSmb311);
  }
  return status;
}
NtStatus negotiate(const std::vector<Raw>& contexts) {
  return negotiate(layout(contexts), contexts.size());
}

TEST(Negotiate, B01UnknownAndOddContextsArePassedOver) {
  EXPECT_EQ(negotiate({kPreauth, kEncryption, kCompression, kSigning, kNetname, kRdma}),
            NtStatus::kSuccess);
  EXPECT_EQ(negotiate({kPreauth, kUnknown, kEncryption}), NtStatus::kSuccess);
  EXPECT_EQ(negotiate({kUnknown, kPreauth}), NtStatus::kSuccess);
  EXPECT_EQ(negotiate({kNetname, kPreauth, kSigning}), NtStatus::kSuccess);
}

TEST(Negotiate, B01EveryLengthOfTheNetname) {
  for (uint8_t length = 0; length <= 40; length += 2)
    for (bool last : {false, true}) {
      Raw name{5, std::vector<uint8_t>(length, 'n')};
      EXPECT_EQ(last ? negotiate({kPreauth, name}) : negotiate({name, kPreauth, kSigning}),
                NtStatus::kSuccess)
          << int{length};
    }
}

TEST(Negotiate, B01WhatFollowsTheLastContextIsIgnored) {
  const std::vector<Raw> contexts = {kPreauth, kEncryption, kSigning};
  for (size_t tail = 0; tail <= 24; ++tail)
    for (uint8_t filler : {0x00, 0xFF})
      EXPECT_EQ(negotiate(layout(contexts, 0, std::vector<uint8_t>(tail, filler)), 3),
                NtStatus::kSuccess)
          << tail;
  EXPECT_EQ(negotiate(layout(contexts, 0xFF), 3), NtStatus::kSuccess);
}

TEST(Negotiate, B01WhatIsMissingOrEmptyIsRefused) {
  EXPECT_EQ(negotiate({kEncryption, kSigning}), NtStatus::kInvalidParameter);
  EXPECT_EQ(negotiate({kPreauth, {2, {0, 0}}}), NtStatus::kInvalidParameter);
  EXPECT_EQ(negotiate({kPreauth, {8, {0, 0}}}), NtStatus::kInvalidParameter);
  EXPECT_EQ(negotiate({{1, {0, 0, 0, 0}}}), NtStatus::kInvalidParameter);
  EXPECT_EQ(negotiate({kPreauth, kPreauth}), NtStatus::kInvalidParameter);
  EXPECT_EQ(negotiate(layout({kPreauth}), 0), NtStatus::kInvalidParameter);
  EXPECT_EQ(negotiate({}, 0), NtStatus::kInvalidParameter);
}

TEST(Negotiate, B01AListCutShortAnywhereIsRefusedOrUnderstood) {
  const std::vector<Raw> contexts = {kPreauth, kEncryption, kNetname, kSigning};
  std::vector<uint8_t> whole = layout(contexts);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(negotiate({whole.begin(), whole.begin() + size}, 4), NtStatus::kInvalidParameter)
        << size;
  for (size_t count = 5; count < 70000; count = count * 3)
    EXPECT_EQ(negotiate(whole, count & 0xFFFF), NtStatus::kInvalidParameter) << count;
}

// The contexts of the answer: MS-SMB2 2.2.4.1.
TEST(Negotiate, B01AnswersOnlyWhatWasAsked) {
  for (bool encryption : {false, true})
    for (bool signing : {false, true}) {
      World world;
      client::Options options;
      if (encryption) options.ciphers = {2, 1};
      if (!signing) options.signing_algorithms = {};
      Peer& peer = world.add_peer(options);
      Reply reply = peer.sync().wait(peer.client().negotiate());
      auto response = reply.as<wire::NegotiateResponse>();
      ASSERT_TRUE(response.has_value());
      EXPECT_EQ(response->context_count, 1 + int{encryption} + int{signing});
      wire::NegotiateContexts contexts(response->contexts, response->context_count);
      while (auto context = contexts.next()) {
        size_t at = static_cast<size_t>(context->data.data() - reply.element.data()) - 8;
        EXPECT_EQ(at % 8, 0u);
        if (context->type != wire::NegotiateContextType::kEncryption) continue;
        auto cipher = wire::EncryptionContext::parse(context->data);
        ASSERT_TRUE(cipher.has_value());
        EXPECT_EQ(cipher->ciphers.size(), 1u);
      }
      EXPECT_TRUE(contexts.ok());
    }
}

TEST(Negotiate, TheHighestCommonDialectIsChosen) {
  const uint16_t kAll[] = {0x0202, 0x0210, 0x0300, 0x0302, 0x0311};
  for (unsigned set = 1; set < 32; ++set) {
    client::Options options;
    options.dialects.clear();
    for (size_t i = 0; i < 5; ++i)
      if (set >> i & 1) options.dialects.insert(options.dialects.begin(), kAll[i]);
    options.dialects.push_back(0x0777);
    World world;
    Peer& peer = world.add_peer(options);
    ASSERT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
    EXPECT_EQ(static_cast<uint16_t>(peer.client().dialect()), options.dialects.front());
    EXPECT_TRUE(peer.log_in().valid());
  }
}

TEST(Negotiate, NoCommonDialectIsNotSupported) {
  World world;
  client::Options options;
  options.dialects = {0x0222};
  EXPECT_EQ(world.add_peer(options).sync().negotiate(), NtStatus::kNotSupported);
}

TEST(Negotiate, ASecondNegotiateClosesTheConnection) {
  World world;
  Peer& peer = world.add_peer();
  peer.connect();
  peer.client().expect_anything();
  peer.client().negotiate();
  world.run();
  EXPECT_FALSE(peer.open());
}

// MS-SMB2 3.3.5.3: an old client begins with SMB1 and offers SMB 2 inside it.
TEST(Negotiate, AnSmb1NegotiateLeadsToSmb2) {
  World world;
  Peer& peer = world.add_peer();
  std::vector<uint8_t> message(256);
  wire::Builder b(message);
  wire::Smb1NegotiateRequest request;
  request.offers_smb_2_002 = true;
  request.offers_smb_2_wildcard = true;
  request.build(b);
  peer.client().expect_anything();
  peer.client().send_message(b.written());
  world.run();
  ASSERT_EQ(peer.client().unexpected().size(), 1u);
  const Reply& reply = peer.client().unexpected().front();
  auto response = reply.as<wire::NegotiateResponse>();
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->dialect_revision, wire::Dialect::kSmb2Wildcard);
  peer.client().set_next_message_id(1);
  peer.connect();
  EXPECT_EQ(peer.client().dialect(), wire::Dialect::kSmb311);
}

}  // namespace
}  // namespace semblance::test
