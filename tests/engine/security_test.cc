// Security descriptors: kept, inherited, and obeyed. MS-DTYP 2.5.3, MS-SMB2 3.3.5.20.3, 3.3.5.21.3.

#include "engine/wire/error_response.h"
#include "engine/wire/query_info.h"
#include "engine/wire/security_descriptor.h"
#include "tests/engine/harness/one_client.h"

namespace semblance::test {
namespace {

using wire::Ace;
using wire::AceType;
using wire::Acl;
using wire::SecurityDescriptor;

constexpr uint32_t kOwner = wire::kOwnerSecurityInformation, kDacl = wire::kDaclSecurityInformation;
constexpr uint32_t kAll = kOwner | wire::kGroupSecurityInformation | kDacl;
constexpr uint8_t kInherit = wire::kAceObjectInherit | wire::kAceContainerInherit;

Ace allow(const wire::Sid& sid, uint32_t mask, uint8_t flags = 0) {
  return {AceType::kAllowed, flags, mask, sid, {}};
}
Ace deny(const wire::Sid& sid, uint32_t mask) { return {AceType::kDenied, 0, mask, sid, {}}; }

SecurityDescriptor with(std::vector<Ace> aces) {
  SecurityDescriptor d;
  d.control |= wire::kDaclPresent;
  d.dacl = Acl{Acl::kRevision, std::move(aces)};
  return d;
}

std::vector<uint8_t> bytes_of(const SecurityDescriptor& d) {
  std::vector<uint8_t> bytes(d.size());
  wire::Builder b(bytes);
  d.build(b);
  return bytes;
}

std::vector<uint8_t> contexts(const SecurityDescriptor& d) {
  std::vector<uint8_t> chain(8192);
  wire::Builder b(chain);
  wire::CreateContextWriter writer(b);
  std::vector<uint8_t> descriptor = bytes_of(d);
  writer.add(wire::MaximalAccessRequest{});
  writer.add(wire::QueryOnDiskIdRequest{});
  writer.add(wire::SecurityDescriptorContext{descriptor});
  writer.add_raw(as_bytes("ZzZz"), as_bytes("unknown"));
  chain.resize(b.size());
  return chain;
}

uint32_t maximal_access(const client::Opened& opened) {
  wire::CreateContexts chain(opened.contexts);
  while (auto context = chain.next())
    if (context->is(wire::kContextMxAc))
      if (auto answer = wire::MaximalAccessResponse::parse(context->data))
        return answer->maximal_access;
  return 0;
}

class Security : public OneClient {
 protected:
  Security() {
    EXPECT_EQ(other.sync().negotiate(), NtStatus::kSuccess);
    others_tree = other.tree(other.log_in("bert", "hidden"), u"data");
  }
  NtStatus set(FileId file, const SecurityDescriptor& d, uint32_t parts = kDacl) {
    std::vector<uint8_t> bytes = bytes_of(d);
    return smb()
        .call(client::on(
            tree, client::set_info_request(file, wire::InfoType::kSecurity, 0, bytes, parts)))
        .status();
  }
  Reply query(FileId file, uint32_t length = 65536, uint32_t parts = kAll) {
    return smb().call(client::on(
        tree, client::query_info_request(file, wire::InfoType::kSecurity, 0, length, parts)));
  }
  SecurityDescriptor get(FileId file, uint32_t parts = kAll) {
    Reply reply = query(file, 65536, parts);
    auto response = wire::QueryInfoResponse::parse(reply.element);
    EXPECT_TRUE(response.has_value()) << show(reply.status());
    if (!response) return {};
    auto parsed = SecurityDescriptor::parse(response->output);
    EXPECT_TRUE(parsed.has_value());
    return parsed.value_or(SecurityDescriptor{});
  }
  NtStatus others_status(CreateArgs args) {
    auto opened = other.sync().create(others_tree, args);
    if (!opened) return opened.error();
    other.sync().close(others_tree, opened->id);
    return NtStatus::kSuccess;
  }
  NtStatus others_open(std::u16string name, uint32_t access) {
    return others_status(
        {.name = std::move(name), .access = access, .disposition = CreateDisposition::kOpen});
  }

  Peer& other = world.add_peer();
  Tree others_tree;
};

TEST_F(Security, WithoutADescriptorEverybodyMayAndItSaysSo) {
  FileId file = peer.file(tree, u"file");
  SecurityDescriptor d = get(file);
  ASSERT_TRUE(d.owner && d.group && d.dacl);
  EXPECT_EQ(d.dacl->aces, std::vector{allow(wire::kSidEveryone, wire::kFileAllAccess)});
  EXPECT_EQ(others_open(u"file", wire::kFileAllAccess), NtStatus::kSuccess);
}

TEST_F(Security, WhatIsSetIsReadAndObeyed) {
  FileId file = peer.file(tree, u"file");
  SecurityDescriptor d = with({allow(wire::kSidEveryone, wire::kFileGenericRead)});
  EXPECT_EQ(set(file, d), NtStatus::kSuccess);
  EXPECT_EQ(get(file, kDacl).dacl, d.dacl);
  EXPECT_EQ(others_open(u"file", wire::kFileReadData), NtStatus::kSuccess);
  EXPECT_EQ(others_open(u"file", wire::kFileWriteData), NtStatus::kAccessDenied);
  EXPECT_EQ(others_open(u"file", wire::kWriteDac), NtStatus::kAccessDenied);
  EXPECT_EQ(open_status(u"file", wire::kWriteDac), NtStatus::kSuccess);  // its owner
  EXPECT_EQ(others_status({.name = u"file",
                           .access = wire::kFileReadData,
                           .disposition = CreateDisposition::kOverwrite}),
            NtStatus::kAccessDenied);
}

TEST_F(Security, TheParentAllowsDeletingUnlessItDoesNot) {
  peer.directory(tree, u"dir");
  auto directory = open(u"dir");
  FileId file = peer.file(tree, u"dir\\file");
  EXPECT_EQ(set(file, with({allow(wire::kSidEveryone, wire::kFileReadData)})), NtStatus::kSuccess);
  EXPECT_EQ(others_open(u"dir\\file", wire::kDelete), NtStatus::kSuccess);
  EXPECT_EQ(set(directory->id, with({allow(wire::kSidEveryone, wire::kFileGenericRead)})),
            NtStatus::kSuccess);
  EXPECT_EQ(others_open(u"dir\\file", wire::kDelete), NtStatus::kAccessDenied);
  EXPECT_EQ(others_status({.name = u"dir\\new"}), NtStatus::kAccessDenied);
  EXPECT_EQ(others_status({.name = u"dir\\new", .options = wire::kFileDirectoryFile}),
            NtStatus::kAccessDenied);
}

TEST_F(Security, MovingIntoADirectoryNeedsItsConsent) {
  FileId directory = peer.directory(tree, u"dir");
  EXPECT_EQ(set(directory, with({allow(wire::kSidEveryone, wire::kFileGenericRead)})),
            NtStatus::kSuccess);
  FileId file = peer.file(tree, u"file");
  EXPECT_EQ(smb().rename(tree, file, u"dir\\file", false), NtStatus::kAccessDenied);
  EXPECT_EQ(smb().rename(tree, file, u"file2", false), NtStatus::kSuccess);
}

TEST_F(Security, NewObjectsInherit) {
  FileId directory = peer.directory(tree, u"dir");
  EXPECT_EQ(set(directory, with({allow(wire::kSidCreatorOwner, wire::kFileAllAccess, kInherit),
                                 allow(wire::kSidEveryone, wire::kFileAllAccess)})),
            NtStatus::kSuccess);
  FileId file = peer.file(tree, u"dir\\file");
  SecurityDescriptor d = get(file);
  ASSERT_TRUE(d.owner && d.dacl);
  EXPECT_EQ(d.dacl->aces, std::vector{allow(*d.owner, wire::kFileAllAccess)});
  EXPECT_EQ(others_open(u"dir\\file", wire::kFileReadData), NtStatus::kAccessDenied);
}

// B13: a long list of contexts is taken as a whole.
TEST_F(Security, B13ADescriptorOfSixtyEntriesIsApplied) {
  std::vector<Ace> aces;
  for (uint32_t i = 0; i < 60; ++i) aces.push_back(deny(wire::Sid(5, {21, 7, 7, 7, i}), 2));
  aces.push_back(allow(wire::kSidEveryone, wire::kFileGenericRead));
  SecurityDescriptor d = with(aces);
  auto made = smb().create(tree, {.name = u"file",
                                  .access = wire::kFileAllAccess,
                                  .disposition = CreateDisposition::kCreate,
                                  .contexts = contexts(d)});
  ASSERT_TRUE(made.has_value()) << show(made.error());
  EXPECT_EQ(maximal_access(*made), wire::kFileGenericRead | wire::kWriteDac);
  EXPECT_EQ(get(made->id).dacl, d.dacl);
  EXPECT_EQ(others_open(u"file", wire::kFileWriteData), NtStatus::kAccessDenied);
}

TEST_F(Security, MaximumAllowedIsWhatTheDescriptorGrants) {
  FileId file = peer.file(tree, u"file");
  EXPECT_EQ(set(file, with({allow(wire::kSidEveryone, wire::kFileReadData | wire::kDelete)})),
            NtStatus::kSuccess);
  smb().close(tree, file);
  auto opened = open(u"file", wire::kMaximumAllowed);
  ASSERT_TRUE(opened.has_value());
  auto access = smb().query<wire::FileAccessInformation>(tree, opened->id);
  EXPECT_EQ(access->access_flags, wire::kFileReadData | wire::kDelete | wire::kReadControl |
                                      wire::kWriteDac | wire::kFileReadAttributes);
}

TEST_F(Security, TooLittleRoomSaysHowMuchIsNeeded) {
  FileId file = peer.file(tree, u"file");
  Reply reply = query(file, 0);
  EXPECT_EQ(reply.status(), NtStatus::kBufferTooSmall);
  auto error = wire::ErrorResponse::parse(reply.element);
  ASSERT_TRUE(error.has_value());
  ASSERT_GE(error->error_data.size(), 4u);
  auto needed = load<uint32_t>(error->error_data.data() + error->error_data.size() - 4);
  EXPECT_EQ(query(file, needed - 1).status(), NtStatus::kBufferTooSmall);
  EXPECT_EQ(query(file, needed).status(), NtStatus::kSuccess);
}

TEST_F(Security, RightsAreNeededToAskAndToSet) {
  peer.file(tree, u"file");
  auto reader = open(u"file", wire::kFileReadData);
  EXPECT_EQ(query(reader->id).status(), NtStatus::kAccessDenied);
  auto control = open(u"file", wire::kReadControl);
  EXPECT_EQ(query(control->id).status(), NtStatus::kSuccess);
  EXPECT_EQ(query(control->id, 65536, wire::kSaclSecurityInformation).status(),
            NtStatus::kAccessDenied);
  EXPECT_EQ(set(control->id, with({})), NtStatus::kAccessDenied);
  auto dac = open(u"file", wire::kWriteDac);
  EXPECT_EQ(set(dac->id, with({}), kOwner), NtStatus::kAccessDenied);
  EXPECT_EQ(set(dac->id, with({})), NtStatus::kSuccess);
}

TEST_F(Security, WhatCannotBeKeptIsNoSuccess) {
  FileId file = peer.file(tree, u"file");
  world.override_store([](const StoreOperation& what) -> std::optional<StoreResult> {
    if (std::holds_alternative<StoreWriteDescriptor>(what))
      return StoreResult{StoreError::kNotSupported, {}};
    return std::nullopt;
  });
  EXPECT_EQ(set(file, with({})), NtStatus::kNotSupported);
}

// What protects can't be read: then it protects all the more.
TEST_F(Security, ABrokenDescriptorRefuses) {
  FileId file = peer.file(tree, u"file");
  EXPECT_EQ(set(file, with({allow(wire::kSidEveryone, wire::kFileAllAccess)})), NtStatus::kSuccess);
  world.override_store([](const StoreOperation& what) -> std::optional<StoreResult> {
    if (const auto* read = std::get_if<StoreReadDescriptor>(&what)) {
      read->into[0] = 0xFF;
      return StoreResult{StoreError::kNone, StoreCount{40}};
    }
    return std::nullopt;
  });
  EXPECT_EQ(open_status(u"file", wire::kFileReadData), NtStatus::kAccessDenied);
}

TEST_F(Security, AnOpenOfAFileWithoutADescriptorCostsNothingMore) {
  make(u"file");
  world.take_operations();
  auto opened = open(u"file");
  EXPECT_EQ(world.take_operation_count(), 2u);
  EXPECT_EQ(set(opened->id, with({allow(wire::kSidEveryone, wire::kFileAllAccess)})),
            NtStatus::kSuccess);
  world.take_operations();
  EXPECT_TRUE(open(u"file").has_value());
  EXPECT_EQ(world.take_operation_count(), 3u);
}

}  // namespace
}  // namespace semblance::test
