// MS-SMB2 3.3.5.20 Receiving an SMB2 QUERY_INFO Request.

#include "engine/wire/query_info.h"

#include "engine/smb/commands.h"
#include "engine/smb/file_query.h"
#include "engine/smb/fs_query.h"
#include "engine/smb/security_info.h"

namespace semblance::smb {

Step query_info(Call call) {
  auto request = wire::QueryInfoRequest::parse(call.element());
  if (!request) return request.error();
  Open* open = call.open(request->file_id);
  if (open == nullptr) return call.no_open();
  if (request->output_buffer_length > call.connection()->max_transact)
    return NtStatus::kInvalidParameter;
  switch (request->info_type) {
    case wire::InfoType::kFile:
      return query_file(call, *open, *request);
    case wire::InfoType::kFileSystem:
      return query_file_system(call, *open, *request);
    case wire::InfoType::kSecurity:
      return query_security(call, *open, *request);
    case wire::InfoType::kQuota:
      return NtStatus::kNotSupported;
  }
  return NtStatus::kInvalidParameter;
}

// 3.3.5.20.1: a fixed part that does not fit is INFO_LENGTH_MISMATCH, a variable part that does not
// is cut off with BUFFER_OVERFLOW.
Outcome answer_info(Call call, Bytes info, size_t fixed_size, uint32_t output_length) {
  if (output_length < fixed_size) return NtStatus::kInfoLengthMismatch;
  bool cut = info.size() > output_length;
  wire::QueryInfoResponse response{cut ? info.first(output_length) : info};
  return call.reply(response, cut ? NtStatus::kBufferOverflow : NtStatus::kSuccess);
}

}  // namespace semblance::smb
