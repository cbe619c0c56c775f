#pragma once
// MS-SMB2 2.2.13 SMB2 CREATE Request, 2.2.14 SMB2 CREATE Response.

#include "engine/base/time.h"
#include "engine/wire/access_mask.h"
#include "engine/wire/body.h"
#include "engine/wire/file_attributes.h"
#include "engine/wire/ids.h"

namespace semblance::wire {

enum class OplockLevel : uint8_t {
  kNone = 0x00,
  kLevel2 = 0x01,
  kExclusive = 0x08,
  kBatch = 0x09,
  kLease = 0xFF,
};

enum class ImpersonationLevel : uint32_t {
  kAnonymous = 0,
  kIdentification = 1,
  kImpersonation = 2,
  kDelegate = 3,
};

enum class CreateDisposition : uint32_t {
  kSupersede = 0,
  kOpen = 1,
  kCreate = 2,
  kOpenIf = 3,
  kOverwrite = 4,
  kOverwriteIf = 5,
};

enum class CreateAction : uint32_t {
  kSuperseded = 0,
  kOpened = 1,
  kCreated = 2,
  kOverwritten = 3,
};

inline constexpr uint32_t kFileShareRead = 0x00000001;
inline constexpr uint32_t kFileShareWrite = 0x00000002;
inline constexpr uint32_t kFileShareDelete = 0x00000004;

// CreateOptions
inline constexpr uint32_t kFileDirectoryFile = 0x00000001;
inline constexpr uint32_t kFileWriteThrough = 0x00000002;
inline constexpr uint32_t kFileSequentialOnly = 0x00000004;
inline constexpr uint32_t kFileNoIntermediateBuffering = 0x00000008;
inline constexpr uint32_t kFileSynchronousIoAlert = 0x00000010;
inline constexpr uint32_t kFileSynchronousIoNonalert = 0x00000020;
inline constexpr uint32_t kFileNonDirectoryFile = 0x00000040;
inline constexpr uint32_t kFileCompleteIfOplocked = 0x00000100;
inline constexpr uint32_t kFileNoEaKnowledge = 0x00000200;
inline constexpr uint32_t kFileOpenRemoteInstance = 0x00000400;
inline constexpr uint32_t kFileRandomAccess = 0x00000800;
inline constexpr uint32_t kFileDeleteOnClose = 0x00001000;
inline constexpr uint32_t kFileOpenByFileId = 0x00002000;
inline constexpr uint32_t kFileOpenForBackupIntent = 0x00004000;
inline constexpr uint32_t kFileNoCompression = 0x00008000;
inline constexpr uint32_t kFileOpenRequiringOplock = 0x00010000;
inline constexpr uint32_t kFileDisallowExclusive = 0x00020000;
inline constexpr uint32_t kFileReserveOpfilter = 0x00100000;
inline constexpr uint32_t kFileOpenReparsePoint = 0x00200000;
inline constexpr uint32_t kFileOpenNoRecall = 0x00400000;
inline constexpr uint32_t kFileOpenForFreeSpaceQuery = 0x00800000;

inline constexpr uint8_t kCreateResponseFlagReparsePoint = 0x01;

// StructureSize 57.
//
//     +64 fixed part (56)   +120 name, UTF-16LE | pad to 8 | create contexts
struct CreateRequest {
  static constexpr uint16_t kStructureSize = 57;

  OplockLevel requested_oplock_level{};
  ImpersonationLevel impersonation_level{};
  uint32_t desired_access = 0;
  uint32_t file_attributes = 0;
  uint32_t share_access = 0;
  CreateDisposition create_disposition{};
  uint32_t create_options = 0;
  Bytes name;      // relative to the share's root; empty is the root
  Bytes contexts;  // for CreateContexts

  // An odd NameLength or unaligned contexts are INVALID_PARAMETER (3.3.5.9). Enumerations are not
  // range-checked here.
  static Result<CreateRequest> parse(Bytes element);
  void build(Builder& b) const;
};

// StructureSize 89.
//
//     +64 fixed part (88)   +152 create contexts
struct CreateResponse {
  static constexpr uint16_t kStructureSize = 89;

  OplockLevel oplock_level{};
  uint8_t flags = 0;  // 3.x: kCreateResponseFlagReparsePoint
  CreateAction create_action{};
  FileTime creation_time;
  FileTime last_access_time;
  FileTime last_write_time;
  FileTime change_time;
  uint64_t allocation_size = 0;
  uint64_t end_of_file = 0;
  uint32_t file_attributes = 0;
  FileId file_id;
  Bytes contexts;

  static Result<CreateResponse> parse(Bytes element);
  void build(Builder& b) const;

  // For contexts written in place: build with `contexts` empty, write them behind it with a
  // CreateContextWriter, then call this with the same builder.
  static void finish_contexts(Builder& b);
};

}  // namespace semblance::wire
