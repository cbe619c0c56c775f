#pragma once
// MS-FSCC 2.6 File Attributes.

#include <cstdint>

namespace semblance::wire {

inline constexpr uint32_t kFileAttributeReadonly = 0x00000001;
inline constexpr uint32_t kFileAttributeHidden = 0x00000002;
inline constexpr uint32_t kFileAttributeSystem = 0x00000004;
inline constexpr uint32_t kFileAttributeDirectory = 0x00000010;
inline constexpr uint32_t kFileAttributeArchive = 0x00000020;
inline constexpr uint32_t kFileAttributeNormal = 0x00000080;
inline constexpr uint32_t kFileAttributeTemporary = 0x00000100;
inline constexpr uint32_t kFileAttributeSparseFile = 0x00000200;
inline constexpr uint32_t kFileAttributeReparsePoint = 0x00000400;
inline constexpr uint32_t kFileAttributeCompressed = 0x00000800;
inline constexpr uint32_t kFileAttributeOffline = 0x00001000;
inline constexpr uint32_t kFileAttributeNotContentIndexed = 0x00002000;
inline constexpr uint32_t kFileAttributeEncrypted = 0x00004000;
inline constexpr uint32_t kFileAttributeIntegrityStream = 0x00008000;
inline constexpr uint32_t kFileAttributeNoScrubData = 0x00020000;
inline constexpr uint32_t kFileAttributeRecallOnOpen = 0x00040000;
inline constexpr uint32_t kFileAttributePinned = 0x00080000;
inline constexpr uint32_t kFileAttributeUnpinned = 0x00100000;
inline constexpr uint32_t kFileAttributeRecallOnDataAccess = 0x00400000;

}  // namespace semblance::wire
