#pragma once
// Who may do what: tokens, access evaluation, inheritance. MS-DTYP 2.5.2, 2.5.3; MS-FSA 2.1.5.1.2.
//
// Descriptors say it in users' SIDs; what the store keeps of one is what was set, so an object has
// none until somebody sets one or it is created beneath a directory that has one. What has none is
// everybody's: that is what its synthetic descriptor says.

#include <span>
#include <string_view>

#include "engine/store.h"
#include "engine/wire/security_descriptor.h"

namespace semblance::share {

using wire::SecurityDescriptor;
using wire::Sid;

// Whose access is evaluated: the user first, then the groups.
class Token {
 public:
  static Token guest(std::span<const uint8_t, 16> server_guid);
  static Token anonymous();
  // A user with a Unix uid is known by it; one without, by name.
  static Token user(std::span<const uint8_t, 16> server_guid, uint32_t uid, std::string_view name);

  const Sid& owner() const { return sids_.front(); }
  const Sid& group() const { return sids_.back(); }
  bool has(const Sid& sid) const;

 private:
  Token(std::initializer_list<Sid> sids) : sids_(sids) {}

  // The user, its groups, and last the group of what it creates. On the heap, because tokens live
  // in frames of coroutines.
  std::vector<Sid> sids_;
};

// All that the descriptor grants the token, without MAXIMUM_ALLOWED's own bit. MS-DTYP 2.5.3.2.
uint32_t granted(const SecurityDescriptor& descriptor, const Token& token);

// What a directory's rights add to those on an object in it: MS-FSA 2.1.5.1.2, "ParentFile".
uint32_t granted_by_parent(uint32_t rights_on_parent);

// The descriptor of an object without one, as `token` sees it.
SecurityDescriptor synthetic(const FileStat& stat, const Token& token);

// The descriptor of a new object: what its creator gave (null: nothing), the rest inherited from
// the parent's (null: the parent has none) or the token's defaults. None if there is nothing to
// keep. INVALID_OWNER. MS-DTYP 2.5.3.4.
Result<std::optional<SecurityDescriptor>> descriptor_of_new(const SecurityDescriptor* given,
                                                            const SecurityDescriptor* parent,
                                                            FileKind kind, const Token& token);

// `current` with the parts of `given` that `parts` (AdditionalInformation) names. INVALID_OWNER
// when the token may not give the object to that owner.
Result<SecurityDescriptor> changed(const SecurityDescriptor& current,
                                   const SecurityDescriptor& given, uint32_t parts,
                                   const Token& token);

// Only the named parts.
SecurityDescriptor part_of(const SecurityDescriptor& descriptor, uint32_t parts);

}  // namespace semblance::share
