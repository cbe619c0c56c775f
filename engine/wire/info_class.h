#pragma once
// Info types (MS-SMB2 2.2.37) and information classes (MS-FSCC 2.4, 2.5).

#include <cstdint>

namespace semblance::wire {

enum class InfoType : uint8_t {
  kFile = 0x01,
  kFileSystem = 0x02,
  kSecurity = 0x03,
  kQuota = 0x04,
};

enum class FileInfoClass : uint8_t {
  kDirectory = 1,
  kFullDirectory = 2,
  kBothDirectory = 3,
  kBasic = 4,
  kStandard = 5,
  kInternal = 6,
  kEa = 7,
  kAccess = 8,
  kName = 9,
  kRename = 10,
  kLink = 11,
  kNames = 12,
  kDisposition = 13,
  kPosition = 14,
  kFullEa = 15,
  kMode = 16,
  kAlignment = 17,
  kAll = 18,
  kAllocation = 19,
  kEndOfFile = 20,
  kAlternateName = 21,
  kStream = 22,
  kPipe = 23,
  kPipeLocal = 24,
  kPipeRemote = 25,
  kCompression = 28,
  kObjectId = 29,
  kQuota = 32,
  kReparsePoint = 33,
  kNetworkOpen = 34,
  kAttributeTag = 35,
  kIdBothDirectory = 37,
  kIdFullDirectory = 38,
  kValidDataLength = 39,
  kShortName = 40,
  kNormalizedName = 48,
  kId = 59,
  kIdExtdDirectory = 60,
  kDispositionEx = 64,
  kRenameEx = 65,
};

enum class FsInfoClass : uint8_t {
  kVolume = 1,
  kLabel = 2,
  kSize = 3,
  kDevice = 4,
  kAttribute = 5,
  kControl = 6,
  kFullSize = 7,
  kObjectId = 8,
  kSectorSize = 11,
};

}  // namespace semblance::wire
