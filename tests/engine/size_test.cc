// End of file and allocation: MS-FSCC FileEndOfFileInformation, FileAllocationInformation;
// MS-FSA 2.1.5.15.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

class Sizes : public OneClient {
 protected:
  NtStatus set_end(FileId file, uint64_t size) {
    return smb().set(tree, file, wire::FileEndOfFileInformation{size});
  }
  NtStatus set_allocation(FileId file, uint64_t size) {
    return smb().set(tree, file, wire::FileAllocationInformation{size});
  }
  uint64_t allocation_of(FileId file) {
    return smb().query<wire::FileStandardInformation>(tree, file)->allocation_size;
  }
};

TEST_F(Sizes, B22AllocationIsNotTheEndOfFile) {
  FileId file = peer.file(tree, u"file", std::string(100, 'a'));
  EXPECT_EQ(set_allocation(file, 1 << 20), NtStatus::kSuccess);
  EXPECT_EQ(size_of(file), 100u);
  EXPECT_GE(allocation_of(file), 1u << 20);
  EXPECT_EQ(set_allocation(file, 10), NtStatus::kSuccess);
  EXPECT_EQ(size_of(file), 10u);
  EXPECT_EQ(content(file), std::string(10, 'a'));
  EXPECT_EQ(set_allocation(file, 0), NtStatus::kSuccess);
  EXPECT_EQ(size_of(file), 0u);
}

TEST_F(Sizes, B22AnAllocationAskedForAtCreateIsNoSizeEither) {
  std::vector<uint8_t> contexts(64);
  wire::Builder b(contexts);
  wire::CreateContextWriter(b).add(wire::AllocationSizeContext{1 << 16});
  contexts.resize(b.size());
  auto opened = smb().create(tree, {.name = u"reserved", .contexts = contexts});
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->info.end_of_file, 0u);
  EXPECT_EQ(size_of(opened->id), 0u);
}

TEST_F(Sizes, B22TruncatedDataDoesNotComeBack) {
  FileId file = peer.file(tree, u"file");
  EXPECT_EQ(write_status(file, 1'000'000, "12345678"), NtStatus::kSuccess);
  EXPECT_EQ(set_end(file, 1000), NtStatus::kSuccess);
  EXPECT_EQ(size_of(file), 1000u);
  EXPECT_EQ(write_status(file, 2'000'000, "x"), NtStatus::kSuccess);
  EXPECT_EQ(smb().read(tree, file, 1'000'000, 8).data, std::vector<uint8_t>(8));
  EXPECT_EQ(set_allocation(file, 1'500'000), NtStatus::kSuccess);
  EXPECT_EQ(size_of(file), 1'500'000u);
  EXPECT_EQ(set_end(file, 2'000'001), NtStatus::kSuccess);
  EXPECT_EQ(smb().read(tree, file, 2'000'000, 1).data, std::vector<uint8_t>(1));
}

TEST_F(Sizes, B22ASizeBelowZeroIsInvalid) {
  FileId file = peer.file(tree, u"file", "data");
  for (uint64_t size : {uint64_t{1} << 63, UINT64_MAX, (uint64_t{1} << 63) + 5}) {
    EXPECT_EQ(set_end(file, size), NtStatus::kInvalidParameter);
    EXPECT_EQ(set_allocation(file, size), NtStatus::kInvalidParameter);
  }
  EXPECT_EQ(content(file), "data");
}

TEST_F(Sizes, B22ALargerSizeThanTheStoreCanHoldIsAnErrorAndChangesNothing) {
  FileId file = peer.file(tree, u"file", "data");
  EXPECT_TRUE(is_error(set_end(file, INT64_MAX)));
  EXPECT_EQ(content(file), "data");
}

// The others are served meanwhile, and whoever waits is told so.
TEST_F(Sizes, B22ASlowTruncateHoldsNobodyUp) {
  FileId file = peer.file(tree, u"file");
  Peer& other = world.add_peer();
  Tree theirs = other.connect();
  world.hold(
      [](const StoreOperation& what) { return std::holds_alternative<StoreTruncate>(what); });
  std::vector<uint8_t> data(8);
  store<uint64_t>(data.data(), uint64_t{100} << 20);
  uint64_t id = peer.client().send(client::on(
      tree, client::set_info_request(file, wire::InfoType::kFile,
                                     static_cast<uint8_t>(FileInfoClass::kEndOfFile), data)));
  world.run();
  EXPECT_EQ(other.sync().echo(), NtStatus::kSuccess);
  EXPECT_TRUE(other.sync().create(theirs, {.name = u"meanwhile"}).has_value());
  EXPECT_EQ(smb().echo(), NtStatus::kSuccess);  // on the same connection too
  world.advance(Duration::seconds(1));
  EXPECT_NE(peer.client().async_id(id), 0u) << "no interim reply";
  world.complete_all();
  world.run();
  auto reply = peer.client().take(id);
  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(reply->ok());
  EXPECT_EQ(size_of(file), uint64_t{100} << 20);
}

TEST_F(Sizes, B22ADirectoryHasNoSize) {
  FileId directory = peer.directory(tree, u"dir");
  EXPECT_TRUE(is_error(set_end(directory, 0)));
  EXPECT_TRUE(is_error(set_allocation(directory, 0)));
  EXPECT_EQ(size_of(directory), 0u);
}

TEST_F(Sizes, B22AShortBufferIsInvalidAndChangesNothing) {
  FileId file = peer.file(tree, u"file", "data");
  for (FileInfoClass info_class : {FileInfoClass::kEndOfFile, FileInfoClass::kAllocation})
    for (size_t size = 0; size < 8; ++size)
      EXPECT_EQ(smb().set_info(tree, file, info_class, std::vector<uint8_t>(size)),
                NtStatus::kInfoLengthMismatch);
  EXPECT_EQ(content(file), "data");
}

}  // namespace
}  // namespace semblance::test
