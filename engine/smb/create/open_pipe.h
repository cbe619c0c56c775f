#pragma once
// CREATE in IPC$: MS-SMB2 3.3.5.9, "if the share type is SHARE_TYPE_PIPE".

#include "engine/smb/commands.h"

namespace semblance::smb {

Step open_pipe(Call call);

}  // namespace semblance::smb
