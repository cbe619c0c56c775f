#pragma once
// QUERY_INFO and SET_INFO of SMB2_0_INFO_SECURITY: MS-SMB2 3.3.5.20.3, 3.3.5.21.3.

#include "engine/smb/commands.h"
#include "engine/wire/query_info.h"
#include "engine/wire/set_info.h"

namespace semblance::smb {

Step query_security(Call call, Open& open, const wire::QueryInfoRequest& request);
Step set_security(Call call, Open& open, const wire::SetInfoRequest& request);

}  // namespace semblance::smb
