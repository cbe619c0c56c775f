#pragma once
// MS-SMB2 2.2.1 SMB2 Packet Header.

#include "engine/wire/body.h"

namespace semblance::wire {

enum class Command : uint16_t {
  kNegotiate = 0x00,
  kSessionSetup = 0x01,
  kLogoff = 0x02,
  kTreeConnect = 0x03,
  kTreeDisconnect = 0x04,
  kCreate = 0x05,
  kClose = 0x06,
  kFlush = 0x07,
  kRead = 0x08,
  kWrite = 0x09,
  kLock = 0x0A,
  kIoctl = 0x0B,
  kCancel = 0x0C,
  kEcho = 0x0D,
  kQueryDirectory = 0x0E,
  kChangeNotify = 0x0F,
  kQueryInfo = 0x10,
  kSetInfo = 0x11,
  kOplockBreak = 0x12,
};
inline constexpr size_t kCommandCount = 19;

// Header::flags
inline constexpr uint32_t kFlagServerToRedir = 0x00000001;
inline constexpr uint32_t kFlagAsyncCommand = 0x00000002;
inline constexpr uint32_t kFlagRelatedOperations = 0x00000004;
inline constexpr uint32_t kFlagSigned = 0x00000008;
inline constexpr uint32_t kFlagPriorityMask = 0x00000070;
inline constexpr uint32_t kFlagDfsOperations = 0x10000000;
inline constexpr uint32_t kFlagReplayOperation = 0x20000000;

// Oplock break notifications carry it: they answer no request.
inline constexpr uint64_t kUnsolicitedMessageId = UINT64_MAX;

inline constexpr uint32_t kProtocolIdSmb2 = 0x424D53FE;         // FE 'S' 'M' 'B'
inline constexpr uint32_t kProtocolIdSmb1 = 0x424D53FF;         // FF 'S' 'M' 'B'
inline constexpr uint32_t kProtocolIdTransform = 0x424D53FD;    // FD 'S' 'M' 'B'
inline constexpr uint32_t kProtocolIdCompression = 0x424D53FC;  // FC 'S' 'M' 'B'

// The first four bytes of a message, 0 if it is shorter.
inline uint32_t protocol_id(Bytes message) { return Reader(message).u32(); }

// Where fields stand that signing, compounding and crediting touch after the build.
inline constexpr size_t kHeaderCreditsAt = 14;
inline constexpr size_t kHeaderFlagsAt = 16;
inline constexpr size_t kHeaderNextCommandAt = 20;
inline constexpr size_t kHeaderSignatureAt = 48;
inline constexpr size_t kHeaderSignatureSize = 16;

//     +0 FE 'SMB'   +4 StructureSize 64   +6 CreditCharge   +8 Status | ChannelSequence, Reserved
//     +12 Command   +14 Credits           +16 Flags         +20 NextCommand   +24 MessageId
//     +32 AsyncId (8) if ASYNC_COMMAND, else Reserved (4) and TreeId (4)
//     +40 SessionId +48 Signature (16)
struct Header {
  uint16_t credit_charge = 0;
  // NTSTATUS in a response. In a request of dialect 3.x its low half is ChannelSequence.
  uint32_t status = 0;
  Command command{};
  uint16_t credits = 0;  // requested or granted
  uint32_t flags = 0;
  uint32_t next_command = 0;  // 0 in the last element of a compound
  uint64_t message_id = 0;
  uint64_t async_id = 0;    // with kFlagAsyncCommand only
  uint32_t process_id = 0;  // "Reserved"; without kFlagAsyncCommand only
  uint32_t tree_id = 0;     // without kFlagAsyncCommand only
  uint64_t session_id = 0;
  std::array<uint8_t, 16> signature{};

  bool is_async() const { return (flags & kFlagAsyncCommand) != 0; }
  bool is_response() const { return (flags & kFlagServerToRedir) != 0; }
  bool is_related() const { return (flags & kFlagRelatedOperations) != 0; }
  bool is_signed() const { return (flags & kFlagSigned) != 0; }
  NtStatus nt_status() const { return static_cast<NtStatus>(status); }
  uint16_t channel_sequence() const { return static_cast<uint16_t>(status); }

  // Checks ProtocolId, StructureSize and that 64 bytes are there. Whether the command is known and
  // where NextCommand points is the connection's business (3.3.5.2).
  static Result<Header> parse(Bytes element);
  void build(Builder& b) const;
};

}  // namespace semblance::wire
