// CreateDisposition against what is there: MS-SMB2 2.2.13, 2.2.14; MS-FSA 2.1.5.1.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

using wire::CreateAction;

class Disposition : public OneClient {
 protected:
  Result<CreateAction> act(std::u16string name, uint32_t disposition, uint32_t options = 0) {
    auto opened = smb().create(tree, {.name = std::move(name),
                                      .disposition = static_cast<CreateDisposition>(disposition),
                                      .options = options});
    if (!opened) return fail(opened.error());
    smb().close(tree, opened->id);
    return opened->info.create_action;
  }
};

TEST_F(Disposition, B12AnExistingFile) {
  const std::array<Result<CreateAction>, 6> right = {
      CreateAction::kSuperseded, CreateAction::kOpened,      fail(NtStatus::kObjectNameCollision),
      CreateAction::kOpened,     CreateAction::kOverwritten, CreateAction::kOverwritten};
  for (uint32_t disposition = 0; disposition < 6; ++disposition)
    for (const char16_t* name : {u"file", u"FILE"}) {
      make(u"file", "content");
      EXPECT_EQ(act(name, disposition), right[disposition]) << disposition;
      bool emptied = disposition == 0 || disposition >= 4;
      EXPECT_EQ(content(u"file"), emptied ? show(NtStatus::kEndOfFile) : "content") << disposition;
    }
}

TEST_F(Disposition, B12AMissingName) {
  for (uint32_t disposition = 0; disposition < 6; ++disposition) {
    std::u16string name = u"missing" + std::u16string(1, static_cast<char16_t>(u'0' + disposition));
    bool opens = disposition == 1 || disposition == 4;
    Result<CreateAction> right = CreateAction::kCreated;
    if (opens) right = fail(NtStatus::kObjectNameNotFound);
    EXPECT_EQ(act(name, disposition), right) << disposition;
    EXPECT_EQ(open_status(name), opens ? NtStatus::kObjectNameNotFound : NtStatus::kSuccess)
        << disposition;
  }
}

TEST_F(Disposition, B12AMissingDirectory) {
  for (uint32_t disposition = 0; disposition < 6; ++disposition)
    for (uint32_t options : {0u, wire::kFileDirectoryFile}) {
      auto action = act(u"no\\such", disposition, options);
      ASSERT_FALSE(action.has_value());
      bool illegal = options != 0 && (disposition == 0 || disposition >= 4);
      EXPECT_EQ(action.error(),
                illegal ? NtStatus::kInvalidParameter : NtStatus::kObjectPathNotFound);
    }
}

TEST_F(Disposition, B12AnExistingDirectoryIsNeverOverwritten) {
  peer.directory(tree, u"dir");
  for (uint32_t options : {0u, wire::kFileDirectoryFile}) {
    EXPECT_EQ(act(u"dir", 1, options), CreateAction::kOpened);
    EXPECT_EQ(act(u"dir", 3, options), CreateAction::kOpened);
    EXPECT_EQ(act(u"dir", 2, options).error(), NtStatus::kObjectNameCollision);
    for (uint32_t disposition : {0, 4, 5}) {
      auto action = act(u"dir", disposition, options);
      ASSERT_FALSE(action.has_value()) << disposition;
      // MS-FSA says INVALID_PARAMETER or OBJECT_NAME_COLLISION; Samba always the former.
      EXPECT_TRUE(action.error() == NtStatus::kInvalidParameter ||
                  action.error() == NtStatus::kObjectNameCollision)
          << show(action.error());
    }
  }
}

TEST_F(Disposition, B12ADispositionThatIsNoneIsInvalidAndMakesNothing) {
  make(u"file", "content");
  for (uint32_t disposition : {6u, 7u, 8u, 0x80000000u, 0xFFFFFFFFu})
    for (const char16_t* name : {u"file", u"none"})
      EXPECT_EQ(act(name, disposition).error(), NtStatus::kInvalidParameter);
  EXPECT_EQ(content(u"file"), "content");
  EXPECT_EQ(open_status(u"none"), NtStatus::kObjectNameNotFound);
}

TEST_F(Disposition, B12FileAndDirectoryOptionsMustFit) {
  make(u"file");
  peer.directory(tree, u"dir");
  EXPECT_EQ(act(u"file", 1, wire::kFileDirectoryFile).error(), NtStatus::kNotADirectory);
  EXPECT_EQ(act(u"dir", 1, wire::kFileNonDirectoryFile).error(), NtStatus::kFileIsADirectory);
  EXPECT_EQ(act(u"x", 2, wire::kFileDirectoryFile | wire::kFileNonDirectoryFile).error(),
            NtStatus::kInvalidParameter);
  EXPECT_EQ(act(u"", 1), CreateAction::kOpened);  // the root
  EXPECT_FALSE(act(u"", 2).has_value());
  EXPECT_FALSE(act(u"", 5).has_value());
}

// 3.3.5.9: what an overwrite that is refused would have done must not have happened.
TEST_F(Disposition, B12ARefusedOverwriteLeavesTheData) {
  FileId held = peer.file(tree, u"held", "precious");
  auto alone = smb().create(
      tree, {.name = u"held", .disposition = CreateDisposition::kOverwriteIf, .share = 0});
  EXPECT_EQ(alone.error(), NtStatus::kSharingViolation);
  EXPECT_EQ(content(held), "precious");
}

TEST_F(Disposition, B12AnExclusiveCreateHasOneWinner) {
  Peer& other = world.add_peer();
  Tree theirs = other.connect();
  uint64_t a = peer.client().send(client::on(
      tree, client::create_request({.name = u"lock", .disposition = CreateDisposition::kCreate})));
  uint64_t b = other.client().send(client::on(
      theirs,
      client::create_request({.name = u"lock", .disposition = CreateDisposition::kCreate})));
  world.run();
  int winners = int{peer.client().take(a)->ok()} + int{other.client().take(b)->ok()};
  EXPECT_EQ(winners, 1);
}

}  // namespace
}  // namespace semblance::test
