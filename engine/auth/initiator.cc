#include "engine/auth/initiator.h"

#include "engine/base/check.h"
#include "engine/base/utf16.h"
#include "engine/wire/ntlmssp.h"
#include "engine/wire/spnego.h"

namespace semblance::auth {
namespace {

namespace flag = wire::ntlm_flag;
using wire::NegState;

std::u16string checked_utf16(std::string_view text) {
  auto converted = utf16_from_utf8(text);
  CHECK(converted);
  return std::move(*converted);
}

// The server's pairs with MsvAvFlags saying that a MIC follows, MS-NLMP 3.1.5.1.2.
std::vector<uint8_t> av_pairs_with_mic(Bytes pairs) {
  std::vector<uint8_t> space(pairs.size() + 8);
  wire::Builder out(space);
  out.bytes(pairs);
  std::array<uint8_t, 4> flags;
  store(flags.data(), wire::kAvFlagMicPresent);
  wire::put_av_pair(out, wire::AvId::kFlags, flags);
  return space;
}

}  // namespace

Initiator::Initiator(Credentials credentials, InitiatorOptions options)
    : credentials_(std::move(credentials)), options_(options) {}

uint32_t Initiator::requested_flags() const {
  uint32_t flags = flag::kUnicode | flag::kRequestTarget | flag::kNtlm | flag::kAlwaysSign |
                   flag::kSign | flag::kExtendedSessionSecurity | flag::kTargetInfo |
                   flag::kVersion | flag::k128 | flag::k56;
  if (options_.key_exchange) flags |= flag::kKeyExchange;
  if (options_.anonymous) flags |= flag::kAnonymous;
  return flags;
}

Result<size_t> Initiator::start(MutableBytes space) {
  std::array<uint8_t, 64> ntlm_space;
  wire::Builder ntlm(ntlm_space);
  wire::NtlmNegotiate{.flags = requested_flags()}.build(ntlm);
  negotiate_.assign(ntlm.written().begin(), ntlm.written().end());

  wire::Builder out(space);
  if (options_.spnego) {
    wire::NegTokenInit init;
    if (options_.kerberos_first) init.mechs[init.mech_count++] = wire::Mech::kKerberos;
    init.mechs[init.mech_count++] = wire::Mech::kNtlmssp;
    static constexpr uint8_t kNoTicket[] = {0x60, 0x00};
    if (options_.optimistic_token) {
      init.mech_token = options_.kerberos_first ? Bytes(kNoTicket) : Bytes(negotiate_);
    }
    init.build(out);
    std::array<uint8_t, 64> list_space;
    wire::Builder list(list_space);
    wire::put_mech_list(list, std::span(init.mechs).first(init.mech_count));
    mech_list_.assign(list.written().begin(), list.written().end());
  } else {
    out.bytes(negotiate_);
  }
  if (!out.ok()) return fail(NtStatus::kBufferTooSmall);
  return out.size();
}

Result<size_t> Initiator::step(Bytes token, const InitiatorEntropy& entropy, FileTime now,
                               MutableBytes out) {
  if (negotiate_.empty() || session_key_) return fail(NtStatus::kInvalidParameter);
  if (!options_.spnego) return authenticate(token, entropy, now, out);
  const auto resp = wire::NegTokenResp::parse(token);
  if (!resp) return fail(resp.error());
  const bool other_mech = resp->supported_mech && *resp->supported_mech != wire::Mech::kNtlmssp;
  if (resp->state == NegState::kReject || other_mech) return fail(NtStatus::kInvalidParameter);
  if (resp->state == NegState::kRequestMic) options_.mech_list_mic = true;
  if (!resp->response_token) return send_negotiate_again(out);
  return authenticate(*resp->response_token, entropy, now, out);
}

Result<size_t> Initiator::send_negotiate_again(MutableBytes space) {
  wire::Builder out(space);
  wire::NegTokenResp resp;
  resp.response_token = negotiate_;
  resp.build(out);
  if (!out.ok()) return fail(NtStatus::kBufferTooSmall);
  return out.size();
}

// MS-NLMP 3.1.5.1.2 "Client Receives a CHALLENGE_MESSAGE from the Server".
Result<size_t> Initiator::authenticate(Bytes token, const InitiatorEntropy& entropy, FileTime now,
                                       MutableBytes space) {
  const auto challenge = wire::NtlmChallenge::parse(token);
  if (!challenge) return fail(challenge.error());
  auto pairs = wire::av_pairs_of(challenge->target_info);
  if (!pairs) return fail(NtStatus::kInvalidParameter);
  flags_ = requested_flags() & (challenge->flags | flag::kAnonymous);

  const std::u16string user = checked_utf16(options_.anonymous ? "" : credentials_.user);
  const std::u16string domain = checked_utf16(options_.anonymous ? "" : credentials_.domain);
  const std::u16string workstation = checked_utf16(credentials_.workstation);
  constexpr uint8_t kAnonymousLm[1] = {0};
  constexpr uint8_t kNoLm[24] = {};

  Key16 key_exchange_key{};
  std::vector<uint8_t> nt_response;
  if (!options_.anonymous) {
    const auto stamp = wire::find_av_pair(challenge->target_info, wire::AvId::kTimestamp);
    if (stamp && stamp->size() == 8) now.ticks = load<uint64_t>(stamp->data());
    const auto marked =
        options_.mic ? av_pairs_with_mic(*pairs) : std::vector(pairs->begin(), pairs->end());
    nt_response.resize(sizeof(Key16) + 28 + marked.size() + 8);
    wire::Builder response(nt_response);
    response.zeros(sizeof(Key16));
    wire::put_ntlm_v2_client_challenge(response, now, entropy.challenge, marked);
    CHECK(response.ok() && response.room() == 0);
    const Key16 response_key = ntowf_v2(credentials_.nt_hash, user, domain);
    const Key16 proof = nt_proof(response_key, challenge->server_challenge,
                                 Bytes(nt_response).subspan(sizeof(Key16)));
    std::memcpy(nt_response.data(), proof.data(), proof.size());
    key_exchange_key = session_base_key(response_key, proof);
  }
  const bool exchange = exchanges_key(flags_);
  exported_key_ = exchange ? entropy.exported_key : key_exchange_key;
  const Key16 encrypted = rc4_of(key_exchange_key, exported_key_);

  wire::NtlmAuthenticate message;
  message.flags = flags_;
  message.lm_response = options_.anonymous ? Bytes(kAnonymousLm) : Bytes(kNoLm);
  message.nt_response = nt_response;
  message.domain = as_bytes(domain);
  message.user = as_bytes(user);
  message.workstation = as_bytes(workstation);
  if (exchange) message.session_key = encrypted;
  std::vector<uint8_t> ntlm(kTokenSizeMax);
  wire::Builder built(ntlm);
  message.build(built);
  if (!built.ok()) return fail(NtStatus::kBufferTooSmall);
  ntlm.resize(built.size());
  if (options_.mic && !options_.anonymous) {
    const Key16 mic = message_integrity(exported_key_, negotiate_, token, ntlm);
    std::memcpy(ntlm.data() + wire::NtlmAuthenticate::kMicAt, mic.data(), mic.size());
  }

  wire::Builder out(space);
  Key16 mech_list_mic;
  if (options_.spnego) {
    wire::NegTokenResp resp;
    resp.state = NegState::kAcceptIncomplete;
    resp.response_token = ntlm;
    sent_mech_list_mic_ = options_.mech_list_mic && (flags_ & flag::kExtendedSessionSecurity);
    if (sent_mech_list_mic_) {
      mech_list_mic = first_signature(exported_key_, Sender::kClient, flags_, mech_list_);
      resp.mech_list_mic = mech_list_mic;
    }
    resp.build(out);
  } else {
    out.bytes(ntlm);
  }
  if (!out.ok()) return fail(NtStatus::kBufferTooSmall);
  if (!options_.anonymous) session_key_ = exported_key_;
  return out.size();
}

NtStatus Initiator::finish(Bytes token) const {
  if (!options_.spnego) return token.empty() ? NtStatus::kSuccess : NtStatus::kInvalidParameter;
  const auto resp = wire::NegTokenResp::parse(token);
  if (!resp || resp->state != NegState::kAcceptCompleted) return NtStatus::kInvalidParameter;
  if (!resp->mech_list_mic) return NtStatus::kSuccess;
  if (!sent_mech_list_mic_) return NtStatus::kInvalidParameter;
  const Key16 expected = first_signature(exported_key_, Sender::kServer, flags_, mech_list_);
  return same_key(*resp->mech_list_mic, expected) ? NtStatus::kSuccess : NtStatus::kLogonFailure;
}

}  // namespace semblance::auth
