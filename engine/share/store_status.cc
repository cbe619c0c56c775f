#include "engine/share/store_status.h"

namespace semblance::share {

NtStatus status_of(StoreError error) {
  switch (error) {
    case StoreError::kNone:
      return NtStatus::kSuccess;
    case StoreError::kNotFound:
      return NtStatus::kObjectNameNotFound;
    case StoreError::kNotDirectory:
      return NtStatus::kObjectPathNotFound;
    case StoreError::kIsDirectory:
      return NtStatus::kFileIsADirectory;
    case StoreError::kExists:
      return NtStatus::kObjectNameCollision;
    case StoreError::kNotEmpty:
      return NtStatus::kDirectoryNotEmpty;
    case StoreError::kAccess:
    case StoreError::kSpecialFile:
    case StoreError::kEscapes:
    case StoreError::kSymlink:
      return NtStatus::kAccessDenied;
    case StoreError::kReadOnly:
      return NtStatus::kMediaWriteProtected;
    case StoreError::kNoSpace:
    case StoreError::kTooLarge:
      return NtStatus::kDiskFull;
    case StoreError::kQuota:
      return NtStatus::kQuotaExceeded;
    case StoreError::kNameTooLong:
    case StoreError::kInvalidName:
      return NtStatus::kObjectNameInvalid;
    case StoreError::kCrossDevice:
      return NtStatus::kNotSameDevice;
    case StoreError::kBusy:
      return NtStatus::kSharingViolation;
    case StoreError::kTooManyOpen:
      return NtStatus::kTooManyOpenedFiles;
    case StoreError::kNoMemory:
      return NtStatus::kInsufficientResources;
    case StoreError::kStale:
      return NtStatus::kFileClosed;
    case StoreError::kIo:
      return NtStatus::kDeviceDataError;
    case StoreError::kNotSupported:
      return NtStatus::kNotSupported;
    case StoreError::kCancelled:
      return NtStatus::kCancelled;
  }
  return NtStatus::kInternalError;
}

}  // namespace semblance::share
