// Names: what Windows can't spell, what looks alike and is not, what is long. MS-FSCC 2.1.5.
//
// MemoryStore differs from a POSIX disk in nothing that matters here: a component has at most 255
// bytes of UTF-8 in both.

#include <algorithm>
#include <set>

#include "engine/base/utf16.h"
#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

class Names : public OneClient {
 protected:
  void make_outside(std::string_view path, std::string_view text) {
    world.make_outside(path, OpenWhat::kNewFile, text);
  }
  std::vector<client::Listed> list(std::u16string_view pattern = u"*") {
    auto root = smb().create(tree, {.access = wire::kFileGenericRead});
    auto listed = smb().list(tree, root->id, FileInfoClass::kIdBothDirectory, pattern);
    smb().close(tree, root->id);
    if (!listed) return {};
    std::erase_if(*listed, [](const auto& one) { return one.name == u"." || one.name == u".."; });
    return *listed;
  }
  std::set<std::u16string> listed_names() {
    std::set<std::u16string> names;
    for (const client::Listed& one : list()) names.insert(one.name);
    return names;
  }
};

TEST_F(Names, B15WhateverIsListedOpensItself) {
  const std::vector<std::string> stored = {"Jr.",
                                           "sp ",
                                           "a:b",
                                           "q?",
                                           "p|",
                                           "nul.txt",
                                           "back\\slash",
                                           "Jr",
                                           "sp",
                                           "...",
                                           "..x",
                                           " ",
                                           ". ",
                                           "x<y>z",
                                           "\"",
                                           "tab\t",
                                           "\x01",
                                           "a*",
                                           "Jr.\xEF\x80\xA9",
                                           "\xEF\x80\xA9",
                                           "\xEF\x81\xBF",
                                           "a\xEF\x80\xA2"
                                           "b"};
  for (const std::string& name : stored) make_outside(name, name);
  std::vector<client::Listed> listed = list();
  EXPECT_EQ(listed.size(), stored.size());
  std::set<std::u16string> names;
  for (const client::Listed& one : listed) {
    EXPECT_TRUE(names.insert(one.name).second) << "listed twice";
    std::string text = content(one.name);
    EXPECT_TRUE(std::ranges::find(stored, text) != stored.end()) << text;
    if (!one.short_name.empty()) {
      EXPECT_EQ(content(one.short_name), text);
    }
  }
  for (const client::Listed& one : listed) {
    auto opened = open(one.name);
    ASSERT_TRUE(opened.has_value());
    EXPECT_EQ(smb().set(tree, opened->id, wire::FileDispositionInformation{true}),
              NtStatus::kSuccess);
    smb().close(tree, opened->id);
  }
  EXPECT_TRUE(list().empty());
}

TEST_F(Names, B15ReservedCharactersAreRefusedAndNothingIsStored) {
  std::vector<std::u16string> wrong = {u"x<y", u"x>y", u"q?",    u"p|",          u"a\"b",
                                       u"a*b", u"a/b", u"f:one", u"f:one:$DATA", u"dir\\x*"};
  for (char16_t c = 1; c < 0x20; ++c) wrong.push_back(u"c" + std::u16string(1, c));
  wrong.push_back(std::u16string(u"nul\0l", 5));
  for (const std::u16string& name : wrong) {
    NtStatus status = create_status({.name = name});
    EXPECT_TRUE(status == NtStatus::kObjectNameInvalid || status == NtStatus::kObjectPathSyntaxBad)
        << *utf8_from_utf16(name) << ": " << show(status);
  }
  EXPECT_TRUE(list().empty());
  EXPECT_EQ(world.store().object_count(), 3u);  // the roots of the three shares
}

TEST_F(Names, B15PathsThatLeadAroundAreRefused) {
  for (const char16_t* name : {u"..", u".", u"..\\up", u"a\\..\\b", u"a\\.\\b", u"..\\..\\etc"}) {
    NtStatus status = create_status({.name = name});
    EXPECT_TRUE(status == NtStatus::kObjectPathSyntaxBad || status == NtStatus::kObjectNameInvalid)
        << show(status);
  }
  EXPECT_EQ(create_status({.name = u"\\leading"}), NtStatus::kInvalidParameter);
  EXPECT_FALSE(create_status({.name = u"a\\\\b"}) == NtStatus::kSuccess);
  EXPECT_TRUE(list().empty());
}

TEST_F(Names, B15PrivateUseCharactersComeBackUnchanged) {
  std::set<std::u16string> names;
  for (char16_t c : {0xF022, 0xF028, 0xF029, 0xF001, 0xF030, 0xE000, 0xF07F, 0xF8FF})
    names.insert(u"p" + std::u16string(1, c) + u"q");
  for (const std::u16string& name : names) make(name, as_text(as_bytes(name)));
  EXPECT_EQ(listed_names(), names);
  for (const std::u16string& name : names) EXPECT_EQ(content(name), as_text(as_bytes(name)));
}

TEST_F(Names, B15AnUnpairedSurrogateIsRefused) {
  for (const std::u16string& name :
       {std::u16string(1, 0xD800), std::u16string(1, 0xDC00) + u"x", std::u16string(2, 0xD801)})
    EXPECT_EQ(create_status({.name = name}), NtStatus::kObjectNameInvalid);
}

// ---- Unicode ------------------------------------------------------------------------------------

TEST_F(Names, B16ComposedAndDecomposedAreTwoNames) {
  const std::u16string nfc = u"\u00FC", nfd = u"u\u0308";
  make(nfc, "composed");
  make(nfd, "decomposed");
  EXPECT_EQ(listed_names(), (std::set<std::u16string>{nfc, nfd}));
  EXPECT_EQ(content(nfc), "composed");
  EXPECT_EQ(content(nfd), "decomposed");
  EXPECT_EQ(content(u"\u00DC"), "composed");
  EXPECT_EQ(content(u"U\u0308"), "decomposed");
}

TEST_F(Names, B16OneFormIsNotFoundByTheOther) {
  make_outside("u\xCC\x88", "decomposed");
  EXPECT_EQ(open_status(u"\u00FC"), NtStatus::kObjectNameNotFound);
  EXPECT_EQ(content(u"u\u0308"), "decomposed");
}

TEST_F(Names, B16InvalidUtf8OnDiskDoesNotHideTheOthers) {
  make_outside("before", "1");
  make_outside("\xFF\xFE broken \xC3", "2");
  make_outside("\xED\xA0\x80", "3");
  make_outside("after", "4");
  std::set<std::u16string> names = listed_names();
  EXPECT_TRUE(names.contains(u"before"));
  EXPECT_TRUE(names.contains(u"after"));
  EXPECT_EQ(content(u"before"), "1");
  EXPECT_EQ(open_status(u"missing"), NtStatus::kObjectNameNotFound);
}

TEST_F(Names, B16TheExactSpellingWinsOverAnother) {
  make_outside("readme", "lower");
  make_outside("README", "upper");
  EXPECT_EQ(content(u"readme"), "lower");
  EXPECT_EQ(content(u"README"), "upper");
  EXPECT_EQ(content(u"ReadMe"), "upper");  // the smaller one, always
  EXPECT_EQ(list().size(), 2u);
}

TEST_F(Names, B16BeyondTheBasicPlane) {
  const std::u16string name = u"\U0001F600.txt";
  make(name, "smile");
  EXPECT_EQ(listed_names(), (std::set<std::u16string>{name}));
  EXPECT_EQ(content(u"\U0001F600.TXT"), "smile");
}

// ---- Two requests that look into the same directory at once
// --------------------------------------

class AtOnce : public Names {
 protected:
  AtOnce() {
    for (int i = 0; i < 3000; ++i) make_outside("filler number " + std::to_string(i), "");
    make_outside("Target", "target");
  }
  uint64_t start(std::u16string name, CreateDisposition disposition) {
    return peer.client().send(client::on(
        tree, client::create_request({.name = std::move(name), .disposition = disposition})));
  }
  void hold_reading() {
    world.hold([](const StoreOperation& what) {
      return std::holds_alternative<StoreReadDirectory>(what);
    });
  }
  NtStatus status_of(uint64_t id) {
    auto reply = peer.client().take(id);
    return reply ? reply->status() : NtStatus::kPending;
  }
};

TEST_F(AtOnce, AHalfReadDirectoryIsNotBelieved) {
  for (size_t batches : {0u, 1u, 2u}) {
    Names::make_outside("new each time " + std::to_string(batches), "");
    world.advance(Duration::seconds(1));
    Names::make_outside("and again " + std::to_string(batches), "");
    hold_reading();
    uint64_t first = start(u"TARGET", CreateDisposition::kOpen);
    world.run();
    for (size_t i = 0; i < batches; ++i) {
      world.complete();
      world.run();
    }
    uint64_t second = start(u"TARGET", CreateDisposition::kOpen);
    uint64_t third = start(u"target", CreateDisposition::kCreate);
    world.run();
    world.hold_nothing();
    world.complete_all();
    world.run();
    EXPECT_EQ(status_of(first), NtStatus::kSuccess) << batches;
    EXPECT_EQ(status_of(second), NtStatus::kSuccess) << batches;
    EXPECT_EQ(status_of(third), NtStatus::kObjectNameCollision) << batches;
  }
  EXPECT_EQ(list(u"target").size(), 1u);
}

TEST_F(AtOnce, WhatIsMadeAndRemovedDuringAReadIsGone) {
  hold_reading();
  uint64_t first = start(u"NOSUCH", CreateDisposition::kOpen);
  world.run();
  world.complete();
  world.run();
  uint64_t made = start(u"Brief", CreateDisposition::kCreate);
  world.run();
  world.hold_nothing();
  world.complete_all();
  world.run();
  EXPECT_EQ(status_of(first), NtStatus::kObjectNameNotFound);
  EXPECT_EQ(status_of(made), NtStatus::kSuccess);
  auto brief = open(u"brief");
  ASSERT_TRUE(brief.has_value());
  smb().set(tree, brief->id, wire::FileDispositionInformation{true});
  smb().close(tree, brief->id);
  // The handle that made it is still open; it goes with the connection's other handles.
  Tree again = peer.tree(peer.session(), u"data");
  EXPECT_EQ(smb().tree_disconnect(tree), NtStatus::kSuccess);
  world.run();
  tree = again;
  EXPECT_EQ(open_status(u"BRIEF"), NtStatus::kObjectNameNotFound);
  EXPECT_EQ(create_status({.name = u"BRIEF", .disposition = CreateDisposition::kCreate}),
            NtStatus::kSuccess);
}

// ---- Length -------------------------------------------------------------------------------------

class LongNames : public Names, public testing::WithParamInterface<std::pair<size_t, char16_t>> {
 protected:
  std::u16string name() const { return std::u16string(GetParam().first, GetParam().second); }
  bool fits() const {
    return GetParam().first * (GetParam().second < 0x80 ? 1 : 3) <= 255;  // the store's limit
  }
};

TEST_P(LongNames, B17IsWholeEverywhereOrRefused) {
  NtStatus status = create_status({.name = name()});
  if (!fits()) {
    EXPECT_TRUE(status == NtStatus::kObjectNameInvalid || status == NtStatus::kNameTooLong)
        << show(status);
    EXPECT_TRUE(list().empty());
    return;
  }
  ASSERT_EQ(status, NtStatus::kSuccess);
  EXPECT_EQ(listed_names(), (std::set<std::u16string>{name()}));
  ASSERT_EQ(list(name()).size(), 1u);
  EXPECT_EQ(list(name()).front().name, name());
  auto opened = open(name());
  ASSERT_TRUE(opened.has_value());
  client::Answer all = smb().query_info(tree, opened->id, FileInfoClass::kAll);
  auto info = wire::FileAllInformation::parse(all.data);
  ASSERT_TRUE(info.has_value());
  EXPECT_TRUE(utf16_from_wire(info->name.file_name).ends_with(name()));
  EXPECT_EQ(all.data.size(), wire::FileAllInformation::kSize + info->name.file_name.size());
  std::u16string sibling = name();
  sibling.front() = GetParam().second + 1;
  EXPECT_EQ(smb().rename(tree, opened->id, sibling, false), NtStatus::kSuccess);
  EXPECT_EQ(listed_names(), (std::set<std::u16string>{sibling}));
  EXPECT_EQ(smb().set(tree, opened->id, wire::FileDispositionInformation{true}),
            NtStatus::kSuccess);
  smb().close(tree, opened->id);
  EXPECT_TRUE(list().empty());
}

constexpr char16_t kCjk = 0x4E2D;
INSTANTIATE_TEST_SUITE_P(Length, LongNames,
                         testing::Values(std::pair{127, u'a'}, std::pair{128, u'a'},
                                         std::pair{200, u'a'}, std::pair{255, u'a'},
                                         std::pair{256, u'a'}, std::pair{1000, u'a'},
                                         std::pair{85, kCjk}, std::pair{86, kCjk},
                                         std::pair{128, kCjk}, std::pair{255, kCjk},
                                         std::pair{256, kCjk}));

TEST_F(Names, B17FortyLevelsOfAHundred) {
  std::u16string path;
  for (int level = 0; level < 40; ++level) {
    if (!path.empty()) path += u"\\";
    path += std::u16string(100, static_cast<char16_t>(u'a' + level % 26));
    NtStatus status = create_status({.name = path, .options = wire::kFileDirectoryFile});
    ASSERT_EQ(status, NtStatus::kSuccess) << level;
  }
  EXPECT_EQ(create_status({.name = path + u"\\file"}), NtStatus::kSuccess);
  std::u16string folded = path;
  folded[0] = u'A';
  EXPECT_EQ(open_status(folded + u"\\FILE"), NtStatus::kSuccess);
  NtStatus status = create_status({.name = path + u"\\" + std::u16string(100, u'z')});
  EXPECT_TRUE(status == NtStatus::kObjectNameInvalid || status == NtStatus::kNameTooLong);
}

}  // namespace
}  // namespace semblance::test
