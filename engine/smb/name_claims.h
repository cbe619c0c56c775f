#pragma once
// What must not happen to a name while a request is on its way with it.
//
// Names are given one after the other. A name exists under any case of its letters, a POSIX
// directory tells them apart, and the folded-name index learns of a new name only when the store
// has answered: so of two requests that give equal names at the same time (CREATE of what is not
// there, rename, link) the second waits until the first is done, and then looks again.
//
// A directory is renamed while no CREATE is on its way: what that opens would be known by a path
// that leads nowhere.
//
// A claim that fails has somebody in its way: co_await claims_released(call), give up unless that
// yields Wake::kReady, and try again. Paths are claimed before names. What was claimed is released
// with the element, if not before.

#include <string>

#include "engine/smb/call.h"

namespace semblance::smb {

// For the giving of a name.
bool claim_name(Call call, ShareId share, const std::string& path);
// For a CREATE: paths stay what they are.
bool enter_paths(Call call);
// For the rename of a directory. Keeps others from entering even when it fails.
bool claim_paths(Call call);

void release_name(Call call);
void release_claims(Call call);

Call::WaitAwaiter claims_released(Call call);

}  // namespace semblance::smb
