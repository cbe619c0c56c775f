#pragma once
// MS-SMB2 2.2.3 SMB2 NEGOTIATE Request, 2.2.4 SMB2 NEGOTIATE Response.

#include "engine/base/time.h"
#include "engine/wire/body.h"
#include "engine/wire/ids.h"
#include "engine/wire/u16_list.h"

namespace semblance::wire {

enum class Dialect : uint16_t {
  kSmb202 = 0x0202,
  kSmb210 = 0x0210,
  kSmb300 = 0x0300,
  kSmb302 = 0x0302,
  kSmb311 = 0x0311,
  kSmb2Wildcard = 0x02FF,  // only in the answer to a multi-protocol negotiate
};

// SecurityMode
inline constexpr uint16_t kNegotiateSigningEnabled = 0x0001;
inline constexpr uint16_t kNegotiateSigningRequired = 0x0002;

// Capabilities, of both sides
inline constexpr uint32_t kGlobalCapDfs = 0x00000001;
inline constexpr uint32_t kGlobalCapLeasing = 0x00000002;
inline constexpr uint32_t kGlobalCapLargeMtu = 0x00000004;
inline constexpr uint32_t kGlobalCapMultiChannel = 0x00000008;
inline constexpr uint32_t kGlobalCapPersistentHandles = 0x00000010;
inline constexpr uint32_t kGlobalCapDirectoryLeasing = 0x00000020;
inline constexpr uint32_t kGlobalCapEncryption = 0x00000040;
inline constexpr uint32_t kGlobalCapNotifications = 0x00000080;

// StructureSize 36.
//
//     +64 fixed part (36)   +100 Dialects (2 each) | pad to 8 | NegotiateContexts, each 8-aligned
//
// Bytes +92..+100 are NegotiateContextOffset/Count if 0x0311 is among the dialects, else
// ClientStartTime, which is ignored.
struct NegotiateRequest {
  static constexpr uint16_t kStructureSize = 36;

  uint16_t security_mode = 0;
  uint32_t capabilities = 0;
  Guid client_guid{};
  U16List dialects;
  uint16_t context_count = 0;  // 0 unless 0x0311 is offered
  Bytes contexts;              // up to the end of the element; for NegotiateContexts

  bool offers(Dialect dialect) const { return dialects.contains(static_cast<uint16_t>(dialect)); }

  // DialectCount 0 is INVALID_PARAMETER (3.3.5.4).
  static Result<NegotiateRequest> parse(Bytes element);
  void build(Builder& b) const;
};

// StructureSize 65.
//
//     +64 fixed part (64)   +128 SecurityBuffer | pad to 8 | NegotiateContexts, each 8-aligned
struct NegotiateResponse {
  static constexpr uint16_t kStructureSize = 65;

  uint16_t security_mode = 0;
  Dialect dialect_revision{};
  Guid server_guid{};
  uint32_t capabilities = 0;
  uint32_t max_transact_size = 0;
  uint32_t max_read_size = 0;
  uint32_t max_write_size = 0;
  FileTime system_time;
  FileTime server_start_time;
  Bytes security_buffer;
  uint16_t context_count = 0;  // 0 unless the dialect is 0x0311
  Bytes contexts;              // up to the end of the element

  static Result<NegotiateResponse> parse(Bytes element);
  void build(Builder& b) const;
};

}  // namespace semblance::wire
