#include "engine/wire/negotiate_contexts.h"

namespace semblance::wire {

std::optional<NegotiateContext> NegotiateContexts::next() {
  if (left_ == 0 || !reader_.ok()) return std::nullopt;
  --left_;
  reader_.seek(align_up(reader_.position(), 8));
  NegotiateContext context;
  context.type = static_cast<NegotiateContextType>(reader_.u16());
  size_t length = reader_.u16();
  reader_.skip(4);
  context.data = reader_.bytes(length);
  if (!reader_.ok()) return std::nullopt;
  return context;
}

size_t NegotiateContextWriter::begin(NegotiateContextType type) {
  b_.align(8);
  size_t at = b_.size();
  b_.u16(static_cast<uint16_t>(type));
  b_.u16(0);
  b_.u32(0);
  ++count_;
  return at;
}

void NegotiateContextWriter::end(size_t at) {
  if (!b_.ok()) return;
  b_.patch_u16(at + 2, static_cast<uint16_t>(b_.size() - at - 8));
}

Result<PreauthIntegrityContext> PreauthIntegrityContext::parse(Bytes data) {
  Reader r(data);
  PreauthIntegrityContext c;
  size_t count = r.u16(), salt_length = r.u16();
  c.hash_algorithms = {r.bytes(count * 2)};
  c.salt = r.bytes(salt_length);
  return finish(r, c);
}

void PreauthIntegrityContext::build(Builder& b) const {
  b.u16(static_cast<uint16_t>(hash_algorithms.size()));
  b.u16(length_u16(salt));
  b.bytes(hash_algorithms.raw);
  b.bytes(salt);
}

Result<EncryptionContext> EncryptionContext::parse(Bytes data) {
  Reader r(data);
  EncryptionContext c;
  size_t count = r.u16();
  c.ciphers = {r.bytes(count * 2)};
  return finish(r, c);
}

void EncryptionContext::build(Builder& b) const {
  b.u16(static_cast<uint16_t>(ciphers.size()));
  b.bytes(ciphers.raw);
}

Result<CompressionContext> CompressionContext::parse(Bytes data) {
  Reader r(data);
  CompressionContext c;
  size_t count = r.u16();
  r.skip(2);
  c.flags = r.u32();
  c.compression_algorithms = {r.bytes(count * 2)};
  return finish(r, c);
}

void CompressionContext::build(Builder& b) const {
  b.u16(static_cast<uint16_t>(compression_algorithms.size()));
  b.u16(0);
  b.u32(flags);
  b.bytes(compression_algorithms.raw);
}

Result<TransportContext> TransportContext::parse(Bytes data) {
  Reader r(data);
  TransportContext c;
  c.flags = r.u32();
  return finish(r, c);
}

Result<RdmaTransformContext> RdmaTransformContext::parse(Bytes data) {
  Reader r(data);
  RdmaTransformContext c;
  size_t count = r.u16();
  r.skip(6);
  c.transforms = {r.bytes(count * 2)};
  return finish(r, c);
}

void RdmaTransformContext::build(Builder& b) const {
  b.u16(static_cast<uint16_t>(transforms.size()));
  b.zeros(6);
  b.bytes(transforms.raw);
}

Result<SigningContext> SigningContext::parse(Bytes data) {
  Reader r(data);
  SigningContext c;
  size_t count = r.u16();
  c.signing_algorithms = {r.bytes(count * 2)};
  return finish(r, c);
}

void SigningContext::build(Builder& b) const {
  b.u16(static_cast<uint16_t>(signing_algorithms.size()));
  b.bytes(signing_algorithms.raw);
}

}  // namespace semblance::wire
