#pragma once
// Named pipes of IPC$ as SMB2 sees them: MS-SMB2 3.3.5.9 (pipes), 3.3.5.12, 3.3.5.13, 3.3.5.15.3.

#include "engine/smb/commands.h"

namespace semblance::smb {

Step read_pipe(Call call, Open& open, uint32_t length);
Step write_pipe(Call call, Open& open, Bytes data);
// FSCTL_PIPE_TRANSCEIVE: a write, then a read of up to `max_output` bytes into the reply.
Step transceive(Call call, Open& open, Bytes input, uint32_t max_output);

}  // namespace semblance::smb
