#pragma once
// Connection-oriented DCE/RPC PDUs, version 5 (C706 12.6, MS-RPCE 2.2.2), little-endian only. No
// security trailers: the SMB session below has authenticated already.

#include <optional>
#include <span>

#include "engine/base/bytes.h"
#include "engine/wire/builder.h"
#include "engine/wire/reader.h"

namespace semblance::wire::dcerpc {

enum class PduType : uint8_t {
  kRequest = 0,
  kResponse = 2,
  kFault = 3,
  kBind = 11,
  kBindAck = 12,
  kBindNak = 13,
  kAlterContext = 14,
  kAlterContextResp = 15,
  kAuth3 = 16,
  kCoCancel = 18,
  kOrphaned = 19,
};

inline constexpr uint8_t kFirstFragment = 0x01;
inline constexpr uint8_t kLastFragment = 0x02;
inline constexpr uint8_t kObjectUuid = 0x80;

// The header that all PDUs begin with, C706 12.6.3.1:
//
//     0       1     2     3     4         8           10          12      16
//     | vers 5 | minor | type | flags | drep(4) | frag_length | auth_length | call_id |
struct Header {
  static constexpr size_t kSize = 16;

  PduType type{};
  uint8_t flags = 0;
  uint16_t fragment_size = 0;  // of the whole PDU
  uint16_t auth_size = 0;
  uint32_t call_id = 0;

  bool first() const { return flags & kFirstFragment; }
  bool last() const { return flags & kLastFragment; }

  // From at least kSize bytes. None for another version or byte order, or a size below kSize.
  static std::optional<Header> parse(Bytes pdu);
  void build(Builder& out) const;
};

struct Syntax {
  std::array<uint8_t, 16> uuid{};
  uint32_t version = 0;  // minor in the upper half

  bool operator==(const Syntax&) const = default;
};

inline constexpr Syntax kNdr32{{0x04, 0x5D, 0x88, 0x8A, 0xEB, 0x1C, 0xC9, 0x11, 0x9F, 0xE8, 0x08,
                                0x00, 0x2B, 0x10, 0x48, 0x60},
                               2};

// The BindTimeFeatureNegotiationBitmask, MS-RPCE 3.3.1.5.3, when the syntax is one: its first byte.
inline constexpr uint8_t kSecurityContextMultiplexing = 0x01;
inline constexpr uint8_t kKeepConnectionOnOrphan = 0x02;
std::optional<uint8_t> bind_time_features(const Syntax& syntax);

// bind and alter_context bodies, C706 12.6.4.3. Elements are read one at a time, as there can be
// many.
struct Bind {
  uint16_t transmit_size_max = 0;
  uint16_t receive_size_max = 0;
  uint32_t association_group = 0;
  uint8_t context_count = 0;
  Bytes contexts;  // for next_context()

  static std::optional<Bind> parse(Bytes body);
};
struct ContextElement {
  uint16_t id = 0;
  Syntax abstract_syntax;
  bool offers_ndr32 = false;
  std::optional<uint8_t> features;  // a lone bind time feature negotiation syntax
};
// Fails the reader when the element does not fit.
ContextElement next_context(Reader& contexts);

enum class ContextOutcome : uint16_t {
  kAcceptance = 0,
  kProviderRejection = 2,
  kNegotiateAck = 3,  // `reason` is then the bitmask of accepted features
};
enum class RejectReason : uint16_t {
  kNone = 0,
  kAbstractSyntaxNotSupported = 1,
  kTransferSyntaxesNotSupported = 2,
  kLocalLimitExceeded = 3,
};
struct ContextResult {
  ContextOutcome outcome = ContextOutcome::kAcceptance;
  uint16_t reason = 0;
};

// The whole bind_ack or alter_context_resp. `secondary_address` is the pipe's path
// ("\PIPE\srvsvc"), empty for alter_context_resp.
struct BindAck {
  PduType type = PduType::kBindAck;
  uint32_t call_id = 0;
  uint16_t fragment_size_max = 0;  // both directions
  uint32_t association_group = 0;
  std::string_view secondary_address;
  std::span<const ContextResult> results;

  void build(Builder& out) const;
};

enum class NakReason : uint16_t {
  kNotSpecified = 0,
  kLocalLimitExceeded = 2,
  kProtocolVersionNotSupported = 4,
  kAuthenticationTypeNotRecognized = 8,
};
void build_bind_nak(Builder& out, uint32_t call_id, NakReason reason);

// request body, C706 12.6.4.9. The stub ends where the PDU does.
struct Request {
  uint16_t context_id = 0;
  uint16_t opnum = 0;
  Bytes stub;

  static std::optional<Request> parse(Bytes body, uint8_t header_flags);
};

// Room that a response PDU takes beside its piece of the stub.
inline constexpr size_t kResponseOverhead = 24;

// One fragment of a response. `left` is the stub size from this fragment on (alloc_hint).
void build_response(Builder& out, uint8_t flags, uint32_t call_id, uint16_t context_id, size_t left,
                    Bytes stub);

// Status of a fault PDU: C706 appendix E, or a Win32 error, as Windows sends.
enum class Fault : uint32_t {
  kNone = 0,
  kAccessDenied = 0x00000005,
  kBadStubData = 0x000006F7,
  kOperationRange = 0x1C010002,
  kUnknownInterface = 0x1C010003,
  kProtocolError = 0x1C01000B,
  kRemoteNoMemory = 0x1C00001B,
};
void build_fault(Builder& out, uint32_t call_id, uint16_t context_id, Fault status);

}  // namespace semblance::wire::dcerpc
