#pragma once
// MS-SMB2 2.2.13.1 SMB2 Access Mask Encoding. Files and directories name the same bits differently.

#include <cstdint>

namespace semblance::wire {

inline constexpr uint32_t kFileReadData = 0x00000001;
inline constexpr uint32_t kFileListDirectory = 0x00000001;
inline constexpr uint32_t kFileWriteData = 0x00000002;
inline constexpr uint32_t kFileAddFile = 0x00000002;
inline constexpr uint32_t kFileAppendData = 0x00000004;
inline constexpr uint32_t kFileAddSubdirectory = 0x00000004;
inline constexpr uint32_t kFileReadEa = 0x00000008;
inline constexpr uint32_t kFileWriteEa = 0x00000010;
inline constexpr uint32_t kFileExecute = 0x00000020;
inline constexpr uint32_t kFileTraverse = 0x00000020;
inline constexpr uint32_t kFileDeleteChild = 0x00000040;
inline constexpr uint32_t kFileReadAttributes = 0x00000080;
inline constexpr uint32_t kFileWriteAttributes = 0x00000100;
inline constexpr uint32_t kDelete = 0x00010000;
inline constexpr uint32_t kReadControl = 0x00020000;
inline constexpr uint32_t kWriteDac = 0x00040000;
inline constexpr uint32_t kWriteOwner = 0x00080000;
inline constexpr uint32_t kSynchronize = 0x00100000;
inline constexpr uint32_t kAccessSystemSecurity = 0x01000000;
inline constexpr uint32_t kMaximumAllowed = 0x02000000;
inline constexpr uint32_t kGenericAll = 0x10000000;
inline constexpr uint32_t kGenericExecute = 0x20000000;
inline constexpr uint32_t kGenericWrite = 0x40000000;
inline constexpr uint32_t kGenericRead = 0x80000000;

// What the generic rights mean for files (MS-SMB2 2.2.13.1.1) and everything together.
inline constexpr uint32_t kFileGenericRead =
    kFileReadData | kFileReadAttributes | kFileReadEa | kReadControl | kSynchronize;
inline constexpr uint32_t kFileGenericWrite = kFileWriteData | kFileAppendData |
                                              kFileWriteAttributes | kFileWriteEa | kReadControl |
                                              kSynchronize;
inline constexpr uint32_t kFileGenericExecute =
    kFileExecute | kFileReadAttributes | kReadControl | kSynchronize;
inline constexpr uint32_t kFileAllAccess = 0x001F01FF;

}  // namespace semblance::wire
