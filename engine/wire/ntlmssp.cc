#include "engine/wire/ntlmssp.h"

#include <algorithm>
#include <initializer_list>

#include "engine/wire/reader.h"

namespace semblance::wire {
namespace {

constexpr uint8_t kSignature[8] = {'N', 'T', 'L', 'M', 'S', 'S', 'P', 0};

// VERSION, MS-NLMP 2.2.2.10: informative only. Major, minor, build, three reserved, NTLMSSP
// revision.
constexpr uint8_t kVersionField[8] = {10, 0, 0, 0, 0, 0, 0, 15};

// (Len, MaxLen, BufferOffset): where a payload field lies, counted from the start of the message.
Bytes payload_field(Reader& reader) {
  const size_t length = reader.u16();
  reader.skip(2);  // MaxLen: ignored, as the specification says
  const size_t offset = reader.u32();
  return reader.at(offset, length);
}

// A message whose payload fields are written behind its fixed part, in order.
class PayloadLayout {
 public:
  PayloadLayout(Builder& out, size_t fixed_size) : out_(out), at_(fixed_size) {}

  void field(Bytes data) {
    if (data.size() > UINT16_MAX) overflow_ = true;
    out_.u16(static_cast<uint16_t>(data.size()));
    out_.u16(static_cast<uint16_t>(data.size()));
    out_.u32(static_cast<uint32_t>(at_));
    at_ += data.size();
  }

  void payload(std::initializer_list<Bytes> fields) {
    // A field of 64 KiB can't be described; reserving the impossible marks the builder.
    if (overflow_) out_.reserve(SIZE_MAX);
    for (Bytes data : fields) out_.bytes(data);
  }

 private:
  Builder& out_;
  size_t at_;
  bool overflow_ = false;
};

void put_start(Builder& out, NtlmMessageType type) {
  out.bytes(kSignature);
  out.u32(static_cast<uint32_t>(type));
}

// A reader behind signature and type, failed when they are not as expected.
Reader reader_of(Bytes message, NtlmMessageType type) {
  Reader reader(message);
  if (ntlm_message_type(message) != type) reader.fail();
  reader.skip(sizeof kSignature + 4);
  return reader;
}

}  // namespace

std::optional<NtlmMessageType> ntlm_message_type(Bytes message) {
  Reader reader(message);
  const Bytes signature = reader.bytes(sizeof kSignature);
  const uint32_t type = reader.u32();
  if (!reader.ok() || !std::ranges::equal(signature, kSignature)) return std::nullopt;
  if (type < 1 || type > 3) return std::nullopt;
  return static_cast<NtlmMessageType>(type);
}

Result<NtlmNegotiate> NtlmNegotiate::parse(Bytes message) {
  Reader reader = reader_of(message, NtlmMessageType::kNegotiate);
  NtlmNegotiate negotiate;
  negotiate.flags = reader.u32();
  if (reader.ok() && reader.remaining() >= 16) {
    negotiate.domain = payload_field(reader);
    negotiate.workstation = payload_field(reader);
  }
  if (!reader.ok()) return fail(NtStatus::kInvalidParameter);
  return negotiate;
}

void NtlmNegotiate::build(Builder& out) const {
  put_start(out, NtlmMessageType::kNegotiate);
  out.u32(flags);
  PayloadLayout layout(out, 40);
  layout.field(domain);
  layout.field(workstation);
  out.bytes(kVersionField);
  layout.payload({domain, workstation});
}

Result<NtlmChallenge> NtlmChallenge::parse(Bytes message) {
  Reader reader = reader_of(message, NtlmMessageType::kChallenge);
  NtlmChallenge challenge;
  challenge.target_name = payload_field(reader);
  challenge.flags = reader.u32();
  challenge.server_challenge = reader.array<8>();
  reader.skip(8);  // reserved
  challenge.target_info = payload_field(reader);
  if (!reader.ok()) return fail(NtStatus::kInvalidParameter);
  return challenge;
}

void NtlmChallenge::build(Builder& out) const {
  put_start(out, NtlmMessageType::kChallenge);
  PayloadLayout layout(out, 56);
  layout.field(target_name);
  out.u32(flags);
  out.bytes(server_challenge);
  out.zeros(8);
  layout.field(target_info);
  out.bytes(kVersionField);
  layout.payload({target_name, target_info});
}

Result<NtlmAuthenticate> NtlmAuthenticate::parse(Bytes message) {
  Reader reader = reader_of(message, NtlmMessageType::kAuthenticate);
  NtlmAuthenticate authenticate;
  authenticate.lm_response = payload_field(reader);
  authenticate.nt_response = payload_field(reader);
  authenticate.domain = payload_field(reader);
  authenticate.user = payload_field(reader);
  authenticate.workstation = payload_field(reader);
  authenticate.session_key = payload_field(reader);
  authenticate.flags = reader.u32();
  if (!reader.ok()) return fail(NtStatus::kInvalidParameter);
  Reader tail(message);
  tail.seek(kMicAt);
  const auto mic = tail.array<16>();
  if (tail.ok()) authenticate.mic = mic;
  return authenticate;
}

void NtlmAuthenticate::build(Builder& out) const {
  put_start(out, NtlmMessageType::kAuthenticate);
  // In the payload the UTF-16 fields come first, so that they stay on even offsets; the fixed part
  // names them in another order.
  constexpr size_t kFixed = kMicAt + 16;
  const size_t lm_at = kFixed + domain.size() + user.size() + workstation.size();
  PayloadLayout responses(out, lm_at);
  responses.field(lm_response);
  responses.field(nt_response);
  PayloadLayout names(out, kFixed);
  names.field(domain);
  names.field(user);
  names.field(workstation);
  PayloadLayout key(out, lm_at + lm_response.size() + nt_response.size());
  key.field(session_key);
  out.u32(flags);
  out.bytes(kVersionField);
  out.bytes(mic.value_or(std::array<uint8_t, 16>{}));
  names.payload({domain, user, workstation});
  responses.payload({lm_response, nt_response});
  key.payload({session_key});
}

namespace {

// Walks the list until `id` or its end; at the end `pairs` is everything before MsvAvEOL.
struct AvWalk {
  std::optional<Bytes> value;
  std::optional<Bytes> pairs;
};

AvWalk walk_av_pairs(Bytes list, std::optional<AvId> wanted) {
  Reader reader(list);
  while (reader.ok()) {
    const size_t start = reader.position();
    const AvId id{reader.u16()};
    const size_t length = reader.u16();
    const Bytes value = reader.bytes(length);
    if (!reader.ok()) break;
    if (id == AvId::kEol) return {std::nullopt, list.first(start)};
    if (id == wanted) return {value, std::nullopt};
  }
  return {};
}

}  // namespace

std::optional<Bytes> find_av_pair(Bytes list, AvId id) { return walk_av_pairs(list, id).value; }

std::optional<Bytes> av_pairs_of(Bytes list) { return walk_av_pairs(list, std::nullopt).pairs; }

void put_av_pair(Builder& out, AvId id, Bytes value) {
  if (value.size() > UINT16_MAX) {
    out.reserve(SIZE_MAX);
    return;
  }
  out.u16(static_cast<uint16_t>(id));
  out.u16(static_cast<uint16_t>(value.size()));
  out.bytes(value);
}

Result<NtlmV2Response> NtlmV2Response::parse(Bytes response) {
  Reader reader(response);
  NtlmV2Response parsed;
  parsed.proof = reader.array<16>();
  const uint8_t version = reader.u8();
  const uint8_t version_max = reader.u8();
  reader.skip(6);
  parsed.time.ticks = reader.u64();
  parsed.challenge = reader.array<8>();
  reader.skip(4);
  if (!reader.ok() || version != 1 || version_max != 1) return fail(NtStatus::kInvalidParameter);
  parsed.client_challenge = response.subspan(parsed.proof.size());
  parsed.av_pairs = reader.bytes(reader.remaining());
  return parsed;
}

void put_ntlm_v2_client_challenge(Builder& out, FileTime time,
                                  const std::array<uint8_t, 8>& challenge, Bytes av_pairs) {
  out.u8(1);
  out.u8(1);
  out.zeros(6);
  out.u64(time.ticks);
  out.bytes(challenge);
  out.zeros(4);
  out.bytes(av_pairs);
  put_av_pair(out, AvId::kEol, {});
  out.zeros(4);
}

}  // namespace semblance::wire
