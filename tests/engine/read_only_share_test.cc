// A read-only share over files that the disk would let one write: MS-SMB2 3.3.5.7, 3.3.5.9,
// 3.3.5.21.1.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

class ReadOnlyShare : public testing::Test {
 protected:
  void SetUp() override {
    world.make_outside("keep.txt", OpenWhat::kNewFile, "kept", kReadOnlyShare);
    world.make_outside("dir", OpenWhat::kNewDirectory, "", kReadOnlyShare);
    tree = peer.connect(u"fixed");
  }
  void TearDown() override {
    StoreResult opened = world.store().execute(StoreOpen{kReadOnlyShare, "keep.txt"});
    ASSERT_TRUE(opened.ok());
    StoreHandle handle = std::get<StoreOpened>(opened.value).handle;
    auto stat = std::get<FileStat>(world.store().execute(StoreStat{handle}).value);
    world.store().execute(StoreClose{handle});
    EXPECT_EQ(stat.size, 4u);
    EXPECT_FALSE(stat.dos.present);
    EXPECT_EQ(stat.modified, stat.created);
    EXPECT_TRUE(world.store().execute(StoreStatPath{kReadOnlyShare, "dir"}).ok());
    EXPECT_EQ(world.store().object_count(), 5u);  // three roots, the file, the directory
  }
  NtStatus create_status(const CreateArgs& args) {
    auto opened = peer.sync().create(tree, args);
    return opened ? NtStatus::kSuccess : opened.error();
  }
  // Denied when opened, or at the latest when it would change something.
  void expect_denied(uint32_t access, const std::function<NtStatus(FileId)>& change) {
    auto opened = peer.sync().create(
        tree, {.name = u"keep.txt", .access = access, .disposition = CreateDisposition::kOpen});
    if (!opened) {
      EXPECT_EQ(opened.error(), NtStatus::kAccessDenied);
      return;
    }
    NtStatus status = change(opened->id);
    EXPECT_TRUE(status == NtStatus::kAccessDenied || status == NtStatus::kMediaWriteProtected)
        << show(status);
    peer.sync().close(tree, opened->id);
  }

  World world;
  Peer& peer = world.add_peer();
  Tree tree;
};

TEST_F(ReadOnlyShare, B28TheTreeSaysSo) {
  EXPECT_EQ(tree.info.maximal_access &
                (wire::kFileWriteData | wire::kFileAppendData | wire::kFileWriteAttributes |
                 wire::kFileWriteEa | wire::kFileDeleteChild | wire::kDelete | wire::kWriteDac |
                 wire::kWriteOwner),
            0u);
  EXPECT_NE(tree.info.maximal_access & wire::kFileReadData, 0u);
}

TEST_F(ReadOnlyShare, B28ReadingWorks) {
  auto opened = peer.sync().create(tree, {.name = u"KEEP.TXT", .access = wire::kGenericRead});
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(as_text(peer.sync().read(tree, opened->id, 0, 10).data), "kept");
}

TEST_F(ReadOnlyShare, B28NoCreateNoOverwriteNoDeleteOnClose) {
  for (uint32_t disposition : {0, 2, 3, 4, 5}) {
    auto kind = static_cast<CreateDisposition>(disposition);
    EXPECT_EQ(create_status({.name = u"new", .access = 0x80, .disposition = kind}),
              kind == CreateDisposition::kOverwrite
                  ? create_status({.name = u"new", .access = 0x80, .disposition = kind})
                  : NtStatus::kAccessDenied);
    if (disposition == 3) continue;
    NtStatus status = create_status({.name = u"keep.txt", .access = 0x80, .disposition = kind});
    EXPECT_TRUE(is_error(status)) << disposition;
  }
  EXPECT_EQ(create_status({.name = u"sub",
                           .access = 0x80,
                           .disposition = CreateDisposition::kCreate,
                           .options = wire::kFileDirectoryFile}),
            NtStatus::kAccessDenied);
  for (const char16_t* name : {u"keep.txt", u"dir"})
    EXPECT_EQ(create_status({.name = name,
                             .access = 0x110080,
                             .disposition = CreateDisposition::kOpen,
                             .options = wire::kFileDeleteOnClose}),
              NtStatus::kAccessDenied);
  EXPECT_TRUE(is_error(create_status({.name = u"keep.txt",
                                      .access = wire::kMaximumAllowed,
                                      .disposition = CreateDisposition::kOpen,
                                      .options = wire::kFileDeleteOnClose})));
}

TEST_F(ReadOnlyShare, B28EveryRightThatChangesIsDenied) {
  for (uint32_t right : {wire::kFileWriteData, wire::kFileAppendData, wire::kFileWriteEa,
                         wire::kFileWriteAttributes, wire::kDelete, wire::kWriteDac,
                         wire::kWriteOwner, wire::kGenericWrite, wire::kGenericAll}) {
    SCOPED_TRACE(right);
    expect_denied(right | 0x80, [&](FileId file) {
      return peer.sync().set(tree, file, wire::FileDispositionInformation{true});
    });
  }
}

TEST_F(ReadOnlyShare, B28EverySetInfoIsDeniedWhateverTheHandle) {
  for (uint32_t access : {uint32_t{wire::kDelete}, uint32_t{wire::kMaximumAllowed}, 0x120089u}) {
    expect_denied(access, [&](FileId file) {
      return peer.sync().set(tree, file, wire::FileDispositionInformation{true});
    });
    expect_denied(access, [&](FileId file) {
      return peer.sync().set(tree, file, wire::FileDispositionInformationEx{1});
    });
    expect_denied(access,
                  [&](FileId file) { return peer.sync().rename(tree, file, u"gone", true); });
    expect_denied(access, [&](FileId file) {
      wire::FileLinkInformation link;
      link.file_name = as_bytes(std::u16string_view(u"linked"));
      return peer.sync().set(tree, file, link);
    });
    expect_denied(access, [&](FileId file) {
      wire::FileBasicInformation basic;
      basic.file_attributes = wire::kFileAttributeHidden;
      basic.last_write_time = {FileTime::kUnixEpoch};
      return peer.sync().set(tree, file, basic);
    });
    expect_denied(access, [&](FileId file) {
      return peer.sync().set(tree, file, wire::FileEndOfFileInformation{0});
    });
    expect_denied(access, [&](FileId file) {
      return peer.sync().set(tree, file, wire::FileAllocationInformation{0});
    });
    expect_denied(access, [&](FileId file) {
      auto written = peer.sync().write(tree, file, 0, as_bytes("x"));
      return written ? NtStatus::kSuccess : written.error();
    });
  }
}

TEST_F(ReadOnlyShare, B28MaximumAllowedIsGrantedWithoutWriting) {
  std::vector<uint8_t> contexts(64);
  wire::Builder b(contexts);
  wire::CreateContextWriter(b).add(wire::MaximalAccessRequest{});
  contexts.resize(b.size());
  auto opened = peer.sync().create(tree, {.name = u"keep.txt",
                                          .access = wire::kMaximumAllowed,
                                          .disposition = CreateDisposition::kOpen,
                                          .contexts = contexts});
  ASSERT_TRUE(opened.has_value());
  auto access = peer.sync().query<wire::FileAccessInformation>(tree, opened->id);
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(access->access_flags & ~tree.info.maximal_access, 0u);
  wire::CreateContexts answers(opened->contexts);
  auto answer = answers.next();
  ASSERT_TRUE(answer && answer->is(wire::kContextMxAc));
  EXPECT_EQ(wire::MaximalAccessResponse::parse(answer->data)->maximal_access,
            tree.info.maximal_access);
}

TEST_F(ReadOnlyShare, B28SetZeroDataAndFriendsAreNotDone) {
  auto opened = peer.sync().create(tree, {.name = u"keep.txt", .access = wire::kGenericRead});
  ASSERT_TRUE(opened.has_value());
  const std::vector<uint8_t> range = {0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0};
  for (uint32_t code : {wire::kFsctlSetZeroData, wire::kFsctlSetSparse, wire::kFsctlSetReparsePoint,
                        wire::kFsctlDeleteReparsePoint, wire::kFsctlSetCompression,
                        wire::kFsctlSrvCopychunkWrite, wire::kFsctlFileLevelTrim})
    EXPECT_TRUE(is_error(peer.sync().ioctl(tree, opened->id, code, range, 64).status));
}

}  // namespace
}  // namespace semblance::test
