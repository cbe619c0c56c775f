#pragma once
// MS-SMB2 2.2.3.1 SMB2 NEGOTIATE_CONTEXT: the list, and the contexts of request and response.
//
//     +0 ContextType (2)  +2 DataLength (2)  +4 Reserved (4)  +8 Data | pad to 8 | next context

#include <optional>

#include "engine/wire/body.h"
#include "engine/wire/u16_list.h"

namespace semblance::wire {

enum class NegotiateContextType : uint16_t {
  kPreauthIntegrity = 0x0001,
  kEncryption = 0x0002,
  kCompression = 0x0003,
  kNetname = 0x0005,
  kTransport = 0x0006,
  kRdmaTransform = 0x0007,
  kSigning = 0x0008,
};

// One context as it stands; unknown types are surfaced like known ones.
struct NegotiateContext {
  NegotiateContextType type{};
  Bytes data;
};

// Walks `count` contexts of `list`, which begins 8-aligned. The last one may lack its padding, and
// bytes behind it are ignored: clients differ in both.
class NegotiateContexts {
 public:
  NegotiateContexts(Bytes list, uint16_t count) : reader_(list), left_(count) {}

  // The next context; nothing at the end or once the list is broken.
  std::optional<NegotiateContext> next();

  // False if the list was broken: STATUS_INVALID_PARAMETER.
  bool ok() const { return reader_.ok(); }

 private:
  Reader reader_;
  uint16_t left_;
};

// Writes a list. Its start must be 8-aligned in the builder; only contexts between are padded.
class NegotiateContextWriter {
 public:
  explicit NegotiateContextWriter(Builder& b) : b_(b) {}

  template <typename Context>
  void add(const Context& context) {
    size_t at = begin(Context::kType);
    context.build(b_);
    end(at);
  }
  void add(const NegotiateContext& raw) {
    size_t at = begin(raw.type);
    b_.bytes(raw.data);
    end(at);
  }
  uint16_t count() const { return count_; }

 private:
  size_t begin(NegotiateContextType type);
  void end(size_t at);

  Builder& b_;
  uint16_t count_ = 0;
};

enum class HashAlgorithm : uint16_t { kSha512 = 0x0001 };
enum class Cipher : uint16_t {
  kNone = 0x0000,
  kAes128Ccm = 0x0001,
  kAes128Gcm = 0x0002,
  kAes256Ccm = 0x0003,
  kAes256Gcm = 0x0004,
};
enum class CompressionAlgorithm : uint16_t {
  kNone = 0x0000,
  kLznt1 = 0x0001,
  kLz77 = 0x0002,
  kLz77Huffman = 0x0003,
  kPatternV1 = 0x0004,
  kLz4 = 0x0005,
};
enum class SigningAlgorithm : uint16_t {
  kHmacSha256 = 0x0000,
  kAesCmac = 0x0001,
  kAesGmac = 0x0002,
};
enum class RdmaTransform : uint16_t { kNone = 0x0000, kEncryption = 0x0001, kSigning = 0x0002 };

// Each parses and builds the Data of its context. Whether a count of 0 is allowed is the server's
// rule (3.3.5.4), not the layout's.

// 2.2.3.1.1 SMB2_PREAUTH_INTEGRITY_CAPABILITIES
struct PreauthIntegrityContext {
  static constexpr auto kType = NegotiateContextType::kPreauthIntegrity;
  U16List hash_algorithms;
  Bytes salt;
  static Result<PreauthIntegrityContext> parse(Bytes data);
  void build(Builder& b) const;
};

// 2.2.3.1.2 SMB2_ENCRYPTION_CAPABILITIES
struct EncryptionContext {
  static constexpr auto kType = NegotiateContextType::kEncryption;
  U16List ciphers;
  static Result<EncryptionContext> parse(Bytes data);
  void build(Builder& b) const;
};

// 2.2.3.1.3 SMB2_COMPRESSION_CAPABILITIES
struct CompressionContext {
  static constexpr auto kType = NegotiateContextType::kCompression;
  static constexpr uint32_t kFlagChained = 0x00000001;
  uint32_t flags = 0;
  U16List compression_algorithms;
  static Result<CompressionContext> parse(Bytes data);
  void build(Builder& b) const;
};

// 2.2.3.1.4 SMB2_NETNAME_NEGOTIATE_CONTEXT_ID: the whole Data is a UTF-16LE name.
struct NetnameContext {
  static constexpr auto kType = NegotiateContextType::kNetname;
  Bytes net_name;
  static Result<NetnameContext> parse(Bytes data) { return NetnameContext{data}; }
  void build(Builder& b) const { b.bytes(net_name); }
};

// 2.2.3.1.5 SMB2_TRANSPORT_CAPABILITIES
struct TransportContext {
  static constexpr auto kType = NegotiateContextType::kTransport;
  static constexpr uint32_t kFlagAcceptTransportLevelSecurity = 0x00000001;
  uint32_t flags = 0;
  static Result<TransportContext> parse(Bytes data);
  void build(Builder& b) const { b.u32(flags); }
};

// 2.2.3.1.6 SMB2_RDMA_TRANSFORM_CAPABILITIES
struct RdmaTransformContext {
  static constexpr auto kType = NegotiateContextType::kRdmaTransform;
  U16List transforms;
  static Result<RdmaTransformContext> parse(Bytes data);
  void build(Builder& b) const;
};

// 2.2.3.1.7 SMB2_SIGNING_CAPABILITIES
struct SigningContext {
  static constexpr auto kType = NegotiateContextType::kSigning;
  U16List signing_algorithms;
  static Result<SigningContext> parse(Bytes data);
  void build(Builder& b) const;
};

}  // namespace semblance::wire
