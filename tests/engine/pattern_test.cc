// Wildcards, empty results and short buffers: MS-SMB2 3.3.5.18, MS-FSA 2.1.4.4, 2.1.5.6.3.

#include <set>

#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

class Patterns : public OneClient {
 protected:
  Patterns() {
    directory = peer.directory(tree, u"dir");
    for (const char16_t* name : {u"a.txt", u"ab.TXT", u"abc", u"a.b.c", u".hid"})
      make(std::u16string(u"dir\\") + name);
  }
  client::Answer query(std::u16string_view pattern, uint32_t length = 65536,
                       uint8_t flags = wire::kQueryDirectoryReopen) {
    return smb().query_directory(tree, directory, FileInfoClass::kIdBothDirectory, pattern, length,
                                 flags);
  }
  std::set<std::u16string> found(std::u16string_view pattern) {
    std::set<std::u16string> names;
    client::Answer answer = query(pattern);
    if (answer.ok())
      for (const client::Listed& one :
           *client::entries_of(answer.data, FileInfoClass::kIdBothDirectory))
        names.insert(one.name);
    names.erase(u".");
    names.erase(u"..");
    return names;
  }
  using Set = std::set<std::u16string>;

  FileId directory;
};

TEST_F(Patterns, B20CaseDoesNotMatter) {
  EXPECT_EQ(found(u"*.txt"), (Set{u"a.txt", u"ab.TXT"}));
  EXPECT_EQ(found(u"*.TXT"), (Set{u"a.txt", u"ab.TXT"}));
  EXPECT_EQ(found(u"A?.TXT"), (Set{u"ab.TXT"}));
  EXPECT_EQ(found(u"A.TXT"), (Set{u"a.txt"}));
  EXPECT_EQ(found(u"A*"), (Set{u"a.txt", u"ab.TXT", u"abc", u"a.b.c"}));
}

TEST_F(Patterns, B20StarDotStarIsEverything) {
  const Set all = {u"a.txt", u"ab.TXT", u"abc", u"a.b.c", u".hid"};
  EXPECT_EQ(found(u"*"), all);
  EXPECT_EQ(found(u""), all);
  EXPECT_EQ(found(u"*.*"), all);  // MS-FSA 2.1.4.4 part 1
}

TEST_F(Patterns, B20DosForms) {
  EXPECT_EQ(found(u"<.txt"), (Set{u"a.txt", u"ab.TXT"}));
  EXPECT_EQ(found(u">>>"), (Set{u"abc"}));
  EXPECT_EQ(found(u">>>>>"), (Set{u"abc"}));
  EXPECT_EQ(found(u"abc\""), (Set{u"abc"}));
  EXPECT_EQ(found(u"abc\"\""), (Set{u"abc"}));
  EXPECT_EQ(found(u"<\"c"), (Set{u"a.b.c"}));
  EXPECT_EQ(found(u"a>.txt"), (Set{u"a.txt", u"ab.TXT"}));
}

TEST_F(Patterns, B20NothingEverMatched) {
  EXPECT_EQ(query(u"zzz*").status, NtStatus::kNoSuchFile);
  EXPECT_EQ(query(u"zzz*", 65536, 0).status, NtStatus::kNoMoreFiles);
  EXPECT_EQ(query(u"zzz*", 65536, 0).status, NtStatus::kNoMoreFiles);
  EXPECT_EQ(query(u"zzz*").status, NtStatus::kNoSuchFile);
}

TEST_F(Patterns, B20SomethingMatchedAndNoMore) {
  EXPECT_EQ(query(u"abc").status, NtStatus::kSuccess);
  EXPECT_EQ(query(u"abc", 65536, 0).status, NtStatus::kNoMoreFiles);
}

// A client that starts with a small buffer must not take the directory for empty.
TEST_F(Patterns, B20AnEntryThatDoesNotFitIsNoEnd) {
  constexpr uint32_t kJustEnough = 104 + 2 * 3;
  for (uint32_t length : {0u, 1u, 8u, 64u, 100u, 104u, 105u, kJustEnough - 1}) {
    NtStatus status = query(u"abc", length).status;
    EXPECT_TRUE(status == NtStatus::kInfoLengthMismatch ||
                (length < 104 && status == NtStatus::kInvalidParameter))
        << length << ": " << show(status);
  }
  EXPECT_EQ(query(u"abc", kJustEnough).status, NtStatus::kSuccess);
}

TEST_F(Patterns, B20TheEntryThatDidNotFitComesNext) {
  EXPECT_EQ(query(u"a*", 104 + 2 * 5).status, NtStatus::kSuccess);  // a.txt
  EXPECT_EQ(query(u"a*", 104, 0).status, NtStatus::kInfoLengthMismatch);
  client::Answer answer = query(u"a*", 65536, 0);
  ASSERT_TRUE(answer.ok());
  auto rest = client::entries_of(answer.data, FileInfoClass::kIdBothDirectory);
  EXPECT_EQ(rest->size(), 3u);
  EXPECT_EQ(rest->front().name, u"ab.TXT");
}

TEST_F(Patterns, B20APatternLongerThanAnyNameMatchesNothing) {
  EXPECT_EQ(query(std::u16string(256, u'*')).status, NtStatus::kNoSuchFile);
  EXPECT_EQ(query(std::u16string(20000, u'?')).status, NtStatus::kNoSuchFile);
  std::u16string hard;
  for (int i = 0; i < 127; ++i) hard += u"*a";
  EXPECT_EQ(query(hard).status, NtStatus::kNoSuchFile);  // and soon
}

}  // namespace
}  // namespace semblance::test
