#pragma once
// The server's side of one authentication exchange: NTLMv2, raw or inside SPNEGO (MS-NLMP 3.2.5,
// RFC 4178 4 and 5, MS-SPNG 3).
//
// The legal sequence of calls:
//
//     accept()  -> kContinue    send the reply with MORE_PROCESSING_REQUIRED; accept() the next
//     token
//               -> kNeedAccount look the account up, then one of finish(), finish_anonymous(),
//                               finish_guest()
//               -> kFailed      the exchange is over; the status says why
//
// What arrives, by state (anything else fails with INVALID_PARAMETER):
//
//     state              raw NTLMSSP        SPNEGO
//     kStart             NEGOTIATE          NegTokenInit: NTLM preferred -> its NEGOTIATE is
//     answered
//                                           NTLM only offered -> request-mic, kAwaitNegotiate
//     kAwaitNegotiate                       NegTokenResp with a NEGOTIATE
//     kAwaitAuthenticate AUTHENTICATE       NegTokenResp with an AUTHENTICATE
//     kAwaitAccount      only finish*()
//
// An Acceptor keeps bounded copies of what it still needs: a token's buffer may go away after
// accept(). It never asks for time or entropy. Not thread-safe; movable.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/auth/ntlmv2.h"
#include "engine/base/bytes.h"
#include "engine/base/status.h"
#include "engine/base/time.h"
#include "engine/wire/ntlmssp.h"

namespace semblance::auth {

// Who the server says it is, and what the engine can't know by itself. Names are UTF-8; one that
// isn't is left out.
struct AcceptorContext {
  std::string_view server_name;  // NetBIOS, upper case, at most 15 characters
  std::string_view domain;       // NetBIOS name of the domain, or of the server when it has none
  std::string_view dns_name;     // at most 255 characters
  std::string_view dns_domain;   // may be empty
  std::array<uint8_t, 8> challenge{};  // unpredictable, new for every exchange
  FileTime now;                        // goes into MsvAvTimestamp
};

struct AcceptorStep {
  enum class Outcome : uint8_t { kContinue, kNeedAccount, kFailed };

  Outcome outcome = Outcome::kFailed;
  NtStatus status = NtStatus::kInvalidParameter;  // kFailed only
  size_t reply_size = 0;                          // kContinue only: bytes of `reply` in use
  // kNeedAccount only. UTF-8, as the client wrote them, owned by the Acceptor until it dies.
  std::string_view user;
  std::string_view domain;
  bool is_anonymous = false;  // then finish_anonymous() or refuse
};

struct Account {
  NtHash nt_hash{};
};

struct AcceptorResult {
  size_t reply_size = 0;  // 0 for raw NTLMSSP, which ends without a token
  // ExportedSessionKey, MS-SMB2's Session.SessionKey. None for guest and anonymous sessions:
  // nothing secret went into theirs, so they sign and seal nothing.
  std::optional<Key16> session_key;
};

class Acceptor {
 public:
  // Bytes that every reply fits into. A smaller `reply` may fail with BUFFER_TOO_SMALL.
  static constexpr size_t kReplySizeMax = 4096;

  // One token from the client. `reply` must not overlap `token`.
  AcceptorStep accept(Bytes token, const AcceptorContext& context, MutableBytes reply);

  // The account exists: judges the client's proof. LOGON_FAILURE when it, the MIC or a mechListMIC
  // is wrong. CHECKs that accept() returned kNeedAccount last.
  Result<AcceptorResult> finish(const Account& account, MutableBytes reply);

  // Lets an anonymous client in; CHECKs is_anonymous.
  Result<AcceptorResult> finish_anonymous(MutableBytes reply);

  // Lets anybody in without a look at the proof.
  Result<AcceptorResult> finish_guest(MutableBytes reply);

 private:
  enum class State : uint8_t { kStart, kAwaitNegotiate, kAwaitAuthenticate, kAwaitAccount, kDone };
  enum class Input : uint8_t { kNegotiate, kAuthenticate, kOtherMechFirst, kNothing };

  // A token without its framing. `ntlm` is empty unless input is kNegotiate or kAuthenticate.
  struct Unwrapped {
    Input input;
    Bytes ntlm;
  };

  Result<Unwrapped> unwrap(Bytes token);
  Result<Unwrapped> unwrap_init(Bytes token);
  Result<Unwrapped> unwrap_resp(Bytes token);

  AcceptorStep select_ntlm(Input input, MutableBytes reply);
  AcceptorStep on_negotiate(Bytes message, const AcceptorContext& context, MutableBytes reply);
  AcceptorStep on_authenticate(Bytes message);
  AcceptorStep fail_with(NtStatus status);

  // ExportedSessionKey as the client's flags make it from the key exchange key.
  Key16 exported_key(const Key16& key_exchange_key) const;
  bool client_mic_is_right(const Key16& key) const;
  bool mech_list_mic_is_right(const Key16& key) const;
  // The last token. `key` none: without a mechListMIC.
  Result<size_t> write_last_reply(const std::optional<Key16>& key, MutableBytes reply);

  State state_ = State::kStart;
  bool spnego_ = false;
  bool first_reply_sent_ = false;  // only the first NegTokenResp names the mechanism

  uint32_t offered_flags_ = 0;  // in our CHALLENGE
  uint32_t flags_ = 0;          // what both sides agreed on
  std::array<uint8_t, 8> server_challenge_{};
  std::vector<uint8_t> mech_list_;  // the client's DER; at most kMechListMax
  std::vector<uint8_t> negotiate_, challenge_, authenticate_;  // for the MIC; each bounded
  std::optional<std::vector<uint8_t>> mech_list_mic_;          // 16 bytes when the client sent one

  // From AUTHENTICATE.
  std::u16string user16_, domain16_;
  std::string user_, domain_;
  bool is_anonymous_ = false;
  bool mic_present_ = false;
  Key16 proof_{};
  std::vector<uint8_t> client_challenge_;
  std::optional<Key16> encrypted_session_key_;  // when the client chose the key
};

}  // namespace semblance::auth
