#pragma once
// Create contexts about the open itself: MxAc, QFid, AlSi, TWrp, ExtA, SecD, AAPL,
// AppInstanceId, AppInstanceVersion. A malformed one is STATUS_INVALID_PARAMETER.

#include "engine/base/time.h"
#include "engine/wire/create_contexts.h"
#include "engine/wire/ids.h"

namespace semblance::wire {

// 2.2.13.2.5 SMB2_CREATE_QUERY_MAXIMAL_ACCESS_REQUEST: no data, or a timestamp.
struct MaximalAccessRequest {
  static constexpr std::string_view kTag = kContextMxAc;
  bool has_timestamp = false;
  FileTime timestamp;  // answer only if the file changed since

  static Result<MaximalAccessRequest> parse(Bytes data) {
    if (data.empty()) return MaximalAccessRequest{};
    Reader r(data);
    return finish(r, MaximalAccessRequest{true, {r.u64()}});
  }
  void build(Builder& b) const {
    if (has_timestamp) b.u64(timestamp.ticks);
  }
};

// 2.2.14.2.5 SMB2_CREATE_QUERY_MAXIMAL_ACCESS_RESPONSE
struct MaximalAccessResponse {
  static constexpr std::string_view kTag = kContextMxAc;
  NtStatus query_status = NtStatus::kSuccess;
  uint32_t maximal_access = 0;

  static Result<MaximalAccessResponse> parse(Bytes data) {
    Reader r(data);
    MaximalAccessResponse m;
    m.query_status = static_cast<NtStatus>(r.u32());
    m.maximal_access = r.u32();
    return finish(r, m);
  }
  void build(Builder& b) const {
    b.u32(static_cast<uint32_t>(query_status));
    b.u32(maximal_access);
  }
};

// 2.2.13.2.9 SMB2_CREATE_QUERY_ON_DISK_ID: no data.
struct QueryOnDiskIdRequest {
  static constexpr std::string_view kTag = kContextQFid;

  static Result<QueryOnDiskIdRequest> parse(Bytes) { return QueryOnDiskIdRequest{}; }
  void build(Builder&) const {}
};

// 2.2.14.2.9 SMB2_CREATE_QUERY_ON_DISK_ID, 32 bytes. disk_file_id equals the IndexNumber that
// FileInternalInformation gives: Linux clients compare them.
struct QueryOnDiskIdResponse {
  static constexpr std::string_view kTag = kContextQFid;
  uint64_t disk_file_id = 0;
  uint64_t volume_id = 0;

  static Result<QueryOnDiskIdResponse> parse(Bytes data) {
    Reader r(data);
    QueryOnDiskIdResponse q;
    q.disk_file_id = r.u64();
    q.volume_id = r.u64();
    r.skip(16);
    return finish(r, q);
  }
  void build(Builder& b) const {
    b.u64(disk_file_id);
    b.u64(volume_id);
    b.zeros(16);
  }
};

// 2.2.13.2.6 SMB2_CREATE_ALLOCATION_SIZE
struct AllocationSizeContext {
  static constexpr std::string_view kTag = kContextAlSi;
  uint64_t allocation_size = 0;

  static Result<AllocationSizeContext> parse(Bytes data) {
    Reader r(data);
    return finish(r, AllocationSizeContext{r.u64()});
  }
  void build(Builder& b) const { b.u64(allocation_size); }
};

// 2.2.13.2.7 SMB2_CREATE_TIMEWARP_TOKEN
struct TimewarpContext {
  static constexpr std::string_view kTag = kContextTWrp;
  FileTime timestamp;

  static Result<TimewarpContext> parse(Bytes data) {
    Reader r(data);
    return finish(r, TimewarpContext{{r.u64()}});
  }
  void build(Builder& b) const { b.u64(timestamp.ticks); }
};

// 2.2.13.2.1 SMB2_CREATE_EA_BUFFER: a FileFullEaInformation list, see file_list_info.h.
struct EaBufferContext {
  static constexpr std::string_view kTag = kContextExtA;
  Bytes ea_list;

  static Result<EaBufferContext> parse(Bytes data) { return EaBufferContext{data}; }
  void build(Builder& b) const { b.bytes(ea_list); }
};

// 2.2.13.2.2 SMB2_CREATE_SD_BUFFER: a self-relative security descriptor, MS-DTYP 2.4.6.
struct SecurityDescriptorContext {
  static constexpr std::string_view kTag = kContextSecD;
  Bytes security_descriptor;

  static Result<SecurityDescriptorContext> parse(Bytes data) {
    return SecurityDescriptorContext{data};
  }
  void build(Builder& b) const { b.bytes(security_descriptor); }
};

// 2.2.13.2.13 SMB2_CREATE_APP_INSTANCE_ID, StructureSize 20.
struct AppInstanceIdContext {
  static constexpr std::string_view kTag = kContextAppInstanceId;
  static constexpr uint16_t kStructureSize = 20;
  Guid app_instance_id{};

  static Result<AppInstanceIdContext> parse(Bytes data) {
    Reader r(data);
    if (r.u16() != kStructureSize) r.fail();
    r.skip(2);
    return finish(r, AppInstanceIdContext{r.array<16>()});
  }
  void build(Builder& b) const {
    b.u32(kStructureSize);
    b.bytes(app_instance_id);
  }
};

// 2.2.13.2.15 SMB2_CREATE_APP_INSTANCE_VERSION, StructureSize 24.
struct AppInstanceVersionContext {
  static constexpr std::string_view kTag = kContextAppInstanceVersion;
  static constexpr uint16_t kStructureSize = 24;
  uint64_t app_instance_version_high = 0;
  uint64_t app_instance_version_low = 0;

  static Result<AppInstanceVersionContext> parse(Bytes data) {
    Reader r(data);
    AppInstanceVersionContext a;
    if (r.u16() != kStructureSize) r.fail();
    r.skip(6);
    a.app_instance_version_high = r.u64();
    a.app_instance_version_low = r.u64();
    return finish(r, a);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.zeros(6);
    b.u64(app_instance_version_high);
    b.u64(app_instance_version_low);
  }
};

// Apple's extension (not in MS-SMB2): which of three items the peer wants or has.
inline constexpr uint32_t kAaplServerQuery = 1;
inline constexpr uint64_t kAaplServerCaps = 0x01;
inline constexpr uint64_t kAaplVolumeCaps = 0x02;
inline constexpr uint64_t kAaplModelInfo = 0x04;
// server_capabilities and client_capabilities
inline constexpr uint64_t kAaplSupportsReadDirAttr = 0x01;
inline constexpr uint64_t kAaplSupportsOsxCopyfile = 0x02;
inline constexpr uint64_t kAaplUnixBased = 0x04;
inline constexpr uint64_t kAaplSupportsNfsAce = 0x08;
// volume_capabilities
inline constexpr uint64_t kAaplSupportsResolveId = 0x01;
inline constexpr uint64_t kAaplCaseSensitive = 0x02;
inline constexpr uint64_t kAaplSupportsFullSync = 0x04;

struct AaplRequest {
  static constexpr std::string_view kTag = kContextAapl;
  uint32_t command = kAaplServerQuery;
  uint64_t request_bitmap = 0;
  uint64_t client_capabilities = 0;

  static Result<AaplRequest> parse(Bytes data) {
    Reader r(data);
    AaplRequest a;
    a.command = r.u32();
    r.skip(4);
    a.request_bitmap = r.u64();
    a.client_capabilities = r.u64();
    return finish(r, a);
  }
  void build(Builder& b) const {
    b.u32(command);
    b.u32(0);
    b.u64(request_bitmap);
    b.u64(client_capabilities);
  }
};

// Each item follows the bitmap only if its bit is set there.
struct AaplResponse {
  static constexpr std::string_view kTag = kContextAapl;
  uint32_t command = kAaplServerQuery;
  uint64_t reply_bitmap = 0;
  uint64_t server_capabilities = 0;
  uint64_t volume_capabilities = 0;
  Bytes model;  // UTF-16LE

  static Result<AaplResponse> parse(Bytes data) {
    Reader r(data);
    AaplResponse a;
    a.command = r.u32();
    r.skip(4);
    a.reply_bitmap = r.u64();
    if (a.reply_bitmap & kAaplServerCaps) a.server_capabilities = r.u64();
    if (a.reply_bitmap & kAaplVolumeCaps) a.volume_capabilities = r.u64();
    if (a.reply_bitmap & kAaplModelInfo) {
      r.skip(4);
      a.model = r.bytes(r.u32());
    }
    return finish(r, a);
  }
  void build(Builder& b) const {
    b.u32(command);
    b.u32(0);
    b.u64(reply_bitmap);
    if (reply_bitmap & kAaplServerCaps) b.u64(server_capabilities);
    if (reply_bitmap & kAaplVolumeCaps) b.u64(volume_capabilities);
    if (reply_bitmap & kAaplModelInfo) {
      b.u32(0);
      b.u32(length_u32(model));
      b.bytes(model);
    }
  }
};

}  // namespace semblance::wire
