#include "engine/share/access.h"

#include "engine/wire/access_mask.h"

namespace semblance::share {
namespace {

constexpr uint32_t kReserved = 0x0CE0FE00;

}  // namespace

uint32_t expand_generic(uint32_t access) {
  if (access & wire::kGenericRead) access |= wire::kFileGenericRead;
  if (access & wire::kGenericWrite) access |= wire::kFileGenericWrite;
  if (access & wire::kGenericExecute) access |= wire::kFileGenericExecute;
  if (access & wire::kGenericAll) access |= wire::kFileAllAccess;
  return access & ~(wire::kGenericRead | wire::kGenericWrite | wire::kGenericExecute |
                    wire::kGenericAll);
}

Result<uint32_t> grant(uint32_t desired, uint32_t maximal) {
  if (desired == 0 || (desired & kReserved)) return fail(NtStatus::kAccessDenied);
  uint32_t wanted = expand_generic(desired);
  if (wanted & wire::kAccessSystemSecurity) return fail(NtStatus::kPrivilegeNotHeld);
  uint32_t named = wanted & ~wire::kMaximumAllowed;
  if (named & ~maximal) return fail(NtStatus::kAccessDenied);
  return (wanted & wire::kMaximumAllowed) ? maximal | named : named;
}

}  // namespace semblance::share
