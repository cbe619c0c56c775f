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
  DirectoryChange change;              // of the parent, for a creation that follows at once
  bool parent_has_descriptor = false;  // if asked for

  static Resolution out_of_frames() { return {NtStatus::kInsufficientResources, {}, {}, false}; }
};

// For a path whose exact spelling the store did not find. One stat when the parent exists as
// spelled and its names are known; a walk from the root, a stat for each component, when it does
// not. Whether the parent has a security descriptor is only asked for a creation.
enum class ResolveFor : uint8_t { kLooking, kCreating };
Task<Resolution> resolve(Call call, ShareId share, std::string path,
                         ResolveFor purpose = ResolveFor::kLooking);

}  // namespace semblance::smb
