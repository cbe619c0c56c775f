#pragma once
// Names are given one after the other. A name exists under any case of its letters, a POSIX
// directory tells them apart, and the folded-name index learns of a new name only when the store
// has answered: so of two requests that give equal names at the same time (CREATE of what is not
// there, rename, link) the second waits until the first is done, and then looks again.

#include <string>

#include "engine/smb/call.h"

namespace semblance::smb {

// False if another request is giving a name that differs from this path only in case; then
// co_await name_released(call), give up unless that yields Wake::kReady, and look again. What was
// claimed is released with the element, if not before.
bool claim_name(Call call, ShareId share, const std::string& path);
void release_name(Call call);

Call::WaitAwaiter name_released(Call call);

}  // namespace semblance::smb
