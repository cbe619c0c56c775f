// Enumerating directories: every entry once, whatever the buffer. MS-SMB2 3.3.5.18,
// MS-FSA 2.1.5.6.3.

#include <set>

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

constexpr FileInfoClass kClasses[] = {
    FileInfoClass::kDirectory,       FileInfoClass::kFullDirectory,
    FileInfoClass::kBothDirectory,   FileInfoClass::kNames,
    FileInfoClass::kIdBothDirectory, FileInfoClass::kIdFullDirectory,
    FileInfoClass::kIdExtdDirectory};

std::u16string numbered(size_t i) {
  std::string text = std::to_string(1'000'000'000'000'0 + i);  // 14 characters
  return {text.begin(), text.end()};
}

class Enumeration : public OneClient {
 protected:
  void fill(size_t count) {
    world.make_outside("dir", OpenWhat::kNewDirectory);
    for (size_t i = 0; i < count; ++i) add_outside(numbered(i));
    auto opened = smb().create(tree, {.name = u"dir", .access = wire::kFileGenericRead});
    ASSERT_TRUE(opened.has_value());
    directory = opened->id;
  }
  void add_outside(const std::u16string& name) {
    world.make_outside("dir/" + std::string(name.begin(), name.end()));
  }
  void remove_outside(const std::u16string& name) {
    std::string path = "dir/" + std::string(name.begin(), name.end());
    world.store().execute(StoreUnlink{kDataShare, path});
  }
  client::Answer query(FileInfoClass info_class, uint32_t length, uint8_t flags = 0,
                       std::u16string_view pattern = u"*") {
    return smb().query_directory(tree, directory, info_class, pattern, length, flags);
  }
  std::vector<client::Listed> entries(const client::Answer& answer, FileInfoClass info_class) {
    auto listed = client::entries_of(answer.data, info_class);
    EXPECT_TRUE(listed.has_value());
    return listed.value_or(std::vector<client::Listed>{});
  }
  // Every entry within the list's bounds, 8-aligned, the last one without a successor.
  void expect_sound(const client::Answer& answer, uint32_t length) {
    EXPECT_LE(answer.data.size(), length);
    for (size_t at = 0; at < answer.data.size();) {
      auto next = load<uint32_t>(answer.data.data() + at);
      if (next == 0) return;
      EXPECT_EQ(next % 8, 0u);
      at += next;
      ASSERT_LT(at, answer.data.size());
    }
  }
  void expect_whole(size_t count, FileInfoClass info_class, uint32_t length) {
    std::set<std::u16string> seen;
    uint8_t flags = wire::kQueryDirectoryRestartScans;
    for (;;) {
      client::Answer answer = query(info_class, length, flags);
      flags = 0;
      if (answer.status == NtStatus::kNoMoreFiles) break;
      ASSERT_EQ(answer.status, NtStatus::kSuccess);
      expect_sound(answer, length);
      for (const client::Listed& one : entries(answer, info_class))
        EXPECT_TRUE(seen.insert(one.name).second) << "listed twice";
    }
    EXPECT_EQ(seen.size(), count + 2);
    EXPECT_TRUE(seen.contains(u".") && seen.contains(u".."));
    for (size_t i = 0; i < count; ++i) ASSERT_TRUE(seen.contains(numbered(i))) << i;
  }

  FileId directory;
};

class EnumerationOf : public Enumeration, public testing::WithParamInterface<size_t> {};

TEST_P(EnumerationOf, B19EveryEntryOnceInEveryClassAndBuffer) {
  fill(GetParam());
  for (FileInfoClass info_class : kClasses) {
    uint32_t one = static_cast<uint32_t>(wire::directory_entry_name_offset(info_class) + 28);
    for (uint32_t length : {one, 4096u, 65535u, 65536u, 1u << 20}) {
      if (length == one && GetParam() > 500) continue;
      SCOPED_TRACE(std::to_string(static_cast<int>(info_class)) + " " + std::to_string(length));
      expect_whole(GetParam(), info_class, length);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Files, EnumerationOf, testing::Values(0, 1, 2, 479, 480, 481, 482, 2000));

TEST_F(Enumeration, B19AHundredThousand) {
  fill(100'000);
  expect_whole(100'000, FileInfoClass::kIdBothDirectory, 1 << 20);
}

// What is there throughout appears exactly once, whatever else comes and goes.
TEST_F(Enumeration, B19WhileOthersAddAndDelete) {
  fill(1000);
  std::multiset<std::u16string> seen;
  for (size_t round = 0;; ++round) {
    client::Answer answer = query(FileInfoClass::kIdBothDirectory, 4096);
    if (answer.status == NtStatus::kNoMoreFiles) break;
    ASSERT_EQ(answer.status, NtStatus::kSuccess);
    ASSERT_LT(round, 1000u);
    for (const client::Listed& one : entries(answer, FileInfoClass::kIdBothDirectory))
      seen.insert(one.name);
    if (round < 30) {
      remove_outside(numbered(round * 10 + 1));
      add_outside(u"new" + numbered(round));
    }
  }
  for (size_t i = 0; i < 1000; ++i)
    if (i % 10 != 1 || i > 300) ASSERT_EQ(seen.count(numbered(i)), 1u) << i;
  for (const std::u16string& name : seen) EXPECT_EQ(seen.count(name), 1u);
}

// MS-FSA 2.1.5.6.3: a client that deletes what it has just listed must still come to the end.
TEST_F(Enumeration, B19DeletingWhileEnumerating) {
  fill(700);
  size_t deleted = 0;
  for (;;) {
    client::Answer answer = query(FileInfoClass::kIdBothDirectory, 4096);
    if (answer.status == NtStatus::kNoMoreFiles) break;
    ASSERT_EQ(answer.status, NtStatus::kSuccess);
    for (const client::Listed& one : entries(answer, FileInfoClass::kIdBothDirectory)) {
      if (one.name == u"." || one.name == u"..") continue;
      auto opened = open(u"dir\\" + one.name);
      ASSERT_TRUE(opened.has_value());
      smb().set(tree, opened->id, wire::FileDispositionInformation{true});
      smb().close(tree, opened->id);
      ++deleted;
    }
  }
  EXPECT_EQ(deleted, 700u);
}

TEST_F(Enumeration, B19RestartSingleAndReopen) {
  fill(10);
  constexpr auto kClass = FileInfoClass::kIdBothDirectory;
  constexpr uint8_t kRestart = wire::kQueryDirectoryRestartScans;
  constexpr uint8_t kSingle = wire::kQueryDirectoryReturnSingleEntry;
  client::Answer first = query(kClass, 65536, kSingle);
  ASSERT_EQ(entries(first, kClass).size(), 1u);
  EXPECT_EQ(entries(first, kClass).front().name, u".");
  EXPECT_EQ(entries(query(kClass, 65536, kSingle), kClass).front().name, u"..");
  EXPECT_EQ(entries(query(kClass, 65536, kSingle | kRestart), kClass).front().name, u".");
  EXPECT_EQ(entries(query(kClass, 65536), kClass).size(), 11u);
  EXPECT_EQ(query(kClass, 65536).status, NtStatus::kNoMoreFiles);
  EXPECT_EQ(query(kClass, 65536).status, NtStatus::kNoMoreFiles);
  EXPECT_EQ(entries(query(kClass, 65536, kRestart), kClass).size(), 12u);
  client::Answer again = query(kClass, 65536, wire::kQueryDirectoryReopen, numbered(3));
  ASSERT_EQ(entries(again, kClass).size(), 1u);
  EXPECT_EQ(entries(again, kClass).front().name, numbered(3));
}

// The pattern of the first query stays, whatever later ones say: 3.3.5.18.
TEST_F(Enumeration, B19ALaterPatternIsIgnored) {
  fill(10);
  constexpr auto kClass = FileInfoClass::kNames;
  EXPECT_EQ(entries(query(kClass, 100, 0, u"*3"), kClass).size(), 1u);
  EXPECT_EQ(query(kClass, 65536, 0, u"*").status, NtStatus::kNoMoreFiles);
}

TEST_F(Enumeration, B19EntriesTellWhatTheFileTells) {
  fill(0);
  FileId file = peer.file(tree, u"dir\\told", "0123456789");
  auto basic = smb().query<wire::FileBasicInformation>(tree, file);
  auto internal = smb().query<wire::FileInternalInformation>(tree, file);
  for (FileInfoClass info_class : kClasses) {
    client::Answer answer = query(info_class, 65536, wire::kQueryDirectoryReopen, u"told");
    ASSERT_EQ(answer.status, NtStatus::kSuccess);
    const wire::DirectoryEntry entry = entries(answer, info_class).front().entry;
    if (info_class == FileInfoClass::kNames) continue;
    EXPECT_EQ(entry.end_of_file, 10u);
    EXPECT_EQ(entry.file_attributes, basic->file_attributes);
    EXPECT_EQ(entry.creation_time, basic->creation_time);
    EXPECT_EQ(entry.last_write_time, basic->last_write_time);
    bool has_id = info_class >= FileInfoClass::kIdBothDirectory;
    if (has_id) {
      EXPECT_EQ(entry.file_id, internal->index_number);
    }
  }
}

TEST_F(Enumeration, B19AFileIsNoDirectory) {
  FileId file = peer.file(tree, u"file");
  EXPECT_EQ(smb().query_directory(tree, file, FileInfoClass::kNames, u"*", 4096).status,
            NtStatus::kInvalidParameter);
}

}  // namespace
}  // namespace semblance::test
