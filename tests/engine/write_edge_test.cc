// READ and WRITE at the edges of handles and files: MS-SMB2 3.3.5.12, 3.3.5.13;
// MS-FSA 2.1.5.3, 2.1.5.4.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

class WriteEdge : public OneClient {
 protected:
  FileId opened_for(std::u16string name, uint32_t access) {
    auto opened = smb().create(tree, {.name = std::move(name), .access = access});
    EXPECT_TRUE(opened.has_value()) << show(opened.error());
    return opened ? opened->id : FileId{};
  }
};

TEST_F(WriteEdge, B21AnAppendOnlyHandleAppends) {
  make(u"log", "AAAA");
  FileId log =
      opened_for(u"log", wire::kFileAppendData | wire::kFileReadAttributes | wire::kSynchronize);
  EXPECT_EQ(write_status(log, 4, "BB"), NtStatus::kSuccess);
  EXPECT_EQ(size_of(log), 6u);
  EXPECT_EQ(write_status(log, 6, ""), NtStatus::kSuccess);
  EXPECT_EQ(size_of(log), 6u);
  EXPECT_EQ(write_status(log, INT64_MAX, "x"), NtStatus::kInvalidParameter);
  EXPECT_EQ(smb().read(tree, log, 0, 4).status, NtStatus::kAccessDenied);
  EXPECT_EQ(smb().flush(tree, log), NtStatus::kSuccess);
  smb().close(tree, log);
  EXPECT_EQ(content(u"log"), "AAAABB");
}

TEST_F(WriteEdge, B21NoRightNoEffect) {
  make(u"file", "unchanged");
  FileId reader = opened_for(u"file", wire::kFileReadData);
  EXPECT_EQ(write_status(reader, 0, "x"), NtStatus::kAccessDenied);
  EXPECT_EQ(write_status(reader, 0, ""), NtStatus::kAccessDenied);
  EXPECT_EQ(smb().set(tree, reader, wire::FileEndOfFileInformation{0}), NtStatus::kAccessDenied);
  EXPECT_EQ(smb().set(tree, reader, wire::FileAllocationInformation{0}), NtStatus::kAccessDenied);
  FileId writer = opened_for(u"file", wire::kFileWriteData);
  EXPECT_EQ(smb().read(tree, writer, 0, 4).status, NtStatus::kAccessDenied);
  FileId neither = opened_for(u"file", wire::kFileReadAttributes);
  EXPECT_EQ(smb().read(tree, neither, 0, 4).status, NtStatus::kAccessDenied);
  EXPECT_EQ(write_status(neither, 0, "x"), NtStatus::kAccessDenied);
  EXPECT_EQ(smb().flush(tree, neither), NtStatus::kAccessDenied);
  EXPECT_EQ(content(u"file"), "unchanged");
}

TEST_F(WriteEdge, B21OffsetsAtTheEnd) {
  FileId file = peer.file(tree, u"file", "0123456789");
  for (uint64_t offset : {uint64_t{INT64_MAX}, uint64_t{INT64_MAX} + 1, UINT64_MAX - 1}) {
    EXPECT_EQ(write_status(file, offset, "x"), NtStatus::kInvalidParameter) << offset;
    EXPECT_TRUE(is_error(smb().read(tree, file, offset, 1).status)) << offset;
  }
  EXPECT_EQ(size_of(file), 10u);
  EXPECT_EQ(smb().read(tree, file, 10, 1).status, NtStatus::kEndOfFile);
  EXPECT_EQ(smb().read(tree, file, 11, 1).status, NtStatus::kEndOfFile);
  EXPECT_EQ(as_text(smb().read(tree, file, 9, 100).data), "9");
}

// MS-SMB2 3.3.5.12: MinimumCount.
TEST_F(WriteEdge, B21FewerThanTheMinimumIsTheEnd) {
  FileId file = peer.file(tree, u"file", "0123456789");
  EXPECT_EQ(smb().read(tree, file, 0, 10, 10).status, NtStatus::kSuccess);
  EXPECT_EQ(smb().read(tree, file, 1, 10, 10).status, NtStatus::kEndOfFile);
}

TEST_F(WriteEdge, B21AReadOfNothing) {
  FileId file = peer.file(tree, u"file", "0123456789");
  EXPECT_EQ(smb().read(tree, file, 0, 0).status, NtStatus::kSuccess);
}

TEST_F(WriteEdge, B21SizesUpToTheMaximum) {
  FileId file = peer.file(tree, u"file");
  for (size_t size : {1u, 511u, 512u, 65535u, 65536u, 65537u, 1u << 20}) {
    std::vector<uint8_t> data(size);
    for (size_t i = 0; i < size; ++i) data[i] = static_cast<uint8_t>(i * 7 + i / 251);
    EXPECT_EQ(smb().write(tree, file, 3, data), size);
    client::Answer answer = smb().read(tree, file, 3, static_cast<uint32_t>(size));
    EXPECT_EQ(answer.status, NtStatus::kSuccess);
    EXPECT_TRUE(answer.data == data) << size;
  }
}

TEST_F(WriteEdge, B21MoreThanTheMaximumIsRefused) {
  FileId file = peer.file(tree, u"file", "x");
  for (int i = 0; i < 10; ++i) smb().echo();
  Request request = client::read_request(file, 0, Limits{}.read_max + 1);
  NtStatus status = smb().call(client::on(tree, std::move(request))).status();
  EXPECT_EQ(status, NtStatus::kInvalidParameter);
}

TEST_F(WriteEdge, B21ADirectoryHasNoBytes) {
  FileId directory = peer.directory(tree, u"dir");
  EXPECT_TRUE(is_error(smb().read(tree, directory, 0, 1).status));
  EXPECT_TRUE(is_error(write_status(directory, 0, "x")));
}

// A store that fails says so, once, and the handle goes on.
TEST_F(WriteEdge, StoreErrorsBecomeStatuses) {
  FileId file = peer.file(tree, u"file", "data");
  const std::pair<StoreError, NtStatus> kErrors[] = {
      {StoreError::kNoSpace, NtStatus::kDiskFull},
      {StoreError::kAccess, NtStatus::kAccessDenied},
      {StoreError::kQuota, NtStatus::kQuotaExceeded}};
  for (auto [error, status] : kErrors) {
    world.override_store([&](const StoreOperation& what) -> std::optional<StoreResult> {
      if (std::holds_alternative<StoreWrite>(what) || std::holds_alternative<StoreRead>(what))
        return StoreResult{error, {}};
      return std::nullopt;
    });
    EXPECT_EQ(write_status(file, 0, "x"), status);
    EXPECT_TRUE(is_error(smb().read(tree, file, 0, 4).status));
    world.override_store(nullptr);
    EXPECT_EQ(content(file), "data");
  }
}

}  // namespace
}  // namespace semblance::test
