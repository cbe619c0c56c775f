#include "engine/share/security.h"

#include <algorithm>

#include "engine/share/access.h"
#include "engine/wire/access_mask.h"
#include "engine/wire/query_info.h"

namespace semblance::share {
namespace {

using wire::Ace;
using wire::AceType;
using wire::Acl;

constexpr uint64_t kNtAuthority = 5, kUnixAuthority = 22;
constexpr uint32_t kUnixGroups = 2;
constexpr uint32_t kRidGuest = 501, kRidUsers = 513;  // MS-DTYP 2.4.2.4
constexpr uint32_t kRidOfUids = 1000, kUidsMax = 1u << 30;
constexpr uint32_t kRidOfNames = 1u << 31;

Sid in_server(std::span<const uint8_t, 16> guid, uint32_t rid) {
  return {kNtAuthority,
          {21, load<uint32_t>(guid.data()), load<uint32_t>(guid.data() + 4),
           load<uint32_t>(guid.data() + 8), rid}};
}

// FNV-1a of the name without regard to ASCII case, as accounts are looked up.
uint32_t rid_of_name(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name) {
    char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    hash = (hash ^ static_cast<uint8_t>(lower)) * 16777619u;
  }
  return kRidOfNames | hash;
}

bool is_effective(const Ace& ace) { return !(ace.flags & wire::kAceInheritOnly); }

// Rights are stored as what they mean for files; what is only passed on stays as it is.
uint32_t mapped(const Ace& ace) { return is_effective(ace) ? expand_generic(ace.mask) : ace.mask; }

Ace allow(const Sid& sid) { return {AceType::kAllowed, 0, wire::kFileAllAccess, sid, {}}; }

bool is_inheritable(const Ace& ace, FileKind kind) {
  if (kind != FileKind::kDirectory) return ace.flags & wire::kAceObjectInherit;
  bool passes_on = (ace.flags & wire::kAceObjectInherit) && !(ace.flags & wire::kAceNoPropagate);
  return (ace.flags & wire::kAceContainerInherit) || passes_on;
}

uint8_t inherited_flags(uint8_t flags, FileKind kind) {
  if (kind != FileKind::kDirectory || (flags & wire::kAceNoPropagate)) return 0;
  flags &= wire::kAceObjectInherit | wire::kAceContainerInherit;
  // What is meant for files only passes through.
  return flags & wire::kAceContainerInherit ? flags : flags | wire::kAceInheritOnly;
}

// The parent's entries as the child gets them. An entry for CREATOR OWNER becomes one for the
// owner, and in a directory that passes it on stays beside it.
Acl inherited(const Acl& parent, FileKind kind, const SecurityDescriptor& child, uint8_t mark) {
  Acl acl;
  acl.revision = parent.revision;
  for (const Ace& from : parent.aces) {
    if (!is_inheritable(from, kind)) continue;
    Ace ace = from;
    ace.flags = inherited_flags(from.flags, kind);
    const std::optional<Sid>* creator = from.sid == wire::kSidCreatorOwner   ? &child.owner
                                        : from.sid == wire::kSidCreatorGroup ? &child.group
                                                                             : nullptr;
    if (creator != nullptr && *creator && is_effective(ace)) {
      Ace effective = ace;
      effective.sid = **creator;
      effective.flags = mark;
      effective.mask = expand_generic(ace.mask);
      acl.aces.push_back(std::move(effective));
      if (ace.flags == 0) continue;
      ace.flags |= wire::kAceInheritOnly;
    }
    ace.flags |= mark;
    ace.mask = mapped(ace);
    acl.aces.push_back(std::move(ace));
  }
  return acl;
}

// What of `control` is stored: MS-DTYP 2.4.6. AUTO_INHERITED is only believed of who asks for it.
uint16_t stored_control(uint16_t control) {
  uint16_t kept = control & (wire::kDaclPresent | wire::kDaclDefaulted | wire::kDaclProtected);
  constexpr uint16_t kBoth = wire::kDaclAutoInherited | wire::kDaclAutoInheritRequired;
  if ((control & kBoth) == kBoth) kept |= wire::kDaclAutoInherited;
  return kept;
}

void set_dacl(SecurityDescriptor& to, const SecurityDescriptor& from) {
  constexpr uint16_t kOfDacl =
      wire::kDaclPresent | wire::kDaclDefaulted | wire::kDaclProtected | wire::kDaclAutoInherited;
  to.control = (to.control & ~kOfDacl) | stored_control(from.control) | wire::kDaclPresent;
  to.dacl = from.dacl;
  if (to.dacl)
    for (Ace& ace : to.dacl->aces) ace.mask = mapped(ace);
}

void inherit_dacl(SecurityDescriptor& child, const SecurityDescriptor& parent, FileKind kind,
                  const Token& token) {
  bool automatic = parent.control & wire::kDaclAutoInherited;
  child.control |= wire::kDaclPresent | (automatic ? wire::kDaclAutoInherited : 0);
  uint8_t mark = automatic ? wire::kAceInherited : 0;
  child.dacl = parent.dacl ? inherited(*parent.dacl, kind, child, mark) : Acl{};
  if (child.dacl->aces.empty())
    child.dacl = Acl{Acl::kRevision, {allow(token.owner()), allow(wire::kSidLocalSystem)}};
}

}  // namespace

Token Token::guest(std::span<const uint8_t, 16> server_guid) {
  return {in_server(server_guid, kRidGuest), wire::kSidEveryone, wire::kSidNetwork,
          wire::kSidGuests};
}

Token Token::anonymous() { return {wire::kSidAnonymous, wire::kSidNetwork}; }

Token Token::user(std::span<const uint8_t, 16> server_guid, uint32_t uid, std::string_view name) {
  uint32_t rid = uid != 0 && uid < kUidsMax ? kRidOfUids + 2 * uid : rid_of_name(name);
  return {in_server(server_guid, rid), wire::kSidEveryone, wire::kSidAuthenticatedUsers,
          wire::kSidNetwork, in_server(server_guid, kRidUsers)};
}

bool Token::has(const Sid& sid) const { return std::ranges::find(sids_, sid) != sids_.end(); }

uint32_t granted(const SecurityDescriptor& descriptor, const Token& token) {
  if (!(descriptor.control & wire::kDaclPresent) || !descriptor.dacl) return wire::kFileAllAccess;
  const std::vector<Ace>& aces = descriptor.dacl->aces;
  bool owns = descriptor.owner && token.has(*descriptor.owner);
  bool owner_is_limited = std::ranges::any_of(
      aces, [](const Ace& ace) { return is_effective(ace) && ace.sid == wire::kSidOwnerRights; });
  uint32_t allowed = owns && !owner_is_limited ? wire::kReadControl | wire::kWriteDac : 0;
  uint32_t denied = 0;
  for (const Ace& ace : aces) {
    bool concerns = token.has(ace.sid) || (owns && ace.sid == wire::kSidOwnerRights);
    if (!is_effective(ace) || !concerns) continue;
    uint32_t mask = expand_generic(ace.mask);
    if (ace.type == AceType::kAllowed) allowed |= mask & ~denied;
    // A conditional denial is taken as if its condition held; a conditional grant grants nothing.
    if (ace.type == AceType::kDenied || ace.type == AceType::kDeniedCallback)
      denied |= mask & ~allowed;
  }
  return allowed & wire::kFileAllAccess;
}

uint32_t granted_by_parent(uint32_t rights) {
  return ((rights & wire::kFileDeleteChild) ? wire::kDelete : 0) |
         ((rights & wire::kFileListDirectory) ? wire::kFileReadAttributes : 0);
}

SecurityDescriptor synthetic(const FileStat& stat, const Token& token) {
  SecurityDescriptor d;
  d.owner = token.owner();
  d.group = Sid(kUnixAuthority, {kUnixGroups, stat.gid});
  d.control |= wire::kDaclPresent;
  d.dacl = Acl{Acl::kRevision, {allow(wire::kSidEveryone)}};
  return d;
}

Result<std::optional<SecurityDescriptor>> descriptor_of_new(const SecurityDescriptor* given,
                                                            const SecurityDescriptor* parent,
                                                            FileKind kind, const Token& token) {
  if (given == nullptr && parent == nullptr) return std::nullopt;
  SecurityDescriptor d;
  d.owner = given != nullptr && given->owner ? given->owner : token.owner();
  d.group = given != nullptr && given->group ? given->group : token.group();
  if (!token.has(*d.owner)) return fail(NtStatus::kInvalidOwner);
  if (given != nullptr && (given->control & wire::kDaclPresent)) {
    set_dacl(d, *given);
  } else if (parent != nullptr) {
    inherit_dacl(d, *parent, kind, token);
  } else {
    d.control |= wire::kDaclPresent;
    d.dacl = Acl{Acl::kRevision, {allow(wire::kSidEveryone)}};
  }
  return d;
}

Result<SecurityDescriptor> changed(const SecurityDescriptor& current,
                                   const SecurityDescriptor& given, uint32_t parts,
                                   const Token& token) {
  SecurityDescriptor d = current;
  if ((parts & wire::kOwnerSecurityInformation) && given.owner && given.owner != current.owner) {
    if (!token.has(*given.owner)) return fail(NtStatus::kInvalidOwner);
    d.owner = given.owner;
  }
  if ((parts & wire::kGroupSecurityInformation) && given.group) d.group = given.group;
  if (parts & wire::kDaclSecurityInformation) set_dacl(d, given);
  return d;
}

SecurityDescriptor part_of(const SecurityDescriptor& descriptor, uint32_t parts) {
  constexpr uint16_t kOfDacl =
      wire::kDaclPresent | wire::kDaclDefaulted | wire::kDaclProtected | wire::kDaclAutoInherited;
  SecurityDescriptor d;
  if (parts & wire::kOwnerSecurityInformation) d.owner = descriptor.owner;
  if (parts & wire::kGroupSecurityInformation) d.group = descriptor.group;
  if (!(parts & wire::kDaclSecurityInformation)) return d;
  d.control |= descriptor.control & kOfDacl;
  d.dacl = descriptor.dacl;
  return d;
}

}  // namespace semblance::share
