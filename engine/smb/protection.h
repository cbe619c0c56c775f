#pragma once
// Security descriptors of objects in the store, and what they allow the session of a request.

#include "engine/share/security.h"
#include "engine/smb/call.h"

namespace semblance::smb {

// Whose request it is; USER_SESSION_DELETED when the session is gone.
Result<share::Token> token_of(Call call);

// An object: by its handle or, without one, by its path; the path leads to its parent too.
struct Protected {
  StoreHandle handle = StoreHandle::kNone;
  ShareId share = ShareId::kNone;
  std::string path;
};

struct Protection {
  NtStatus status = NtStatus::kInternalError;
  std::unique_ptr<const share::SecurityDescriptor> descriptor;  // none: everybody's

  static Protection out_of_frames() { return {NtStatus::kInsufficientResources, nullptr}; }
};

// Reads the descriptor of an object whose stat says that it has one. A descriptor that can't be
// read or understood is an error, never taken for none.
Task<Protection> read_protection(Call call, Protected object);
// The same for an object that may have one: one stat more.
Task<Protection> find_protection(Call call, Protected object);

struct Rights {
  NtStatus status = NtStatus::kInternalError;
  uint32_t granted = 0;

  static Rights out_of_frames() { return {NtStatus::kInsufficientResources, 0}; }
};

// What the session may do with an object that has a descriptor. Its parent, whose rights allow
// deleting it and reading its attributes too, is only looked at when that is `wanted` and not
// granted already.
Task<Rights> rights_on(Call call, Protected object, uint32_t wanted);

// Whether the session may make (or move) a name in the directory. MS-FSA 2.1.5.1.1.
NtStatus check_addition(const Protection& directory, FileKind kind, const share::Token& token);

// The stored form; nothing if it became too large to be kept.
std::optional<std::vector<uint8_t>> encoded(const share::SecurityDescriptor& descriptor);

}  // namespace semblance::smb
