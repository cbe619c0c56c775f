#include "io/store/store_error.h"

#include <cerrno>

namespace semblance {

StoreError store_error(int error, ErrnoFrom from) {
  switch (error) {
    case 0:
      return StoreError::kNone;
    case ENOENT:
      return StoreError::kNotFound;
    case ENOTDIR:
      return StoreError::kNotDirectory;
    case EISDIR:
      return StoreError::kIsDirectory;
    case EEXIST:
      return StoreError::kExists;
    case ENOTEMPTY:
      return StoreError::kNotEmpty;
    case EACCES:
    case EPERM:
      return StoreError::kAccess;
    case EROFS:
      return StoreError::kReadOnly;
    case ENOSPC:
      return StoreError::kNoSpace;
    case EDQUOT:
      return StoreError::kQuota;
    case EFBIG:
    case EOVERFLOW:
    case EMLINK:
      return StoreError::kTooLarge;
    case ENAMETOOLONG:
      return StoreError::kNameTooLong;
    case EILSEQ:
    case EINVAL:
      return StoreError::kInvalidName;
    case ELOOP:
      return StoreError::kSymlink;
    case EXDEV:
      return from == ErrnoFrom::kResolve ? StoreError::kEscapes : StoreError::kCrossDevice;
    case EBUSY:
    case ETXTBSY:
    case EAGAIN:  // openat2 beneath a root: something was renamed under it, again and again
      return StoreError::kBusy;
    case EMFILE:
    case ENFILE:
      return StoreError::kTooManyOpen;
    case ENOMEM:
      return StoreError::kNoMemory;
    case ESTALE:
    case EBADF:
      return StoreError::kStale;
    case EOPNOTSUPP:
    case ENOSYS:
    case ENOTTY:
      return StoreError::kNotSupported;
    case ENXIO:
    case ENODEV:
      return StoreError::kSpecialFile;
    case ECANCELED:
      return StoreError::kCancelled;
    default:
      return StoreError::kIo;
  }
}

}  // namespace semblance
