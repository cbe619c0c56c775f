#pragma once
// FileRenameInformation and FileLinkInformation: MS-FSA 2.1.5.15.11, 2.1.5.15.6.

#include "engine/smb/commands.h"

namespace semblance::smb {

Step rename(Call call, Open& open, Bytes buffer);
Step hard_link(Call call, Open& open, Bytes buffer);

}  // namespace semblance::smb
