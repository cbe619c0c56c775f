#pragma once
// NTSTATUS values, MS-ERREF 2.3: the ones this server sends or understands.

#include <cstdint>
#include <expected>
#include <string_view>

namespace semblance {

enum class NtStatus : uint32_t {
  kSuccess = 0x00000000,
  kPending = 0x00000103,
  kNotifyCleanup = 0x0000010B,
  kNotifyEnumDir = 0x0000010C,
  kBufferOverflow = 0x80000005,
  kNoMoreFiles = 0x80000006,
  kStoppedOnSymlink = 0x8000002D,
  kUnsuccessful = 0xC0000001,
  kNotImplemented = 0xC0000002,
  kInvalidInfoClass = 0xC0000003,
  kInfoLengthMismatch = 0xC0000004,
  kInvalidHandle = 0xC0000008,
  kInvalidParameter = 0xC000000D,
  kNoSuchFile = 0xC000000F,
  kInvalidDeviceRequest = 0xC0000010,
  kEndOfFile = 0xC0000011,
  kMoreProcessingRequired = 0xC0000016,
  kAccessDenied = 0xC0000022,
  kBufferTooSmall = 0xC0000023,
  kObjectNameInvalid = 0xC0000033,
  kObjectNameNotFound = 0xC0000034,
  kObjectNameCollision = 0xC0000035,
  kObjectPathInvalid = 0xC0000039,
  kObjectPathNotFound = 0xC000003A,
  kObjectPathSyntaxBad = 0xC000003B,
  kSharingViolation = 0xC0000043,
  kQuotaExceeded = 0xC0000044,
  kFileLockConflict = 0xC0000054,
  kLockNotGranted = 0xC0000055,
  kDeletePending = 0xC0000056,
  kInvalidOwner = 0xC000005A,
  kPrivilegeNotHeld = 0xC0000061,
  kWrongPassword = 0xC000006A,
  kLogonFailure = 0xC000006D,
  kAccountRestriction = 0xC000006E,
  kPasswordExpired = 0xC0000071,
  kAccountDisabled = 0xC0000072,
  kRangeNotLocked = 0xC000007E,
  kDiskFull = 0xC000007F,
  kInsufficientResources = 0xC000009A,
  kMediaWriteProtected = 0xC00000A2,
  kPipeNotAvailable = 0xC00000AC,
  kPipeBusy = 0xC00000AE,
  kPipeDisconnected = 0xC00000B0,
  kIoTimeout = 0xC00000B5,
  kFileIsADirectory = 0xC00000BA,
  kNotSupported = 0xC00000BB,
  kNetworkNameDeleted = 0xC00000C9,
  kNetworkAccessDenied = 0xC00000CA,
  kBadDeviceType = 0xC00000CB,
  kBadNetworkName = 0xC00000CC,
  kRequestNotAccepted = 0xC00000D0,
  kNotSameDevice = 0xC00000D4,
  kInternalError = 0xC00000E5,
  kDirectoryNotEmpty = 0xC0000101,
  kNotADirectory = 0xC0000103,
  kNameTooLong = 0xC0000106,
  kFilesOpen = 0xC0000107,
  kTooManyOpenedFiles = 0xC000011F,
  kCancelled = 0xC0000120,
  kCannotDelete = 0xC0000121,
  kFileDeleted = 0xC0000123,
  kFileClosed = 0xC0000128,
  kInvalidLogonType = 0xC000010B,
  kDeviceDataError = 0xC000009C,
  kPathNotCovered = 0xC0000257,
  kNetworkSessionExpired = 0xC000035C,
  kInvalidLockRange = 0xC00001A1,
  kUserSessionDeleted = 0xC0000203,
  kNotFound = 0xC0000225,
  kInsufficientServerResources = 0xC0000205,
  kRetry = 0xC000022D,
  kNotAReparsePoint = 0xC0000275,
  kInvalidViewSize = 0xC000001F,
  kFileNotAvailable = 0xC0000467,
  kInvalidOplockProtocol = 0xC00000E3,
  kDuplicateObjectId = 0xC000022A,
  kServerUnavailable = 0xC0000466,
  kHashNotPresent = 0xC000A101,
  kInvalidUserBuffer = 0xC00000E8,
  kEasNotSupported = 0xC000004F,
  kFsDriverRequired = 0xC000019C,
};

// Severity bits 30-31 are 3 for errors. Warnings (BUFFER_OVERFLOW, NO_MORE_FILES) are not errors.
constexpr bool is_error(NtStatus status) { return (static_cast<uint32_t>(status) >> 30) == 3; }

// The MS-ERREF name without its STATUS_ prefix, for logs; "UNKNOWN" otherwise.
std::string_view status_name(NtStatus status);

template <typename T>
using Result = std::expected<T, NtStatus>;

inline std::unexpected<NtStatus> fail(NtStatus status) { return std::unexpected(status); }

}  // namespace semblance
