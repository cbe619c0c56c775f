#include "engine/wire/security_descriptor.h"

namespace semblance::wire {
namespace {

constexpr size_t kAclHeaderBytes = 8, kAceHeaderBytes = 8;

bool has_mask_and_sid(AceType type) {
  switch (type) {
    case AceType::kAllowed:
    case AceType::kDenied:
    case AceType::kAudit:
    case AceType::kAlarm:
    case AceType::kAllowedCallback:
    case AceType::kDeniedCallback:
    case AceType::kAuditCallback:
    case AceType::kAlarmCallback:
    case AceType::kMandatoryLabel:
    case AceType::kResourceAttribute:
    case AceType::kScopedPolicy:
      return true;
  }
  return false;
}

size_t ace_size(const Ace& ace) {
  return align_up(kAceHeaderBytes + ace.sid.size() + ace.rest.size(), 4);
}

size_t acl_size(const std::optional<Acl>& acl) {
  if (!acl) return 0;
  size_t size = kAclHeaderBytes;
  for (const Ace& ace : acl->aces) size += ace_size(ace);
  return size;
}

Ace read_ace(Reader& list) {
  Ace ace;
  size_t at = list.position();
  ace.type = static_cast<AceType>(list.u8());
  ace.flags = list.u8();
  size_t size = list.u16();
  list.seek(at);
  Reader r(list.bytes(size));
  r.skip(4);
  ace.mask = r.u32();
  ace.sid = Sid::read(r);
  Bytes rest = r.bytes(r.remaining());
  ace.rest.assign(rest.begin(), rest.end());
  // AceSize is a multiple of 4: MS-DTYP 2.4.4.1.
  if (!r.ok() || size % 4 != 0 || !has_mask_and_sid(ace.type)) list.fail();
  return ace;
}

void write_ace(Builder& b, const Ace& ace) {
  size_t size = ace_size(ace), end = b.size() + size;
  b.u8(static_cast<uint8_t>(ace.type));
  b.u8(ace.flags);
  b.u16(static_cast<uint16_t>(size));
  b.u32(ace.mask);
  ace.sid.write(b);
  b.bytes(ace.rest);
  if (b.ok()) b.zeros(end - b.size());
}

std::optional<Acl> read_acl(Reader& descriptor, size_t offset) {
  if (offset == 0) return std::nullopt;
  Reader head(descriptor.at(offset, kAclHeaderBytes));
  Acl acl;
  acl.revision = head.u8();
  head.skip(1);
  size_t size = head.u16();
  size_t count = head.u16();
  Reader r(descriptor.at(offset, size));
  r.skip(kAclHeaderBytes);
  if (acl.revision != Acl::kRevision && acl.revision != 4) r.fail();
  if (count > kAcesMax) r.fail();
  for (size_t i = 0; i < count && r.ok(); ++i) acl.aces.push_back(read_ace(r));
  if (!r.ok() || !head.ok()) descriptor.fail();
  return acl;
}

void write_acl(Builder& b, const std::optional<Acl>& acl) {
  if (!acl) return;
  b.u8(acl->revision);
  b.u8(0);
  b.u16(static_cast<uint16_t>(acl_size(acl)));
  b.u16(static_cast<uint16_t>(acl->aces.size()));
  b.u16(0);
  for (const Ace& ace : acl->aces) write_ace(b, ace);
}

std::optional<Sid> read_sid(Reader& descriptor, size_t offset) {
  if (offset == 0) return std::nullopt;
  Reader r(descriptor.all());
  r.seek(offset);
  Sid sid = Sid::read(r);
  if (!r.ok()) descriptor.fail();
  return sid;
}

}  // namespace

Result<SecurityDescriptor> SecurityDescriptor::parse(Bytes bytes) {
  if (bytes.size() > kDescriptorBytesMax) return fail(NtStatus::kInvalidParameter);
  Reader r(bytes);
  SecurityDescriptor d;
  if (r.u8() != 1) r.fail();
  r.skip(1);
  d.control = r.u16() | kSelfRelative;
  size_t owner = r.u32(), group = r.u32(), sacl = r.u32(), dacl = r.u32();
  d.owner = read_sid(r, owner);
  d.group = read_sid(r, group);
  if (d.control & kSaclPresent) d.sacl = read_acl(r, sacl);
  if (d.control & kDaclPresent) d.dacl = read_acl(r, dacl);
  if (d.size() > kDescriptorBytesMax) r.fail();
  return finish(r, d);
}

size_t SecurityDescriptor::size() const {
  return kHeaderBytes + (owner ? owner->size() : 0) + (group ? group->size() : 0) + acl_size(sacl) +
         acl_size(dacl);
}

void SecurityDescriptor::build(Builder& b) const {
  size_t end = kHeaderBytes;
  auto place = [&end](size_t size) {
    size_t at = size != 0 ? end : 0;
    end += size;
    return static_cast<uint32_t>(at);
  };
  b.u8(1);
  b.u8(0);
  b.u16(control);
  b.u32(place(owner ? owner->size() : 0));
  b.u32(place(group ? group->size() : 0));
  b.u32(place(acl_size(sacl)));
  b.u32(place(acl_size(dacl)));
  if (owner) owner->write(b);
  if (group) group->write(b);
  write_acl(b, sacl);
  write_acl(b, dacl);
}

}  // namespace semblance::wire
