// MS-SMB2 3.3.5.19 Receiving an SMB2 CHANGE_NOTIFY Request.
//
// Changes are not reported yet. A request stays pending until it is cancelled or its handle is
// closed: clients that are told NOT_SUPPORTED ask again at once and flood the server.

#include "engine/wire/change_notify.h"

#include "engine/smb/chain.h"
#include "engine/smb/commands.h"
#include "engine/smb/marks.h"
#include "engine/wire/access_mask.h"

namespace semblance::smb {
namespace {

Task<Outcome> wait_for_change(Call call, OpenSlot slot) {
  if (NtStatus status = call.go_async(); status != NtStatus::kSuccess) co_return status;
  SOMETIMES(call.engine(), kNotifyWaits);
  switch (co_await call.wait(slot)) {
    case Wake::kCancelled:
      co_return NtStatus::kCancelled;
    default:
      // The handle is gone: success without entries, told apart by its status.
      co_return call.reply(wire::ChangeNotifyResponse{}, NtStatus::kNotifyCleanup);
  }
}

}  // namespace

Step change_notify(Call call) {
  auto request = wire::ChangeNotifyRequest::parse(call.element());
  if (!request) return request.error();
  Open* open = call.open(request->file_id);
  if (open == nullptr) return call.no_open();
  if (request->output_buffer_length > call.connection()->max_transact)
    return NtStatus::kInvalidParameter;
  if (open->is_pipe() || !open->is_directory) return NtStatus::kInvalidParameter;
  if (!(open->granted_access & wire::kFileListDirectory)) return NtStatus::kAccessDenied;
  return spawn(call, wait_for_change(call, open->id));
}

}  // namespace semblance::smb
