#pragma once
// The steps of CREATE between the name and the answer: open or create the object in the store,
// arbitrate with the other opens of it, bring it into the state the disposition asks for.

#include "engine/smb/create/request.h"
#include "engine/smb/directory_change.h"

namespace semblance::smb {

// An object held open in the store, not yet an Open.
struct Held {
  NtStatus status = NtStatus::kInternalError;
  StoreHandle handle = StoreHandle::kNone;
  FileStat stat;
  std::string path;      // as stored
  uint32_t granted = 0;  // access
  uint32_t maximal = 0;  // access that the session could have had
  bool created = false;

  static Held out_of_frames() {
    Held held;
    held.status = NtStatus::kInsufficientResources;
    return held;
  }
};

// Finds or creates what the wish names. MS-FSA 2.1.5.1.
Task<Held> hold(Call call, ShareId share, CreateWish wish);

// Joins the other opens of the file and becomes an Open of the call's tree; the handle is given
// back when that fails. MS-FSA 2.1.5.1.2.2, MS-SMB2 3.3.5.9.
Result<OpenSlot> admit(Call call, ShareId share, const CreateWish& wish, const Held& held);

}  // namespace semblance::smb
