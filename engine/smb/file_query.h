#pragma once
// QUERY_INFO of SMB2_0_INFO_FILE: MS-SMB2 3.3.5.20.1, MS-FSA 2.1.5.12.

#include "engine/smb/commands.h"
#include "engine/wire/query_info.h"

namespace semblance::smb {

Step query_file(Call call, Open& open, const wire::QueryInfoRequest& request);

// Writes an information structure into the reply, cut to the client's buffer where the class allows.
Outcome answer_info(Call call, Bytes info, size_t fixed_size, uint32_t output_length);

}  // namespace semblance::smb
