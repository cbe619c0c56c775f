#pragma once
// Control codes, MS-SMB2 2.2.31 and MS-FSCC 2.3, and the buffers that MS-SMB2 itself defines.

#include "engine/wire/body.h"
#include "engine/wire/ids.h"
#include "engine/wire/u16_list.h"

namespace semblance::wire {

inline constexpr uint32_t kFsctlDfsGetReferrals = 0x00060194;
inline constexpr uint32_t kFsctlDfsGetReferralsEx = 0x000601B0;
inline constexpr uint32_t kFsctlSetReparsePoint = 0x000900A4;
inline constexpr uint32_t kFsctlGetReparsePoint = 0x000900A8;
inline constexpr uint32_t kFsctlDeleteReparsePoint = 0x000900AC;
inline constexpr uint32_t kFsctlCreateOrGetObjectId = 0x000900C0;
inline constexpr uint32_t kFsctlGetObjectId = 0x0009009C;
inline constexpr uint32_t kFsctlSetObjectId = 0x00090098;
inline constexpr uint32_t kFsctlSetSparse = 0x000900C4;
inline constexpr uint32_t kFsctlSetZeroData = 0x000980C8;
inline constexpr uint32_t kFsctlQueryAllocatedRanges = 0x000940CF;
inline constexpr uint32_t kFsctlFileLevelTrim = 0x00098208;
inline constexpr uint32_t kFsctlDuplicateExtentsToFile = 0x00098344;
inline constexpr uint32_t kFsctlDuplicateExtentsToFileEx = 0x000983E8;
inline constexpr uint32_t kFsctlGetCompression = 0x0009003C;
inline constexpr uint32_t kFsctlSetCompression = 0x0009C040;
inline constexpr uint32_t kFsctlGetIntegrityInformation = 0x0009027C;
inline constexpr uint32_t kFsctlSetIntegrityInformation = 0x0009C280;
inline constexpr uint32_t kFsctlGetRetrievalPointers = 0x00090073;
inline constexpr uint32_t kFsctlGetNtfsVolumeData = 0x00090064;
inline constexpr uint32_t kFsctlFilesystemGetStatistics = 0x00090060;
inline constexpr uint32_t kFsctlIsPathnameValid = 0x0009002C;
inline constexpr uint32_t kFsctlQueryFileRegions = 0x00090284;
inline constexpr uint32_t kFsctlOffloadRead = 0x00094264;
inline constexpr uint32_t kFsctlOffloadWrite = 0x00098268;
inline constexpr uint32_t kFsctlPipePeek = 0x0011400C;
inline constexpr uint32_t kFsctlPipeWait = 0x00110018;
inline constexpr uint32_t kFsctlPipeTransceive = 0x0011C017;
inline constexpr uint32_t kFsctlSrvEnumerateSnapshots = 0x00144064;
inline constexpr uint32_t kFsctlSrvRequestResumeKey = 0x00140078;
inline constexpr uint32_t kFsctlSrvCopychunk = 0x001440F2;
inline constexpr uint32_t kFsctlSrvCopychunkWrite = 0x001480F2;
inline constexpr uint32_t kFsctlSrvReadHash = 0x001441BB;
inline constexpr uint32_t kFsctlLmrRequestResiliency = 0x001401D4;
inline constexpr uint32_t kFsctlQueryNetworkInterfaceInfo = 0x001401FC;
inline constexpr uint32_t kFsctlValidateNegotiateInfo = 0x00140204;

// 2.2.31.4 VALIDATE_NEGOTIATE_INFO Request.
struct ValidateNegotiateInfoRequest {
  uint32_t capabilities = 0;
  Guid guid{};
  uint16_t security_mode = 0;
  U16List dialects;

  static Result<ValidateNegotiateInfoRequest> parse(Bytes input) {
    Reader r(input);
    ValidateNegotiateInfoRequest v;
    v.capabilities = r.u32();
    v.guid = r.array<16>();
    v.security_mode = r.u16();
    v.dialects = {r.bytes(r.u16() * size_t{2})};
    return finish(r, v);
  }
  void build(Builder& b) const {
    b.u32(capabilities);
    b.bytes(guid);
    b.u16(security_mode);
    b.u16(static_cast<uint16_t>(dialects.size()));
    b.bytes(dialects.raw);
  }
};

// 2.2.32.6 VALIDATE_NEGOTIATE_INFO Response.
struct ValidateNegotiateInfoResponse {
  uint32_t capabilities = 0;
  Guid guid{};
  uint16_t security_mode = 0;
  uint16_t dialect = 0;

  static Result<ValidateNegotiateInfoResponse> parse(Bytes output) {
    Reader r(output);
    ValidateNegotiateInfoResponse v;
    v.capabilities = r.u32();
    v.guid = r.array<16>();
    v.security_mode = r.u16();
    v.dialect = r.u16();
    return finish(r, v);
  }
  void build(Builder& b) const {
    b.u32(capabilities);
    b.bytes(guid);
    b.u16(security_mode);
    b.u16(dialect);
  }
};

// 2.2.32.3 SRV_REQUEST_RESUME_KEY Response: 24 opaque bytes, ContextLength 0, one unused context
// of four bytes, as Windows sends it.
struct ResumeKeyResponse {
  static constexpr size_t kSize = 28;  // without the unused context
  std::array<uint8_t, 24> resume_key{};

  static Result<ResumeKeyResponse> parse(Bytes output) {
    Reader r(output);
    ResumeKeyResponse k{r.array<24>()};
    r.skip(4);
    return finish(r, k);
  }
  void build(Builder& b) const {
    b.bytes(resume_key);
    b.u32(0);
    b.u32(0);
  }
};

// 2.2.31.1.1 SRV_COPYCHUNK, 24 bytes.
struct CopyChunk {
  static constexpr size_t kSize = 24;

  uint64_t source_offset = 0;
  uint64_t target_offset = 0;
  uint32_t length = 0;

  void write(Builder& b) const {
    b.u64(source_offset);
    b.u64(target_offset);
    b.u32(length);
    b.u32(0);
  }
};

// 2.2.31.1 SRV_COPYCHUNK_COPY.
struct CopyChunkRequest {
  std::array<uint8_t, 24> source_key{};
  Bytes chunks;  // chunk_count() * CopyChunk::kSize bytes

  size_t chunk_count() const { return chunks.size() / CopyChunk::kSize; }
  // i < chunk_count()
  CopyChunk chunk(size_t i) const {
    const uint8_t* p = chunks.data() + i * CopyChunk::kSize;
    return {load<uint64_t>(p), load<uint64_t>(p + 8), load<uint32_t>(p + 16)};
  }

  static Result<CopyChunkRequest> parse(Bytes input) {
    Reader r(input);
    CopyChunkRequest c;
    c.source_key = r.array<24>();
    size_t count = r.u32();
    r.skip(4);
    if (count > r.remaining() / CopyChunk::kSize) r.fail();
    if (r.ok()) c.chunks = r.bytes(count * CopyChunk::kSize);
    return finish(r, c);
  }
  void build(Builder& b) const {
    b.bytes(source_key);
    b.u32(static_cast<uint32_t>(chunk_count()));
    b.u32(0);
    b.bytes(chunks);
  }
};

// 2.2.32.1 SRV_COPYCHUNK_RESPONSE; with INVALID_PARAMETER the three fields are the server's limits.
struct CopyChunkResponse {
  uint32_t chunks_written = 0;
  uint32_t chunk_bytes_written = 0;
  uint32_t total_bytes_written = 0;

  static Result<CopyChunkResponse> parse(Bytes output) {
    Reader r(output);
    CopyChunkResponse c;
    c.chunks_written = r.u32();
    c.chunk_bytes_written = r.u32();
    c.total_bytes_written = r.u32();
    return finish(r, c);
  }
  void build(Builder& b) const {
    b.u32(chunks_written);
    b.u32(chunk_bytes_written);
    b.u32(total_bytes_written);
  }
};

}  // namespace semblance::wire
