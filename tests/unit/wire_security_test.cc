// Security descriptors: what is built parses to the same, and hostile bytes are safe.

#include "engine/wire/security_descriptor.h"
#include "tests/unit/wire_generators.h"

namespace semblance::wire {
namespace {

using test::Arena;

Sid any_sid() {
  Sid sid;
  sid.authority = *rc::gen::inRange<uint64_t>(0, uint64_t{1} << 48);
  for (int n = *rc::gen::inRange(0, 16); n > 0; --n) sid.add(*rc::gen::arbitrary<uint32_t>());
  return sid;
}

Ace any_ace() {
  Ace ace;
  ace.type = *rc::gen::element(AceType::kAllowed, AceType::kDenied, AceType::kAudit,
                               AceType::kAllowedCallback, AceType::kMandatoryLabel);
  ace.flags = *rc::gen::arbitrary<uint8_t>();
  ace.mask = *rc::gen::arbitrary<uint32_t>();
  ace.sid = any_sid();
  // Sizes of ACEs are multiples of 4, so what is not is padded when it is built.
  ace.rest.assign(4 * *rc::gen::inRange<size_t>(0, 5), 0x5A);
  return ace;
}

std::optional<Acl> any_acl() {
  if (*rc::gen::inRange(0, 4) == 0) return std::nullopt;
  Acl acl;
  acl.revision = *rc::gen::element<uint8_t>(2, 4);
  for (int n = *rc::gen::inRange(0, 8); n > 0; --n) acl.aces.push_back(any_ace());
  return acl;
}

SecurityDescriptor any_descriptor() {
  SecurityDescriptor d;
  d.control = *rc::gen::arbitrary<uint16_t>() | kSelfRelative;
  if (*rc::gen::arbitrary<bool>()) d.owner = any_sid();
  if (*rc::gen::arbitrary<bool>()) d.group = any_sid();
  if (d.control & kSaclPresent) d.sacl = any_acl();
  if (d.control & kDaclPresent) d.dacl = any_acl();
  return d;
}

std::vector<uint8_t> built(const SecurityDescriptor& d) {
  std::vector<uint8_t> bytes(d.size());
  Builder b(bytes);
  d.build(b);
  EXPECT_TRUE(b.ok());
  EXPECT_EQ(b.size(), d.size());
  return bytes;
}

TEST(SecurityDescriptor, BuiltThenParsedIsTheSame) {
  EXPECT_TRUE(rc::check([] {
    SecurityDescriptor d = any_descriptor();
    auto parsed = SecurityDescriptor::parse(built(d));
    RC_ASSERT(parsed.has_value());
    RC_ASSERT(*parsed == d);
  }));
}

TEST(SecurityDescriptor, TruncatedIsSafeAndNeverLongerThanItsBytes) {
  EXPECT_TRUE(rc::check([] {
    std::vector<uint8_t> bytes = built(any_descriptor());
    for (size_t n = 0; n < bytes.size(); ++n) {
      std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));
      auto parsed = SecurityDescriptor::parse(cut);
      if (n < SecurityDescriptor::kHeaderBytes) RC_ASSERT(!parsed.has_value());
    }
  }));
}

// What is taken can be stored again within the limit, whatever its lists pointed to.
TEST(SecurityDescriptor, HostileBytesAreSafe) {
  EXPECT_TRUE(rc::check([] {
    std::vector<uint8_t> bytes = built(any_descriptor());
    for (int i = 0; i < 16; ++i) {
      size_t at = *rc::gen::inRange<size_t>(0, bytes.size());
      bytes[at] = *rc::gen::element<uint8_t>(0, 1, 4, 20, 0x7F, 0xFF);
      auto parsed = SecurityDescriptor::parse(bytes);
      if (!parsed) continue;
      RC_ASSERT(parsed->size() <= kDescriptorBytesMax);
      RC_ASSERT(*SecurityDescriptor::parse(built(*parsed)) == *parsed);
    }
  }));
}

TEST(SecurityDescriptor, TooManyEntriesAreRefused) {
  SecurityDescriptor d;
  d.control |= kDaclPresent;
  d.dacl = Acl{Acl::kRevision,
               std::vector<Ace>(kAcesMax, Ace{AceType::kAllowed, 0, 1, kSidEveryone, {}})};
  EXPECT_TRUE(SecurityDescriptor::parse(built(d)).has_value());
  d.dacl->aces.push_back(d.dacl->aces.front());
  EXPECT_EQ(SecurityDescriptor::parse(built(d)).error(), NtStatus::kInvalidParameter);
}

}  // namespace
}  // namespace semblance::wire
