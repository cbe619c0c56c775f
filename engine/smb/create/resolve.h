#pragma once
// The second step of CREATE, and of rename: from the client's spelling to the stored one.

#include <string>

#include "engine/smb/call.h"
#include "engine/smb/directory_change.h"

namespace semblance::smb {

// Where a path leads that does not exist exactly as spelled.
struct Resolution {
  // kSuccess: `path` exists, in another spelling. kObjectNameNotFound: only its last component is
  // missing, `path` is where it would be created. Else: the way there is missing or barred.
  NtStatus status = NtStatus::kInternalError;
  std::string path;
  DirectoryChange change;   // of the parent, for a creation that follows at once
};
inline Resolution out_of_frames(Resolution*) { return {NtStatus::kInsufficientResources, {}, {}}; }

// For a path whose exact spelling the store did not find. One stat when the parent exists as spelled and
// its names are known; a walk from the root, a stat for each component, when it does not.
Task<Resolution> resolve(Call call, ShareId share, std::string path);

}  // namespace semblance::smb
