#include "engine/smb/create/request.h"

#include "engine/share/access.h"
#include "engine/share/attributes.h"
#include "engine/share/names.h"
#include "engine/wire/open_contexts.h"
#include "engine/wire/security_descriptor.h"

namespace semblance::smb {
namespace {

using wire::CreateDisposition;

constexpr auto kBadImpersonationLevel = static_cast<NtStatus>(0xC00000A5);
constexpr uint32_t kShareAll =
    wire::kFileShareRead | wire::kFileShareWrite | wire::kFileShareDelete;

NtStatus check_options(const wire::CreateRequest& q) {
  if (q.impersonation_level > wire::ImpersonationLevel::kDelegate) return kBadImpersonationLevel;
  if (q.create_disposition > CreateDisposition::kOverwriteIf) return NtStatus::kInvalidParameter;
  if (q.share_access & ~kShareAll) return NtStatus::kInvalidParameter;
  bool directory = q.create_options & wire::kFileDirectoryFile;
  if (directory && (q.create_options & wire::kFileNonDirectoryFile))
    return NtStatus::kInvalidParameter;
  bool overwrites = q.create_disposition == CreateDisposition::kSupersede ||
                    q.create_disposition == CreateDisposition::kOverwrite ||
                    q.create_disposition == CreateDisposition::kOverwriteIf;
  if (directory && overwrites) return NtStatus::kInvalidParameter;
  if (q.create_options & wire::kFileOpenByFileId) return NtStatus::kNotSupported;
  bool may_delete =
      share::expand_generic(q.desired_access) & (wire::kDelete | wire::kMaximumAllowed);
  if ((q.create_options & wire::kFileDeleteOnClose) && !may_delete)
    return NtStatus::kInvalidParameter;
  return NtStatus::kSuccess;
}

// Contexts that are not known, or that ask for what is granted to nobody (leases, durability), are
// passed over; what can't be passed over in silence is refused.
NtStatus read_context(const wire::CreateContext& context, CreateWish& wish) {
  if (context.is(wire::kContextMxAc)) {
    if (!wire::MaximalAccessRequest::parse(context.data)) return NtStatus::kInvalidParameter;
    wish.wants_maximal_access = true;
  } else if (context.is(wire::kContextQFid)) {
    wish.wants_disk_id = true;
  } else if (context.is(wire::kContextAlSi)) {
    auto size = wire::AllocationSizeContext::parse(context.data);
    if (!size) return NtStatus::kInvalidParameter;
    wish.allocation_size = size->allocation_size;
  } else if (context.is(wire::kContextTWrp)) {
    auto token = wire::TimewarpContext::parse(context.data);
    if (!token) return NtStatus::kInvalidParameter;
    if (token->timestamp.ticks != 0) return NtStatus::kObjectNameNotFound;  // no snapshots here
  } else if (context.is(wire::kContextSecD)) {
    auto descriptor = wire::SecurityDescriptor::parse(context.data);
    if (!descriptor) return NtStatus::kInvalidParameter;
    // Audit lists are for who has the privilege, which nobody has here.
    if (descriptor->sacl && !descriptor->sacl->aces.empty()) return NtStatus::kPrivilegeNotHeld;
    wish.descriptor.assign(context.data.begin(), context.data.end());
  } else if (context.is(wire::kContextExtA)) {
    return NtStatus::kEasNotSupported;
  } else if (context.is(wire::kContextDHnC) || context.is(wire::kContextDH2C)) {
    return NtStatus::kObjectNameNotFound;  // nothing durable to come back to
  }
  return NtStatus::kSuccess;
}

}  // namespace

bool CreateWish::must_exist() const {
  return disposition == CreateDisposition::kOpen || disposition == CreateDisposition::kOverwrite;
}

bool CreateWish::overwrites() const {
  return disposition == CreateDisposition::kSupersede ||
         disposition == CreateDisposition::kOverwrite ||
         disposition == CreateDisposition::kOverwriteIf;
}

Result<CreateWish> read_create(Call call) {
  auto q = wire::CreateRequest::parse(call.element());
  if (!q) return fail(q.error());
  const TreeConnect& tree = *call.tree();
  if (NtStatus status = check_options(*q); status != NtStatus::kSuccess) return fail(status);
  CreateWish wish;
  auto path = share::store_path(q->name);
  if (!path) return fail(path.error());
  wish.path = std::move(*path);
  wire::CreateContexts contexts(q->contexts);
  while (auto context = contexts.next())
    if (NtStatus status = read_context(*context, wish); status != NtStatus::kSuccess)
      return fail(status);
  if (!contexts.ok()) return fail(NtStatus::kInvalidParameter);
  wish.maximal_access = tree.maximal_access;
  if (auto granted = share::grant(q->desired_access, tree.maximal_access); !granted)
    return fail(granted.error());
  wish.desired_access = share::expand_generic(q->desired_access);
  wish.share_access = q->share_access;
  wish.file_attributes = q->file_attributes & share::kStorableAttributes;
  wish.options = q->create_options;
  wish.disposition = q->create_disposition;
  if (tree.read_only &&
      (wish.overwrites() || wish.must_not_exist() || wish.has(wire::kFileDeleteOnClose)))
    return fail(NtStatus::kAccessDenied);
  return wish;
}

}  // namespace semblance::smb
