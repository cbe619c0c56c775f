#include "engine/wire/smb1_negotiate.h"

#include "engine/wire/header.h"

namespace semblance::wire {

namespace {

constexpr size_t kSmb1HeaderSize = 32;
constexpr uint8_t kSmbComNegotiate = 0x72;
constexpr uint8_t kDialectFormat = 0x02;
constexpr std::string_view kSmb2002 = "SMB 2.002";
constexpr std::string_view kSmb2Wildcard = "SMB 2.???";

}  // namespace

Result<Smb1NegotiateRequest> Smb1NegotiateRequest::parse(Bytes message) {
  Reader r(message);
  if (r.u32() != kProtocolIdSmb1) r.fail();
  if (r.u8() != kSmbComNegotiate) r.fail();
  r.seek(kSmb1HeaderSize);
  if (r.u8() != 0) r.fail();
  std::string_view dialects = as_text(r.bytes(r.u16()));
  Smb1NegotiateRequest n;
  while (r.ok() && !dialects.empty()) {
    size_t end = dialects.find('\0');
    if (dialects[0] != kDialectFormat || end == dialects.npos) {
      r.fail();
      break;
    }
    std::string_view dialect = dialects.substr(1, end - 1);
    if (dialect == kSmb2002) n.offers_smb_2_002 = true;
    if (dialect == kSmb2Wildcard) n.offers_smb_2_wildcard = true;
    dialects.remove_prefix(end + 1);
  }
  return finish(r, n);
}

void Smb1NegotiateRequest::build(Builder& b) const {
  auto add = [&b](std::string_view dialect) {
    b.u8(kDialectFormat);
    b.bytes(as_bytes(dialect));
    b.u8(0);
  };
  b.u32(kProtocolIdSmb1);
  b.u8(kSmbComNegotiate);
  b.zeros(kSmb1HeaderSize - 5 + 1);
  size_t byte_count_at = b.size();
  b.u16(0);
  if (offers_smb_2_002) add(kSmb2002);
  if (offers_smb_2_wildcard) add(kSmb2Wildcard);
  b.patch_u16(byte_count_at, static_cast<uint16_t>(b.size() - byte_count_at - 2));
}

}  // namespace semblance::wire
