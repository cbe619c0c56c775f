// File attributes: what is kept, what is dropped, what is refused. MS-FSCC 2.6, MS-FSA 2.1.5.15.2.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

constexpr uint32_t kArchive = wire::kFileAttributeArchive;

class Attributes : public OneClient {
 protected:
  NtStatus set(FileId file, uint32_t attributes) {
    wire::FileBasicInformation info;
    info.file_attributes = attributes;
    return smb().set(tree, file, info);
  }
  uint32_t get(FileId file) {
    auto info = smb().query<wire::FileBasicInformation>(tree, file);
    return info ? info->file_attributes : UINT32_MAX;
  }
};

TEST_F(Attributes, B31BitsNobodyKeepsAreDropped) {
  FileId file = peer.file(tree, u"file");
  EXPECT_EQ(set(file, 0x80020), NtStatus::kSuccess);
  EXPECT_EQ(get(file), kArchive);
  EXPECT_EQ(set(file, 0x100020), NtStatus::kSuccess);
  EXPECT_EQ(get(file), kArchive);
  EXPECT_EQ(set(file, 0x400000), NtStatus::kSuccess);
  EXPECT_EQ(get(file) & 0x400000, 0u);
  for (int bit = 7; bit < 32; ++bit) {
    uint32_t attributes = 1u << bit;
    if (attributes == wire::kFileAttributeTemporary) continue;
    EXPECT_EQ(set(file, attributes | wire::kFileAttributeHidden), NtStatus::kSuccess) << bit;
    EXPECT_NE(get(file) & wire::kFileAttributeHidden, 0u) << bit;
  }
}

TEST_F(Attributes, B31TheFourThatMatterAreKept) {
  FileId file = peer.file(tree, u"file");
  for (uint32_t set_bits = 1; set_bits < 16; ++set_bits) {
    uint32_t attributes = (set_bits & 7) | (set_bits & 8 ? kArchive : 0);
    EXPECT_EQ(set(file, attributes), NtStatus::kSuccess);
    EXPECT_EQ(get(file), attributes);
  }
  EXPECT_EQ(set(file, wire::kFileAttributeHidden), NtStatus::kSuccess);
  smb().close(tree, file);
  auto opened = open(u"file");
  EXPECT_EQ(opened->info.file_attributes, wire::kFileAttributeHidden);
}

TEST_F(Attributes, B31NormalIsTheAbsenceOfOthers) {
  FileId file = peer.file(tree, u"file");
  EXPECT_EQ(set(file, wire::kFileAttributeNormal), NtStatus::kSuccess);
  EXPECT_EQ(get(file), wire::kFileAttributeNormal);
  EXPECT_EQ(set(file, wire::kFileAttributeNormal | wire::kFileAttributeHidden), NtStatus::kSuccess);
  EXPECT_EQ(get(file), wire::kFileAttributeHidden);
}

TEST_F(Attributes, B31AFileIsNoDirectory) {
  FileId file = peer.file(tree, u"file");
  EXPECT_EQ(set(file, wire::kFileAttributeDirectory), NtStatus::kInvalidParameter);
  EXPECT_EQ(set(file, wire::kFileAttributeDirectory | kArchive), NtStatus::kInvalidParameter);
  FileId directory = peer.directory(tree, u"dir");
  EXPECT_EQ(get(directory), wire::kFileAttributeDirectory);
  EXPECT_EQ(set(directory, wire::kFileAttributeDirectory | wire::kFileAttributeHidden),
            NtStatus::kSuccess);
  EXPECT_EQ(get(directory), wire::kFileAttributeDirectory | wire::kFileAttributeHidden);
  EXPECT_EQ(set(directory, wire::kFileAttributeHidden), NtStatus::kSuccess);
  EXPECT_EQ(get(directory), wire::kFileAttributeDirectory | wire::kFileAttributeHidden);
}

TEST_F(Attributes, B31AtCreationTheSame) {
  for (uint32_t attributes : {0x80020u, 0x100002u, 0x400001u, 0x80u, 0u, 0x10u}) {
    std::u16string name = u"new";
    auto opened = smb().create(tree, {.name = name,
                                      .access = wire::kFileAllAccess,
                                      .disposition = CreateDisposition::kCreate,
                                      .attributes = attributes});
    ASSERT_TRUE(opened.has_value()) << attributes << show(opened.error());
    EXPECT_EQ(opened->info.file_attributes & ~0x27u, 0u) << attributes;
    EXPECT_EQ(get(opened->id), opened->info.file_attributes);
    EXPECT_EQ(opened->info.file_attributes & 7, attributes & 7);
    set(opened->id, kArchive);
    EXPECT_EQ(smb().set(tree, opened->id, wire::FileDispositionInformation{true}),
              NtStatus::kSuccess);
    smb().close(tree, opened->id);
  }
}

// B14: a file made read-only is written through the handle that made it, and by nobody later.
TEST_F(Attributes, B14AReadOnlyFileIsWrittenByItsMaker) {
  auto made = smb().create(tree, {.name = u"obj.tmp",
                                  .access = 0x13019F,
                                  .disposition = CreateDisposition::kCreate,
                                  .attributes = wire::kFileAttributeReadonly});
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(write_status(made->id, 0, "object"), NtStatus::kSuccess);
  EXPECT_EQ(smb().rename(tree, made->id, u"obj", false), NtStatus::kSuccess);
  smb().close(tree, made->id);
  EXPECT_EQ(open_status(u"obj", 0x13019F), NtStatus::kAccessDenied);
  EXPECT_EQ(
      create_status({.name = u"obj", .access = wire::kDelete, .options = wire::kFileDeleteOnClose}),
      NtStatus::kCannotDelete);
  auto opened = open(u"obj", wire::kDelete | wire::kFileWriteAttributes | 0x80);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(smb().set(tree, opened->id, wire::FileDispositionInformation{true}),
            NtStatus::kCannotDelete);
  EXPECT_EQ(set(opened->id, wire::kFileAttributeNormal), NtStatus::kSuccess);
  EXPECT_EQ(smb().set(tree, opened->id, wire::FileDispositionInformation{true}),
            NtStatus::kSuccess);
  smb().close(tree, opened->id);
  EXPECT_EQ(open_status(u"obj"), NtStatus::kObjectNameNotFound);
}

TEST_F(Attributes, B14WhatIsReadOnlyFromTheFirstCanNotBeDeletedAtTheLast) {
  EXPECT_EQ(create_status({.name = u"once",
                           .disposition = CreateDisposition::kCreate,
                           .options = wire::kFileDeleteOnClose,
                           .attributes = wire::kFileAttributeReadonly}),
            NtStatus::kCannotDelete);
  EXPECT_EQ(open_status(u"once"), NtStatus::kObjectNameNotFound);
}

// B23: nobody made it sparse.
TEST_F(Attributes, B23NoFileIsSparseByItself) {
  FileId file = peer.file(tree, u"file", std::string(1000, 's'));
  EXPECT_EQ(smb().set(tree, file, wire::FileEndOfFileInformation{64 << 20}), NtStatus::kSuccess);
  EXPECT_EQ(get(file) & wire::kFileAttributeSparseFile, 0u);
  EXPECT_EQ(set(file, 0x220), NtStatus::kSuccess);
  EXPECT_EQ(get(file), kArchive);
}

TEST_F(Attributes, WithoutTheRightNothingIsSet) {
  make(u"file");
  auto opened = open(u"file", wire::kFileGenericRead);
  EXPECT_EQ(set(opened->id, wire::kFileAttributeHidden), NtStatus::kAccessDenied);
  EXPECT_EQ(get(opened->id), kArchive);
}

}  // namespace
}  // namespace semblance::test
