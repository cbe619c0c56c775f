#include "engine/wire/spnego.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/wire/spnego_der.h"

namespace semblance::wire {
namespace {

constexpr uint8_t kSpnegoOid[] = {0x2B, 0x06, 0x01, 0x05, 0x05, 0x02};
constexpr uint8_t kNtlmsspOid[] = {0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x0A};
constexpr uint8_t kKerberosOid[] = {0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x02};
constexpr uint8_t kMsKerberosOid[] = {0x2A, 0x86, 0x48, 0x82, 0xF7, 0x12, 0x01, 0x02, 0x02};

// MS-SPNG 2.2.1: the hint that Windows sends where RFC 4178 defines none.
constexpr std::string_view kHintName = "not_defined_in_RFC4178@please_ignore";

Bytes oid_of(Mech mech) {
  switch (mech) {
    case Mech::kNtlmssp:
      return kNtlmsspOid;
    case Mech::kKerberos:
      return kKerberosOid;
    case Mech::kMsKerberos:
      return kMsKerberosOid;
    case Mech::kOther:
      break;
  }
  CHECK(false && "an unknown mechanism has no OID to send");
}

size_t mech_list_content(std::span<const Mech> mechs) {
  size_t size = 0;
  for (Mech mech : mechs) size += der::size(oid_of(mech).size());
  return size;
}

// mechTypes: SEQUENCE OF OBJECT IDENTIFIER.
bool parse_mech_list(Bytes content, NegTokenInit& init) {
  Reader outer(content);
  const der::Element list = der::next(outer);
  if (!outer.ok() || list.tag != der::kSequence) return false;
  init.mech_list = list.whole;
  Reader reader(list.content);
  while (reader.remaining() > 0) {
    const Bytes oid = der::expect(reader, der::kOid);
    if (!reader.ok()) return false;
    if (init.mech_count < kMechsMax) init.mechs[init.mech_count++] = mech_of_oid(oid);
  }
  return true;
}

size_t optional_size(const std::optional<Bytes>& field) {
  return field ? der::explicit_size(field->size()) : 0;
}

}  // namespace

Mech mech_of_oid(Bytes oid) {
  for (Mech mech : {Mech::kNtlmssp, Mech::kKerberos, Mech::kMsKerberos}) {
    if (std::ranges::equal(oid, oid_of(mech))) return mech;
  }
  return Mech::kOther;
}

std::optional<size_t> NegTokenInit::position_of(Mech mech) const {
  for (size_t i = 0; i < mech_count; ++i) {
    if (mechs[i] == mech) return i;
  }
  return std::nullopt;
}

Result<NegTokenInit> NegTokenInit::parse(Bytes token) {
  Reader outer(token);
  Reader wrapper(der::expect(outer, kGssWrapperTag));
  const Bytes oid = der::expect(wrapper, der::kOid);
  Reader choice(der::expect(wrapper, der::context(0)));
  Reader fields(der::expect(choice, der::kSequence));
  if (!outer.ok() || !wrapper.ok() || !choice.ok() || !std::ranges::equal(oid, kSpnegoOid)) {
    return fail(NtStatus::kInvalidParameter);
  }
  NegTokenInit init;
  while (fields.remaining() > 0) {
    const der::Element field = der::next(fields);
    bool good = fields.ok();
    switch (field.tag) {
      case der::context(0):
        good = good && init.mech_list.empty() && parse_mech_list(field.content, init);
        break;
      case der::context(1):  // reqFlags: RFC 4178 says to ignore them
        break;
      case der::context(2):
        init.mech_token = der::inner(field.content, der::kOctetString);
        good = good && init.mech_token;
        break;
      case der::context(3):  // mechListMIC, or negHints (a SEQUENCE) in a NegTokenInit2
      case der::context(4):  // mechListMIC of a NegTokenInit2
        if (auto mic = der::inner(field.content, der::kOctetString)) init.mech_list_mic = mic;
        break;
      default:
        good = false;
    }
    if (!good) return fail(NtStatus::kInvalidParameter);
  }
  return init;
}

void put_mech_list(Builder& out, std::span<const Mech> mechs) {
  der::put_header(out, der::kSequence, mech_list_content(mechs));
  for (Mech mech : mechs) der::put(out, der::kOid, oid_of(mech));
}

void NegTokenInit::build(Builder& out) const {
  // Lengths come before contents in DER, so all sizes are summed first, innermost outwards.
  const std::span<const Mech> list(mechs.data(), mech_count);
  const size_t mech_types = der::size(mech_list_content(list));
  const size_t hint_name = der::explicit_size(kHintName.size());
  const size_t fields = der::size(mech_types) + optional_size(mech_token) +
                        (hint ? der::explicit_size(hint_name) : 0) + optional_size(mech_list_mic);
  const size_t choice = der::size(fields);
  der::put_header(out, kGssWrapperTag, der::size(sizeof kSpnegoOid) + der::size(choice));
  der::put(out, der::kOid, kSpnegoOid);
  der::put_header(out, der::context(0), choice);
  der::put_header(out, der::kSequence, fields);
  der::put_header(out, der::context(0), mech_types);
  put_mech_list(out, list);
  if (mech_token) der::put_explicit(out, 2, der::kOctetString, *mech_token);
  if (hint) {
    der::put_header(out, der::context(3), der::size(hint_name));
    der::put_header(out, der::kSequence, hint_name);
    der::put_explicit(out, 0, der::kGeneralString, as_bytes(kHintName));
  }
  if (mech_list_mic) der::put_explicit(out, hint ? 4 : 3, der::kOctetString, *mech_list_mic);
}

Result<NegTokenResp> NegTokenResp::parse(Bytes token) {
  Reader outer(token);
  Reader choice(der::expect(outer, kNegTokenRespTag));
  Reader fields(der::expect(choice, der::kSequence));
  if (!outer.ok() || !choice.ok()) return fail(NtStatus::kInvalidParameter);
  NegTokenResp resp;
  while (fields.remaining() > 0) {
    const der::Element field = der::next(fields);
    bool good = fields.ok();
    switch (field.tag) {
      case der::context(0): {
        const auto state = der::inner(field.content, der::kEnumerated);
        good = good && state && state->size() == 1 && state->front() <= 3;
        if (good) resp.state = NegState{state->front()};
        break;
      }
      case der::context(1): {
        const auto oid = der::inner(field.content, der::kOid);
        good = good && oid;
        if (good) resp.supported_mech = mech_of_oid(*oid);
        break;
      }
      case der::context(2):
        resp.response_token = der::inner(field.content, der::kOctetString);
        good = good && resp.response_token;
        break;
      case der::context(3):
        resp.mech_list_mic = der::inner(field.content, der::kOctetString);
        good = good && resp.mech_list_mic;
        break;
      default:
        good = false;
    }
    if (!good) return fail(NtStatus::kInvalidParameter);
  }
  return resp;
}

void NegTokenResp::build(Builder& out) const {
  const Bytes mech = supported_mech ? oid_of(*supported_mech) : Bytes();
  const size_t fields = (state ? der::explicit_size(1) : 0) +
                        (supported_mech ? der::explicit_size(mech.size()) : 0) +
                        optional_size(response_token) + optional_size(mech_list_mic);
  der::put_header(out, kNegTokenRespTag, der::size(fields));
  der::put_header(out, der::kSequence, fields);
  if (state) {
    const uint8_t value = static_cast<uint8_t>(*state);
    der::put_explicit(out, 0, der::kEnumerated, {&value, 1});
  }
  if (supported_mech) der::put_explicit(out, 1, der::kOid, mech);
  if (response_token) der::put_explicit(out, 2, der::kOctetString, *response_token);
  if (mech_list_mic) der::put_explicit(out, 3, der::kOctetString, *mech_list_mic);
}

void put_server_hint(Builder& out) {
  NegTokenInit init;
  init.mechs[init.mech_count++] = Mech::kNtlmssp;
  init.hint = true;
  init.build(out);
}

}  // namespace semblance::wire
