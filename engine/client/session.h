#pragma once
// The client's view of one session: the authentication exchange and the keys that come out of it.
// MS-SMB2 3.2.1.3 Per Session, 3.2.5.3 Receiving an SMB2 SESSION_SETUP Response.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/auth/initiator.h"
#include "engine/client/sealing.h"
#include "engine/crypto/preauth.h"
#include "engine/crypto/signing.h"
#include "engine/wire/header.h"
#include "engine/wire/negotiate.h"
#include "engine/wire/session_setup.h"

namespace semblance::client {

// Who logs in, and how.
struct Login {
  auth::Credentials credentials;
  auth::InitiatorOptions options;
  auth::InitiatorEntropy entropy;
  FileTime now;
  uint8_t security_mode = wire::kNegotiateSigningEnabled;
  uint64_t previous_session_id = 0;
  bool seal = false;  // everything of this session, even where the server does not ask for it
};

// What the connection contributes to a session's keys.
struct KeyContext {
  wire::Dialect dialect{};
  crypto::SigningAlgorithm algorithm{};
  std::optional<crypto::Cipher> cipher;  // none was agreed on
};

class Session {
 public:
  enum class State : uint8_t { kAuthenticating, kValid, kFailed };

  Session(Login login, crypto::PreauthHash preauth);

  State state() const { return state_; }
  bool valid() const { return state_ == State::kValid; }
  NtStatus status() const { return status_; }  // of the last SESSION_SETUP reply
  uint64_t id() const { return id_; }          // 0 until the server has chosen one
  uint16_t flags() const { return flags_; }    // kSessionFlag... of the final reply
  bool must_sign() const { return signer_ != nullptr && state_ == State::kValid; }
  crypto::Signer* signer() { return signer_.get(); }
  // Null without a key or a cipher.
  Seals* seals() { return seals_.get(); }
  // Session.EncryptData; TreeConnect.EncryptData of one of its trees.
  bool must_seal() const;
  bool must_seal(uint32_t tree_id) const { return must_seal() || sealed_trees_.contains(tree_id); }
  void tree_connected(uint32_t tree_id, uint32_t share_flags);
  const Login& login() const { return login_; }

  // Another exchange on the same session: 3.2.4.2.3. The keys stay.
  void authenticate_again(Login login, crypto::PreauthHash preauth);

  // The body of the next SESSION_SETUP, and its last form on the way out (for 3.1.1's hash).
  wire::SessionSetupRequest next_request(std::vector<uint8_t>& token);
  void sent(Bytes element) { preauth_.update(element); }

  // Takes a reply in, in two halves because the final one is signed with the key it brings about.
  // The first half derives keys; the second judges the exchange and changes the state.
  void prepare(const wire::Header& header, Bytes element, const KeyContext& context);
  void received(const wire::Header& header, Bytes element);

  // The session is over: LOGOFF, or the server said so.
  void end() { state_ = State::kFailed; }

 private:
  void fail_with(NtStatus status);

  Login login_;
  State state_ = State::kAuthenticating;
  NtStatus status_ = NtStatus::kPending;
  uint64_t id_ = 0;
  uint16_t flags_ = 0;
  auth::Initiator initiator_;
  crypto::PreauthHash preauth_;
  std::vector<uint8_t> token_;  // of the server, to be answered
  bool started_ = false;
  std::unique_ptr<crypto::Signer> signer_;
  std::unique_ptr<Seals> seals_;
  std::set<uint32_t> sealed_trees_;
};

}  // namespace semblance::client
