// Named pipes of IPC$: MS-SMB2 3.3.5.9, 3.3.5.15.3; MS-RPCE 3.3.1.5.6. What the services say is
// tested with //engine/rpc.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

// Interface UUID as it stands on the wire.
using Uuid = std::array<uint8_t, 16>;
constexpr Uuid kSrvsvc = {0xC8, 0x4F, 0x32, 0x4B, 0x70, 0x16, 0xD3, 0x01,
                          0x12, 0x78, 0x5A, 0x47, 0xBF, 0x6E, 0xE1, 0x88};
constexpr Uuid kNdr = {0x04, 0x5D, 0x88, 0x8A, 0xEB, 0x1C, 0xC9, 0x11,
                       0x9F, 0xE8, 0x08, 0x00, 0x2B, 0x10, 0x48, 0x60};

std::vector<uint8_t> header(uint8_t type, size_t size) {
  std::vector<uint8_t> pdu(size);
  pdu[0] = 5;
  pdu[2] = type;
  pdu[3] = 3;  // first and last fragment
  pdu[4] = 0x10;
  store<uint16_t>(pdu.data() + 8, static_cast<uint16_t>(size));
  store<uint32_t>(pdu.data() + 12, 1u);
  return pdu;
}

std::vector<uint8_t> bind_pdu(const Uuid& uuid, uint32_t version = 3) {
  std::vector<uint8_t> pdu = header(11, 72);
  store<uint16_t>(pdu.data() + 16, uint16_t{4280});
  store<uint16_t>(pdu.data() + 18, uint16_t{4280});
  pdu[24] = 1;  // one context
  pdu[30] = 1;  // one transfer syntax
  std::copy(uuid.begin(), uuid.end(), pdu.begin() + 32);
  store<uint32_t>(pdu.data() + 48, version);
  std::copy(kNdr.begin(), kNdr.end(), pdu.begin() + 52);
  store<uint32_t>(pdu.data() + 68, 2u);
  return pdu;
}

std::vector<uint8_t> request_pdu(uint16_t opnum, size_t stub = 0) {
  std::vector<uint8_t> pdu = header(0, 24 + stub);
  store<uint16_t>(pdu.data() + 22, opnum);
  return pdu;
}

class Pipes : public testing::Test {
 protected:
  Result<client::Opened> open(std::u16string name) {
    return peer.sync().create(
        tree,
        {.name = std::move(name), .access = 0x12019F, .disposition = CreateDisposition::kOpen});
  }
  client::Answer transceive(FileId pipe, const std::vector<uint8_t>& pdu) {
    return peer.sync().ioctl(tree, pipe, wire::kFsctlPipeTransceive, pdu, 4280);
  }
  World world;
  Peer& peer = world.add_peer();
  Tree tree = peer.connect(u"IPC$");
};

TEST_F(Pipes, B35TheyAreFoundWithoutRegardToCase) {
  for (const char16_t* name : {u"srvsvc", u"SRVSVC", u"SrvSvc", u"wkssvc", u"WKSSVC"})
    EXPECT_TRUE(open(name).has_value());
}

TEST_F(Pipes, B35AMissingPipeIsNotFoundAtOnceAndWithoutTheStore) {
  world.take_operations();
  for (const char16_t* name : {u"nosuchpipe", u"lsarpc", u"", u"srvsvc2", u"..\\srvsvc", u"a*b"})
    EXPECT_EQ(open(name).error(), NtStatus::kObjectNameNotFound);
  EXPECT_EQ(world.take_operation_count(), 0u);
}

TEST_F(Pipes, B35AKnownInterfaceIsBound) {
  auto pipe = open(u"srvsvc");
  client::Answer ack = transceive(pipe->id, bind_pdu(kSrvsvc));
  ASSERT_EQ(ack.status, NtStatus::kSuccess);
  ASSERT_GE(ack.data.size(), 24u);
  EXPECT_EQ(ack.data[2], 12);  // bind_ack
}

TEST_F(Pipes, B35AnUnknownInterfaceIsSaidToBeUnknown) {
  auto pipe = open(u"srvsvc");
  Uuid unknown = kSrvsvc;
  unknown[0] ^= 1;
  client::Answer ack = transceive(pipe->id, bind_pdu(unknown));
  ASSERT_EQ(ack.status, NtStatus::kSuccess);
  ASSERT_GE(ack.data.size(), 3u);
  EXPECT_TRUE(ack.data[2] == 12 || ack.data[2] == 13);
  if (ack.data[2] != 12) return;
  // Secondary address, padding to 4, result list: count, then result and reason.
  size_t at = align_up(26 + load<uint16_t>(ack.data.data() + 24), 4);
  ASSERT_GE(ack.data.size(), at + 8);
  EXPECT_EQ(load<uint16_t>(ack.data.data() + at + 4), 2);  // provider rejection
  EXPECT_EQ(load<uint16_t>(ack.data.data() + at + 6), 1);  // abstract syntax not supported
}

TEST_F(Pipes, B35AnUnknownOperationIsAFault) {
  auto pipe = open(u"srvsvc");
  transceive(pipe->id, bind_pdu(kSrvsvc));
  for (uint16_t opnum : {7, 200, 65535}) {
    client::Answer fault = transceive(pipe->id, request_pdu(opnum));
    ASSERT_EQ(fault.status, NtStatus::kSuccess) << opnum;
    ASSERT_GE(fault.data.size(), 28u);
    EXPECT_EQ(fault.data[2], 3);  // fault
  }
}

TEST_F(Pipes, B35QueriesOnAPipeHaveAnswers) {
  auto pipe = open(u"srvsvc");
  for (int info_class = 1; info_class <= 65; ++info_class) {
    NtStatus status =
        peer.sync().query_info(tree, pipe->id, static_cast<FileInfoClass>(info_class)).status;
    EXPECT_NE(status, NtStatus::kInternalError) << info_class;
    EXPECT_NE(status, client::kNoAnswer) << info_class;
  }
  EXPECT_TRUE(peer.sync().query<wire::FileStandardInformation>(tree, pipe->id).has_value());
}

TEST_F(Pipes, B35APipeIsNoFile) {
  auto pipe = open(u"srvsvc");
  world.take_operations();
  for (FileInfoClass info_class :
       {FileInfoClass::kBasic, FileInfoClass::kRename, FileInfoClass::kDisposition,
        FileInfoClass::kEndOfFile, FileInfoClass::kAllocation})
    EXPECT_TRUE(
        is_error(peer.sync().set_info(tree, pipe->id, info_class, std::vector<uint8_t>(64, 1))));
  EXPECT_TRUE(is_error(
      peer.sync().query_directory(tree, pipe->id, FileInfoClass::kNames, u"*", 512).status));
  EXPECT_TRUE(is_error(peer.sync().lock(tree, pipe->id, {0, 1, 0x12})));
  EXPECT_EQ(world.take_operation_count(), 0u);
}

TEST_F(Pipes, B35AnEmptyPipeAnswersAReader) {
  auto pipe = open(u"srvsvc");
  uint64_t id = peer.client().send(client::on(tree, client::read_request(pipe->id, 0, 1024)));
  world.run();
  bool answered = peer.client().take(id).has_value() || peer.client().async_id(id) != 0;
  EXPECT_TRUE(answered);
}

TEST_F(Pipes, B35WriteThenReadInPieces) {
  auto pipe = open(u"srvsvc");
  std::vector<uint8_t> pdu = bind_pdu(kSrvsvc);
  EXPECT_EQ(peer.sync().write(tree, pipe->id, 0, Bytes(pdu).first(10)), 10u);
  EXPECT_EQ(peer.sync().write(tree, pipe->id, 0, Bytes(pdu).subspan(10)), pdu.size() - 10);
  client::Answer head = peer.sync().read(tree, pipe->id, 0, 16);
  EXPECT_EQ(head.status, NtStatus::kBufferOverflow);
  ASSERT_EQ(head.data.size(), 16u);
  client::Answer rest = peer.sync().read(tree, pipe->id, 0, 4280);
  EXPECT_EQ(rest.status, NtStatus::kSuccess);
  EXPECT_EQ(head.data.size() + rest.data.size(), load<uint16_t>(head.data.data() + 8));
}

}  // namespace
}  // namespace semblance::test
