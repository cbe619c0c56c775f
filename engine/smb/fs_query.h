#pragma once
// QUERY_INFO of SMB2_0_INFO_FILESYSTEM: MS-SMB2 3.3.5.20.2, MS-FSCC 2.5.

#include "engine/smb/commands.h"
#include "engine/wire/query_info.h"

namespace semblance::smb {

Step query_file_system(Call call, Open& open, const wire::QueryInfoRequest& request);

}  // namespace semblance::smb
