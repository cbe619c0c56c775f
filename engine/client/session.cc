#include "engine/client/session.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/crypto/kdf.h"
#include "engine/wire/tree_connect.h"

namespace semblance::client {

Session::Session(Login login, crypto::PreauthHash preauth)
    : login_(std::move(login)), initiator_(login_.credentials, login_.options), preauth_(preauth) {}

void Session::authenticate_again(Login login, crypto::PreauthHash preauth) {
  login_ = std::move(login);
  initiator_ = auth::Initiator(login_.credentials, login_.options);
  preauth_ = preauth;
  started_ = false;
  token_.clear();
}

wire::SessionSetupRequest Session::next_request(std::vector<uint8_t>& token) {
  token.resize(auth::Initiator::kTokenSizeMax);
  auto size = started_ ? initiator_.step(token_, login_.entropy, login_.now, token)
                       : initiator_.start(token);
  started_ = true;
  token.resize(size.value_or(0));
  wire::SessionSetupRequest request;
  request.security_mode = login_.security_mode;
  request.previous_session_id = login_.previous_session_id;
  request.security_buffer = token;
  return request;
}

void Session::prepare(const wire::Header& header, Bytes element, const KeyContext& context) {
  auto response = wire::SessionSetupResponse::parse(element);
  if (header.nt_status() != NtStatus::kSuccess || !response) return;
  bool keyless = response->session_flags & (wire::kSessionFlagIsGuest | wire::kSessionFlagIsNull);
  if (keyless || signer_ != nullptr || !initiator_.session_key()) return;
  const auth::Key16& session_key = *initiator_.session_key();
  if (context.dialect < wire::Dialect::kSmb300) {
    signer_ = std::make_unique<crypto::Signer>(context.algorithm, crypto::SigningKey(session_key));
    return;
  }
  const size_t key_size = context.cipher ? crypto::key_size(*context.cipher) : 16;
  const crypto::SessionKeys keys =
      context.dialect == wire::Dialect::kSmb311
          ? crypto::derive_keys_311(session_key, session_key, preauth_, key_size)
          : crypto::derive_keys_300(session_key);
  signer_ = std::make_unique<crypto::Signer>(context.algorithm, keys.signing);
  if (context.cipher) seals_ = std::make_unique<Seals>(*context.cipher, keys);
}

bool Session::must_seal() const {
  // Also while it is authenticated again: the keys stay.
  return state_ != State::kFailed && seals_ != nullptr &&
         (login_.seal || (flags_ & wire::kSessionFlagEncryptData));
}

void Session::tree_connected(uint32_t tree_id, uint32_t share_flags) {
  if (seals_ != nullptr && (share_flags & wire::kShareFlagEncryptData))
    sealed_trees_.insert(tree_id);
  else
    sealed_trees_.erase(tree_id);
}

void Session::received(const wire::Header& header, Bytes element) {
  status_ = header.nt_status();
  if (id_ == 0) id_ = header.session_id;
  auto response = wire::SessionSetupResponse::parse(element);
  if (status_ == NtStatus::kMoreProcessingRequired && response) {
    preauth_.update(element);
    token_.assign(response->security_buffer.begin(), response->security_buffer.end());
  } else if (status_ == NtStatus::kSuccess && response) {
    flags_ = response->session_flags;
    state_ = State::kValid;
    bool keyless = flags_ & (wire::kSessionFlagIsGuest | wire::kSessionFlagIsNull);
    NtStatus judged = keyless ? NtStatus::kSuccess : initiator_.finish(response->security_buffer);
    if (judged != NtStatus::kSuccess) fail_with(judged);
  } else {
    fail_with(is_error(status_) ? status_ : NtStatus::kInvalidParameter);
  }
}

void Session::fail_with(NtStatus status) {
  status_ = status;
  state_ = State::kFailed;
}

}  // namespace semblance::client
