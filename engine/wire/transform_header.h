#pragma once
// MS-SMB2 2.2.41 SMB2 TRANSFORM_HEADER, 2.2.42 SMB2 COMPRESSION_TRANSFORM_HEADER.

#include "engine/wire/header.h"

namespace semblance::wire {

inline constexpr size_t kTransformHeaderSize = 52;
inline constexpr size_t kTransformSignatureAt = 4;
inline constexpr size_t kTransformNonceAt = 20;  // the additional authenticated data begins here
inline constexpr uint16_t kTransformEncrypted = 0x0001;

//     +0 FD 'SMB'  +4 Signature (16)  +20 Nonce (16)  +36 OriginalMessageSize
//     +40 Reserved +42 Flags          +44 SessionId   +52 ciphertext
//                                     [--- AAD is +20..+52 ---]
struct TransformHeader {
  std::array<uint8_t, 16> signature{};
  std::array<uint8_t, 16> nonce{};  // 11 bytes count for CCM, 12 for GCM
  uint32_t original_message_size = 0;
  uint16_t flags = kTransformEncrypted;  // EncryptionAlgorithm in 3.0 and 3.0.2; 1 as well
  uint64_t session_id = 0;

  // Checks ProtocolId and size; OriginalMessageSize is left to the caller (3.3.5.2.1.1).
  static Result<TransformHeader> parse(Bytes message) {
    Reader r(message);
    TransformHeader t;
    if (r.u32() != kProtocolIdTransform) r.fail();
    t.signature = r.array<16>();
    t.nonce = r.array<16>();
    t.original_message_size = r.u32();
    r.skip(2);
    t.flags = r.u16();
    t.session_id = r.u64();
    return finish(r, t);
  }
  void build(Builder& b) const {
    b.u32(kProtocolIdTransform);
    b.bytes(signature);
    b.bytes(nonce);
    b.u32(original_message_size);
    b.u16(0);
    b.u16(flags);
    b.u64(session_id);
  }
};

// The unchained form, which the first 16 bytes of the chained one share.
struct CompressionHeader {
  uint32_t original_compressed_segment_size = 0;
  uint16_t compression_algorithm = 0;
  uint16_t flags = 0;   // 1: chained
  uint32_t offset = 0;  // of the compressed data behind this header; "Length" when chained

  static Result<CompressionHeader> parse(Bytes message) {
    Reader r(message);
    CompressionHeader c;
    if (r.u32() != kProtocolIdCompression) r.fail();
    c.original_compressed_segment_size = r.u32();
    c.compression_algorithm = r.u16();
    c.flags = r.u16();
    c.offset = r.u32();
    return finish(r, c);
  }
  void build(Builder& b) const {
    b.u32(kProtocolIdCompression);
    b.u32(original_compressed_segment_size);
    b.u16(compression_algorithm);
    b.u16(flags);
    b.u32(offset);
  }
};

}  // namespace semblance::wire
