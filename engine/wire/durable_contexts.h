#pragma once
// Create contexts of durable, resilient and persistent handles: DHnQ, DHnC, DH2Q, DH2C.

#include "engine/wire/create_contexts.h"
#include "engine/wire/ids.h"

namespace semblance::wire {

// Flags of DH2Q (both ways) and DH2C
inline constexpr uint32_t kDurableFlagPersistent = 0x00000002;

// 2.2.13.2.3 SMB2_CREATE_DURABLE_HANDLE_REQUEST: 16 reserved bytes.
struct DurableHandleRequest {
  static constexpr std::string_view kTag = kContextDHnQ;

  static Result<DurableHandleRequest> parse(Bytes data) {
    Reader r(data);
    r.skip(16);
    return finish(r, DurableHandleRequest{});
  }
  void build(Builder& b) const { b.zeros(16); }
};

// 2.2.14.2.3 SMB2_CREATE_DURABLE_HANDLE_RESPONSE: 8 reserved bytes.
struct DurableHandleResponse {
  static constexpr std::string_view kTag = kContextDHnQ;

  static Result<DurableHandleResponse> parse(Bytes data) {
    Reader r(data);
    r.skip(8);
    return finish(r, DurableHandleResponse{});
  }
  void build(Builder& b) const { b.zeros(8); }
};

// 2.2.13.2.4 SMB2_CREATE_DURABLE_HANDLE_RECONNECT. It has no response context.
struct DurableHandleReconnect {
  static constexpr std::string_view kTag = kContextDHnC;
  FileId file_id;

  static Result<DurableHandleReconnect> parse(Bytes data) {
    Reader r(data);
    return finish(r, DurableHandleReconnect{FileId::read(r)});
  }
  void build(Builder& b) const { file_id.write(b); }
};

// 2.2.13.2.11 SMB2_CREATE_DURABLE_HANDLE_REQUEST_V2
struct DurableHandleRequestV2 {
  static constexpr std::string_view kTag = kContextDH2Q;
  uint32_t timeout_ms = 0;  // 0: the server chooses
  uint32_t flags = 0;
  Guid create_guid{};

  static Result<DurableHandleRequestV2> parse(Bytes data) {
    Reader r(data);
    DurableHandleRequestV2 d;
    d.timeout_ms = r.u32();
    d.flags = r.u32();
    r.skip(8);
    d.create_guid = r.array<16>();
    return finish(r, d);
  }
  void build(Builder& b) const {
    b.u32(timeout_ms);
    b.u32(flags);
    b.u64(0);
    b.bytes(create_guid);
  }
};

// 2.2.14.2.12 SMB2_CREATE_DURABLE_HANDLE_RESPONSE_V2
struct DurableHandleResponseV2 {
  static constexpr std::string_view kTag = kContextDH2Q;
  uint32_t timeout_ms = 0;
  uint32_t flags = 0;

  static Result<DurableHandleResponseV2> parse(Bytes data) {
    Reader r(data);
    DurableHandleResponseV2 d;
    d.timeout_ms = r.u32();
    d.flags = r.u32();
    return finish(r, d);
  }
  void build(Builder& b) const {
    b.u32(timeout_ms);
    b.u32(flags);
  }
};

// 2.2.13.2.12 SMB2_CREATE_DURABLE_HANDLE_RECONNECT_V2. It has no response context.
struct DurableHandleReconnectV2 {
  static constexpr std::string_view kTag = kContextDH2C;
  FileId file_id;
  Guid create_guid{};
  uint32_t flags = 0;

  static Result<DurableHandleReconnectV2> parse(Bytes data) {
    Reader r(data);
    DurableHandleReconnectV2 d;
    d.file_id = FileId::read(r);
    d.create_guid = r.array<16>();
    d.flags = r.u32();
    return finish(r, d);
  }
  void build(Builder& b) const {
    file_id.write(b);
    b.bytes(create_guid);
    b.u32(flags);
  }
};

}  // namespace semblance::wire
