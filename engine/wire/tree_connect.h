#pragma once
// MS-SMB2 2.2.9 SMB2 TREE_CONNECT Request, 2.2.10 SMB2 TREE_CONNECT Response.

#include "engine/wire/body.h"

namespace semblance::wire {

// Flags of the request (3.1.1)
inline constexpr uint16_t kTreeConnectFlagClusterReconnect = 0x0001;
inline constexpr uint16_t kTreeConnectFlagRedirectToOwner = 0x0002;
inline constexpr uint16_t kTreeConnectFlagExtensionPresent = 0x0004;

enum class ShareType : uint8_t { kDisk = 0x01, kPipe = 0x02, kPrint = 0x03 };

// ShareFlags
inline constexpr uint32_t kShareFlagManualCaching = 0x00000000;
inline constexpr uint32_t kShareFlagAutoCaching = 0x00000010;
inline constexpr uint32_t kShareFlagVdoCaching = 0x00000020;
inline constexpr uint32_t kShareFlagNoCaching = 0x00000030;
inline constexpr uint32_t kShareFlagDfs = 0x00000001;
inline constexpr uint32_t kShareFlagDfsRoot = 0x00000002;
inline constexpr uint32_t kShareFlagRestrictExclusiveOpens = 0x00000100;
inline constexpr uint32_t kShareFlagForceSharedDelete = 0x00000200;
inline constexpr uint32_t kShareFlagAllowNamespaceCaching = 0x00000400;
inline constexpr uint32_t kShareFlagAccessBasedDirectoryEnum = 0x00000800;
inline constexpr uint32_t kShareFlagForceLevel2Oplock = 0x00001000;
inline constexpr uint32_t kShareFlagEnableHashV1 = 0x00002000;
inline constexpr uint32_t kShareFlagEnableHashV2 = 0x00004000;
inline constexpr uint32_t kShareFlagEncryptData = 0x00008000;
inline constexpr uint32_t kShareFlagIdentityRemoting = 0x00040000;
inline constexpr uint32_t kShareFlagCompressData = 0x00100000;
inline constexpr uint32_t kShareFlagIsolatedTransport = 0x00200000;

// Capabilities of a share
inline constexpr uint32_t kShareCapDfs = 0x00000008;
inline constexpr uint32_t kShareCapContinuousAvailability = 0x00000010;
inline constexpr uint32_t kShareCapScaleout = 0x00000020;
inline constexpr uint32_t kShareCapCluster = 0x00000040;
inline constexpr uint32_t kShareCapAsymmetric = 0x00000080;
inline constexpr uint32_t kShareCapRedirectToOwner = 0x00000100;

// StructureSize 9; the path "\\server\share" in UTF-16LE, at +72 unless an extension (2.2.9.1)
// stands before it. Extensions are not surfaced: they concern clusters.
struct TreeConnectRequest {
  static constexpr uint16_t kStructureSize = 9;

  uint16_t flags = 0;
  Bytes path;

  static Result<TreeConnectRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    TreeConnectRequest t;
    t.flags = r.u16();
    size_t offset = r.u16(), length = r.u16();
    t.path = variable_name(r, kStructureSize, offset, length);
    return finish(r, t);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u16(flags);
    b.u16(variable_offset(kStructureSize));
    b.u16(length_u16(path));
    at_least_one_byte(b, path);
  }
};

// StructureSize 16, no variable part.
struct TreeConnectResponse {
  static constexpr uint16_t kStructureSize = 16;

  ShareType share_type{};
  uint32_t share_flags = 0;
  uint32_t capabilities = 0;
  uint32_t maximal_access = 0;

  static Result<TreeConnectResponse> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    TreeConnectResponse t;
    t.share_type = static_cast<ShareType>(r.u8());
    r.skip(1);
    t.share_flags = r.u32();
    t.capabilities = r.u32();
    t.maximal_access = r.u32();
    return finish(r, t);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u8(static_cast<uint8_t>(share_type));
    b.u8(0);
    b.u32(share_flags);
    b.u32(capabilities);
    b.u32(maximal_access);
  }
};

}  // namespace semblance::wire
