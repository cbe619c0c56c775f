// Access evaluation and inheritance.

#include "engine/share/security.h"

#include <gtest/gtest.h>

#include "engine/wire/access_mask.h"
#include "engine/wire/query_info.h"

namespace semblance::share {
namespace {

using wire::Ace;
using wire::AceType;
using wire::Acl;

constexpr std::array<uint8_t, 16> kGuid = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
const Token kAnn = Token::user(kGuid, 1001, "ann"), kBob = Token::user(kGuid, 1002, "bob");

Ace allow(const Sid& sid, uint32_t mask, uint8_t flags = 0) {
  return {AceType::kAllowed, flags, mask, sid, {}};
}
Ace deny(const Sid& sid, uint32_t mask) { return {AceType::kDenied, 0, mask, sid, {}}; }

SecurityDescriptor with(std::vector<Ace> aces) {
  SecurityDescriptor d;
  d.owner = kAnn.owner();
  d.control |= wire::kDaclPresent;
  d.dacl = Acl{Acl::kRevision, std::move(aces)};
  return d;
}

SecurityDescriptor child_of(const SecurityDescriptor& parent, FileKind kind) {
  auto made = descriptor_of_new(nullptr, &parent, kind, kBob);
  EXPECT_TRUE(made && *made);
  return **made;
}

TEST(Token, UsersDifferWithAndWithoutUid) {
  EXPECT_NE(kAnn.owner(), kBob.owner());
  EXPECT_NE(Token::user(kGuid, 0, "ann").owner(), Token::user(kGuid, 0, "bob").owner());
  EXPECT_EQ(Token::user(kGuid, 0, "Ann").owner(), Token::user(kGuid, 0, "ann").owner());
}

TEST(Token, AnonymousIsNotEveryone) {
  EXPECT_FALSE(Token::anonymous().has(wire::kSidEveryone));
  EXPECT_TRUE(Token::guest(kGuid).has(wire::kSidGuests));
  EXPECT_FALSE(Token::guest(kGuid).has(wire::kSidAuthenticatedUsers));
}

TEST(Granted, TheFirstEntryThatSpeaksOfARightDecides) {
  auto d = with({deny(kBob.owner(), wire::kFileWriteData), allow(wire::kSidEveryone, 0x3)});
  EXPECT_EQ(granted(d, kBob), wire::kFileReadData);
  d = with({allow(wire::kSidEveryone, 0x3), deny(kBob.owner(), wire::kFileWriteData)});
  EXPECT_EQ(granted(d, kBob), 0x3u);
}

TEST(Granted, AnEmptyListGrantsTheOwnerItsOwnOnly) {
  EXPECT_EQ(granted(with({}), kAnn), wire::kReadControl | wire::kWriteDac);
  EXPECT_EQ(granted(with({}), kBob), 0u);
}

TEST(Granted, OwnerRightsReplaceWhatOwnersHave) {
  auto d = with({allow(wire::kSidOwnerRights, wire::kFileReadData)});
  EXPECT_EQ(granted(d, kAnn), wire::kFileReadData);
  EXPECT_EQ(granted(d, kBob), 0u);
}

TEST(Granted, ANullListGrantsEverything) {
  auto d = with({});
  d.dacl.reset();
  EXPECT_EQ(granted(d, kBob), wire::kFileAllAccess);
}

TEST(Granted, GenericRightsAndInheritOnlyEntries) {
  EXPECT_EQ(granted(with({allow(kBob.owner(), wire::kGenericAll)}), kBob), wire::kFileAllAccess);
  EXPECT_EQ(granted(with({allow(kBob.owner(), 1, wire::kAceInheritOnly)}), kBob), 0u);
}

TEST(Inheritance, NothingFromNothing) {
  auto made = descriptor_of_new(nullptr, nullptr, FileKind::kFile, kBob);
  EXPECT_TRUE(made.has_value());
  EXPECT_FALSE(made->has_value());
}

TEST(Inheritance, WithoutInheritableEntriesTheDefaultsApply) {
  auto d = child_of(with({allow(wire::kSidEveryone, wire::kFileAllAccess)}), FileKind::kFile);
  ASSERT_EQ(d.dacl->aces.size(), 2u);
  EXPECT_EQ(d.dacl->aces[0], allow(kBob.owner(), wire::kFileAllAccess));
  EXPECT_EQ(d.dacl->aces[1], allow(wire::kSidLocalSystem, wire::kFileAllAccess));
}

TEST(Inheritance, FlagsOfFilesAndDirectories) {
  struct Row {
    uint8_t parent, directory;
    bool file;
  };
  constexpr uint8_t kOi = wire::kAceObjectInherit, kCi = wire::kAceContainerInherit,
                    kNp = wire::kAceNoPropagate, kIo = wire::kAceInheritOnly;
  for (Row row : {Row{kOi, kOi | kIo, true}, Row{kCi, kCi, false}, Row{kOi | kCi, kOi | kCi, true},
                  Row{kCi | kNp, 0, false}, Row{kOi | kCi | kIo, kOi | kCi, true}}) {
    auto parent = with({allow(wire::kSidEveryone, 1, row.parent)});
    auto directory = child_of(parent, FileKind::kDirectory),
         file = child_of(parent, FileKind::kFile);
    EXPECT_EQ(directory.dacl->aces[0], allow(wire::kSidEveryone, 1, row.directory)) << +row.parent;
    EXPECT_EQ(file.dacl->aces[0] == allow(wire::kSidEveryone, 1), row.file) << +row.parent;
  }
}

TEST(Inheritance, CreatorOwnerBecomesTheOwnerAndStaysToBePassedOn) {
  constexpr uint8_t kCi = wire::kAceContainerInherit;
  auto parent = with({allow(wire::kSidCreatorOwner, 1, kCi)});
  auto d = child_of(parent, FileKind::kDirectory);
  ASSERT_EQ(d.dacl->aces.size(), 2u);
  EXPECT_EQ(d.dacl->aces[0], allow(kBob.owner(), 1));
  EXPECT_EQ(d.dacl->aces[1], allow(wire::kSidCreatorOwner, 1, kCi | wire::kAceInheritOnly));
}

TEST(Inheritance, EntriesAreMarkedWhereTheParentIsAutomatic) {
  auto parent = with({allow(wire::kSidEveryone, 1, wire::kAceObjectInherit)});
  parent.control |= wire::kDaclAutoInherited;
  auto d = child_of(parent, FileKind::kFile);
  EXPECT_TRUE(d.control & wire::kDaclAutoInherited);
  EXPECT_EQ(d.dacl->aces[0], allow(wire::kSidEveryone, 1, wire::kAceInherited));
}

TEST(Changed, OnlyTheNamedPartsChange) {
  auto now = with({allow(wire::kSidEveryone, 1)});
  SecurityDescriptor given;
  given.owner = kBob.owner();
  given.control |= wire::kDaclPresent;
  auto set = changed(now, given, wire::kDaclSecurityInformation, kBob);
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(set->owner, kAnn.owner());
  EXPECT_FALSE(set->dacl.has_value());
  set = changed(now, given, wire::kOwnerSecurityInformation, kBob);
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(set->owner, kBob.owner());
  EXPECT_EQ(set->dacl, now.dacl);
}

TEST(Changed, NobodyGivesAwayWhatHeTakes) {
  SecurityDescriptor given;
  given.owner = kBob.owner();
  EXPECT_EQ(changed(with({}), given, wire::kOwnerSecurityInformation, kAnn).error(),
            NtStatus::kInvalidOwner);
}

}  // namespace
}  // namespace semblance::share
