// Renames onto what exists, what is open, what can't be: MS-FSCC FileRenameInformation, MS-FSA
// 2.1.5.15.11.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

class Renames : public OneClient {
 protected:
  Renames() {
    make(u"r2", "second");
    source = peer.file(tree, u"r1", "first");
  }
  NtStatus rename(std::u16string_view to, bool replace) {
    return smb().rename(tree, source, to, replace);
  }
  void expect_untouched() {
    EXPECT_EQ(content(u"r2"), "second");
    EXPECT_EQ(content(source), "first");
  }
  FileId source;
};

TEST_F(Renames, B27AnExistingTargetIsKeptUnlessReplaced) {
  EXPECT_EQ(rename(u"r2", false), NtStatus::kObjectNameCollision);
  EXPECT_EQ(rename(u"R2", false), NtStatus::kObjectNameCollision);
  expect_untouched();
  EXPECT_EQ(rename(u"r2", true), NtStatus::kSuccess);
  EXPECT_EQ(content(source), "first");
  EXPECT_EQ(open_status(u"r1"), NtStatus::kObjectNameNotFound);
  smb().close(tree, source);
  EXPECT_EQ(content(u"r2"), "first");
}

// Given directories whose names nobody has looked at yet: what it costs to find the target depends
// on how deep it lies, and stays within the budget (the world checks it at the end).
TEST_F(Renames, OntoATargetDeepDownInAnotherCase) {
  world.advance(Duration::seconds(1));  // the change beside the server has a stamp of its own
  world.make_outside("dir", OpenWhat::kNewDirectory);
  world.make_outside("dir/one", OpenWhat::kNewFile, "old");
  FileId file = peer.file(tree, u"file", "new");
  EXPECT_EQ(smb().rename(tree, file, u"DIR\\One", true), NtStatus::kSuccess);
  EXPECT_EQ(content(u"dir\\one"), "new");
  auto directory = open(u"dir");
  ASSERT_TRUE(directory.has_value());
  auto names = smb().list(tree, directory->id, FileInfoClass::kNames, u"o*");
  ASSERT_TRUE(names.has_value());
  ASSERT_EQ(names->size(), 1u);
  EXPECT_EQ(names->front().name, u"One");
}

TEST_F(Renames, B27AnOpenTargetIsNeverReplaced) {
  for (uint32_t share : {7u, 3u}) {
    auto held = smb().create(tree, {.name = u"r2",
                                    .access = wire::kFileGenericRead,
                                    .disposition = CreateDisposition::kOpen,
                                    .share = share});
    ASSERT_TRUE(held.has_value());
    EXPECT_EQ(rename(u"r2", true), NtStatus::kAccessDenied);
    EXPECT_EQ(content(held->id), "second");
    smb().close(tree, held->id);
    expect_untouched();
  }
}

TEST_F(Renames, B27TheTargetOfSomebodyElsesHandleNeither) {
  Peer& other = world.add_peer();
  Tree theirs = other.connect();
  FileId held = other.file(theirs, u"r2");
  EXPECT_EQ(rename(u"r2", true), NtStatus::kAccessDenied);
  EXPECT_EQ(as_text(other.sync().read(theirs, held, 0, 10).data), "second");
}

TEST_F(Renames, B27WithoutTheRightToDelete) {
  auto opened = open(u"r1", wire::kFileGenericRead | wire::kFileGenericWrite);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(smb().rename(tree, opened->id, u"r3", false), NtStatus::kAccessDenied);
  expect_untouched();
}

TEST_F(Renames, B27OntoADirectory) {
  peer.directory(tree, u"dir");
  for (bool replace : {false, true}) {
    NtStatus status = rename(u"dir", replace);
    EXPECT_TRUE(status == NtStatus::kAccessDenied || status == NtStatus::kObjectNameCollision)
        << show(status);
  }
  expect_untouched();
}

TEST_F(Renames, B27IntoAMissingDirectory) {
  EXPECT_EQ(rename(u"no\\r1", false), NtStatus::kObjectPathNotFound);
  EXPECT_EQ(rename(u"r2\\r1", false), NtStatus::kObjectPathNotFound);
  expect_untouched();
}

TEST_F(Renames, B27MalformedTargets) {
  EXPECT_EQ(rename(u"", false), NtStatus::kInvalidParameter);
  for (uint32_t length : {1u, 3u, 5u, 0xFFFFFFFEu, 1000u}) {
    std::vector<uint8_t> data(64);
    store<uint32_t>(data.data() + 16, length);
    data[20] = 'x';
    NtStatus status = smb().set_info(tree, source, FileInfoClass::kRename, data);
    EXPECT_TRUE(status == NtStatus::kInvalidParameter || status == NtStatus::kInfoLengthMismatch)
        << length << show(status);
  }
  for (size_t size = 0; size < 20; ++size)
    EXPECT_TRUE(
        is_error(smb().set_info(tree, source, FileInfoClass::kRename, std::vector<uint8_t>(size))));
  EXPECT_TRUE(is_error(rename(u"a*b", false)));
  EXPECT_TRUE(is_error(rename(u"..\\r1", false)));
  EXPECT_TRUE(is_error(rename(u"r1:stream", false)));
  expect_untouched();
}

TEST_F(Renames, B27PosixSemanticsAreDoneOrCleanlyRefused) {
  auto held = open(u"r2", wire::kFileGenericRead);
  wire::FileRenameInformationEx info;
  info.flags = wire::kFileRenameReplaceIfExists | wire::kFileRenamePosixSemantics;
  info.file_name = as_bytes(std::u16string_view(u"r2"));
  NtStatus status = smb().set(tree, source, info);
  if (status == NtStatus::kSuccess) {
    EXPECT_EQ(content(u"r2"), "first");
  } else {
    EXPECT_TRUE(status == NtStatus::kInvalidInfoClass || status == NtStatus::kNotSupported);
    expect_untouched();
  }
}

TEST_F(Renames, B27OntoItselfInAnotherCase) {
  EXPECT_EQ(rename(u"R1", false), NtStatus::kSuccess);
  EXPECT_EQ(rename(u"R1", false), NtStatus::kSuccess);
  auto info = smb().query_info(tree, source, FileInfoClass::kAll);
  auto all = wire::FileAllInformation::parse(info.data);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(as_text(all->name.file_name), as_text(as_bytes(std::u16string_view(u"\\R1"))));
  EXPECT_EQ(content(u"r1"), "first");
}

TEST_F(Renames, B27IntoAnotherDirectoryAndBack) {
  peer.directory(tree, u"Dir");
  EXPECT_EQ(rename(u"dir\\moved", false), NtStatus::kSuccess);
  EXPECT_EQ(content(u"Dir\\moved"), "first");
  EXPECT_EQ(open_status(u"r1"), NtStatus::kObjectNameNotFound);
  EXPECT_EQ(rename(u"\\r1", false), NtStatus::kSuccess);  // some clients write it so
  EXPECT_EQ(content(u"r1"), "first");
}

// B29: plain SMB refuses to rename a directory under open handles.
TEST_F(Renames, B29ADirectoryWithOpenDescendants) {
  FileId directory = peer.directory(tree, u"pd");
  peer.directory(tree, u"pd\\deep");
  FileId kid = peer.file(tree, u"pd\\deep\\kid", "kid");
  EXPECT_EQ(smb().rename(tree, directory, u"pd_new", false), NtStatus::kAccessDenied);
  EXPECT_EQ(write_status(kid, 0, "KID"), NtStatus::kSuccess);
  smb().close(tree, kid);
}

TEST_F(Renames, B29ADirectoryWithoutThem) {
  FileId directory = peer.directory(tree, u"pd");
  make(u"pd\\kid", "kid");
  EXPECT_EQ(smb().rename(tree, directory, u"pd_new", false), NtStatus::kSuccess);
  EXPECT_EQ(content(u"pd_new\\kid"), "kid");
  EXPECT_EQ(open_status(u"pd\\kid"), NtStatus::kObjectPathNotFound);
  EXPECT_TRUE(is_error(smb().rename(tree, directory, u"pd_new\\inside", false)));
}

// All handles of the object go by its new name: what is deleted then is the renamed file.
TEST_F(Renames, B27OtherHandlesFollow) {
  auto second = open(u"r1");
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(rename(u"r3", false), NtStatus::kSuccess);
  make(u"r1", "somebody else");
  EXPECT_EQ(smb().set(tree, second->id, wire::FileDispositionInformation{true}),
            NtStatus::kSuccess);
  smb().close(tree, second->id);
  smb().close(tree, source);
  EXPECT_EQ(content(u"r1"), "somebody else");
  EXPECT_EQ(open_status(u"r3"), NtStatus::kObjectNameNotFound);
}

// The pattern by which editors and databases save.
TEST_F(Renames, B27SavePattern) {
  for (int save = 0; save < 20; ++save) {
    std::string text = "version " + std::to_string(save);
    FileId temporary = peer.file(tree, u"config.tmp", text);
    EXPECT_EQ(smb().rename(tree, temporary, u"config", true), NtStatus::kSuccess);
    smb().close(tree, temporary);
    EXPECT_EQ(content(u"config"), text);
  }
}

}  // namespace
}  // namespace semblance::test
