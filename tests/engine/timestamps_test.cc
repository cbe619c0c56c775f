// The four times and their special values: MS-FSCC 2.4.7; MS-FSA 2.1.4.17, 2.1.5.15.2.

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

using wire::FileBasicInformation;

constexpr FileTime kIn1980 = FileTime::from_unix(315532800, 1'234'500);
constexpr FileTime kStop{UINT64_MAX}, kResume{UINT64_MAX - 1};

class Timestamps : public OneClient {
 protected:
  Timestamps() { file = peer.file(tree, u"file", "data"); }

  FileBasicInformation basic() {
    auto info = smb().query<FileBasicInformation>(tree, file);
    EXPECT_TRUE(info.has_value());
    return info.value_or(FileBasicInformation{});
  }
  NtStatus set_write_time(FileTime time) {
    FileBasicInformation info;
    info.last_write_time = time;
    return smb().set(tree, file, info);
  }
  void wait() { world.advance(Duration::seconds(5)); }
  // Closes and opens again; what the store keeps.
  FileBasicInformation reopened() {
    smb().close(tree, file);
    file = open(u"file")->id;
    return basic();
  }

  FileId file;
};

TEST_F(Timestamps, B30AnExplicitWriteTimeSticksToTheHandle) {
  FileBasicInformation before = basic();
  wait();
  EXPECT_EQ(set_write_time(kIn1980), NtStatus::kSuccess);
  EXPECT_EQ(basic().last_write_time, kIn1980);
  EXPECT_EQ(basic().creation_time, before.creation_time);
  EXPECT_EQ(basic().last_access_time, before.last_access_time);
  wait();
  EXPECT_EQ(write_status(file, 0, "new"), NtStatus::kSuccess);
  EXPECT_EQ(basic().last_write_time, kIn1980);
  wait();
  FileBasicInformation after = reopened();
  EXPECT_EQ(after.last_write_time, kIn1980);
  EXPECT_EQ(after.creation_time, before.creation_time);
}

TEST_F(Timestamps, B30TheCloseReplyTellsItToo) {
  EXPECT_EQ(set_write_time(kIn1980), NtStatus::kSuccess);
  EXPECT_EQ(write_status(file, 0, "new"), NtStatus::kSuccess);
  auto closed = smb().close(tree, file, wire::kCloseFlagPostqueryAttrib);
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->last_write_time, kIn1980);
}

TEST_F(Timestamps, B30AnotherHandleStillMovesIt) {
  EXPECT_EQ(set_write_time(kIn1980), NtStatus::kSuccess);
  smb().close(tree, file);
  wait();
  file = open(u"file")->id;
  EXPECT_EQ(write_status(file, 0, "new"), NtStatus::kSuccess);
  EXPECT_GT(basic().last_write_time, kIn1980);
}

TEST_F(Timestamps, B30MinusOneStopsUpdates) {
  FileTime before = basic().last_write_time;
  EXPECT_EQ(set_write_time(kStop), NtStatus::kSuccess);
  EXPECT_EQ(basic().last_write_time, before);
  wait();
  EXPECT_EQ(write_status(file, 0, "new"), NtStatus::kSuccess);
  EXPECT_EQ(basic().last_write_time, before);
  EXPECT_EQ(reopened().last_write_time, before);
}

TEST_F(Timestamps, B30MinusTwoResumesThem) {
  FileTime before = basic().last_write_time;
  EXPECT_EQ(set_write_time(kStop), NtStatus::kSuccess);
  EXPECT_EQ(set_write_time(kResume), NtStatus::kSuccess);
  EXPECT_EQ(basic().last_write_time, before);
  wait();
  EXPECT_EQ(write_status(file, 0, "new"), NtStatus::kSuccess);
  EXPECT_EQ(basic().last_write_time, world.wall());
  EXPECT_EQ(reopened().last_write_time, world.wall());
}

TEST_F(Timestamps, B30ZeroLeavesEverythingAlone) {
  FileBasicInformation before = basic();
  wait();
  FileBasicInformation nothing;
  EXPECT_EQ(smb().set(tree, file, nothing), NtStatus::kSuccess);
  FileBasicInformation attributes;
  attributes.file_attributes = wire::kFileAttributeHidden;
  EXPECT_EQ(smb().set(tree, file, attributes), NtStatus::kSuccess);
  FileBasicInformation after = basic();
  EXPECT_EQ(after.creation_time, before.creation_time);
  EXPECT_EQ(after.last_access_time, before.last_access_time);
  EXPECT_EQ(after.last_write_time, before.last_write_time);
  EXPECT_EQ(after.file_attributes, wire::kFileAttributeHidden);
}

TEST_F(Timestamps, B30OtherNegativeTimesAreInvalid) {
  FileBasicInformation before = basic();
  for (uint64_t ticks : {UINT64_MAX - 2, uint64_t{1} << 63, UINT64_MAX - 1000})
    for (auto field :
         {&FileBasicInformation::creation_time, &FileBasicInformation::last_access_time,
          &FileBasicInformation::last_write_time, &FileBasicInformation::change_time}) {
      FileBasicInformation info;
      info.*field = FileTime{ticks};
      EXPECT_EQ(smb().set(tree, file, info), NtStatus::kInvalidParameter);
    }
  EXPECT_EQ(basic().last_write_time, before.last_write_time);
}

TEST_F(Timestamps, B30EachTimeIsItsOwnTo100Nanoseconds) {
  FileBasicInformation info;
  info.creation_time = {kIn1980.ticks + 1};
  info.last_access_time = {kIn1980.ticks + 2};
  info.last_write_time = {kIn1980.ticks + 3};
  EXPECT_EQ(smb().set(tree, file, info), NtStatus::kSuccess);
  for (const FileBasicInformation& got : {basic(), reopened()}) {
    EXPECT_EQ(got.creation_time, info.creation_time);
    EXPECT_EQ(got.last_access_time, info.last_access_time);
    EXPECT_EQ(got.last_write_time, info.last_write_time);
  }
}

TEST_F(Timestamps, B30TheCreationTimeDoesNotFollowWrites) {
  FileBasicInformation info;
  info.creation_time = kIn1980;
  EXPECT_EQ(smb().set(tree, file, info), NtStatus::kSuccess);
  wait();
  EXPECT_EQ(write_status(file, 0, "new"), NtStatus::kSuccess);
  EXPECT_EQ(smb().set(tree, file, wire::FileEndOfFileInformation{1}), NtStatus::kSuccess);
  EXPECT_EQ(reopened().creation_time, kIn1980);
}

// B38: reading, or opening for writing without writing, changes nothing.
TEST_F(Timestamps, B38WithoutAModificationTheWriteTimeStays) {
  FileTime before = basic().last_write_time;
  wait();
  EXPECT_EQ(content(file), "data");
  EXPECT_EQ(smb().flush(tree, file), NtStatus::kSuccess);
  EXPECT_EQ(write_status(file, 0, ""), NtStatus::kSuccess);
  EXPECT_EQ(smb().rename(tree, file, u"other", false), NtStatus::kSuccess);
  EXPECT_EQ(smb().rename(tree, file, u"file", false), NtStatus::kSuccess);
  EXPECT_EQ(reopened().last_write_time, before);
}

TEST_F(Timestamps, B38EveryViewTellsTheSameTime) {
  EXPECT_EQ(set_write_time(kIn1980), NtStatus::kSuccess);
  EXPECT_EQ(write_status(file, 0, "new"), NtStatus::kSuccess);
  auto network = smb().query<wire::FileNetworkOpenInformation>(tree, file);
  EXPECT_EQ(network->last_write_time, kIn1980);
  smb().close(tree, file);
  auto opened = open(u"file");
  EXPECT_EQ(opened->info.last_write_time, kIn1980);
  auto root = smb().create(tree, {.access = wire::kFileGenericRead});
  auto listed = smb().list(tree, root->id, FileInfoClass::kIdBothDirectory, u"file");
  ASSERT_TRUE(listed.has_value());
  EXPECT_EQ(listed->front().entry.last_write_time, kIn1980);
}

}  // namespace
}  // namespace semblance::test
