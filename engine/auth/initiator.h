#pragma once
// The client's side of one authentication exchange: NTLMv2 inside SPNEGO or raw (MS-NLMP 3.1.5).
// For the simulator, the load tool, and the acceptor's tests.
//
//     start()  -> token for the first SESSION_SETUP
//     step()   for each reply with MORE_PROCESSING_REQUIRED -> the next token
//     finish() for the token of the reply with SUCCESS; session_key() is valid from the last step()
//     on
//
// Pure: entropy and time are passed in.

#include <optional>
#include <string>
#include <vector>

#include "engine/auth/ntlmv2.h"
#include "engine/base/bytes.h"
#include "engine/base/status.h"
#include "engine/base/time.h"

namespace semblance::auth {

struct InitiatorOptions {
  bool spnego = true;
  bool kerberos_first =
      false;  // offers Kerberos ahead of NTLM, with an optimistic token of its own
  bool optimistic_token = true;
  bool key_exchange = true;
  bool mic = true;            // the MIC of the AUTHENTICATE message
  bool mech_list_mic = true;  // sends a mechListMIC; asked for by request-mic, it is sent anyway
  bool anonymous = false;     // user, domain and hash are not used
};

struct Credentials {
  std::string user, domain, workstation;  // UTF-8 (CHECKed)
  NtHash nt_hash{};
};

// Unpredictable bytes for one exchange.
struct InitiatorEntropy {
  std::array<uint8_t, 8> challenge{};
  Key16 exported_key{};
};

class Initiator {
 public:
  static constexpr size_t kTokenSizeMax = 8192;

  Initiator(Credentials credentials, InitiatorOptions options);

  // Bytes written to `out`. BUFFER_TOO_SMALL when it does not fit.
  Result<size_t> start(MutableBytes out);

  // Answers the server's token. `now` is used when the server's target info has no timestamp.
  // INVALID_PARAMETER for a token that makes no sense at this point.
  Result<size_t> step(Bytes token, const InitiatorEntropy& entropy, FileTime now, MutableBytes out);

  // Judges the server's last token: SPNEGO must say accept-completed, a mechListMIC must be right
  // (and must not be there when we sent none). An empty token is right for raw NTLMSSP only.
  NtStatus finish(Bytes token) const;

  // ExportedSessionKey; none before AUTHENTICATE was written, and for anonymous.
  const std::optional<Key16>& session_key() const { return session_key_; }

 private:
  Result<size_t> send_negotiate_again(MutableBytes out);
  Result<size_t> authenticate(Bytes challenge, const InitiatorEntropy& entropy, FileTime now,
                              MutableBytes out);
  uint32_t requested_flags() const;

  Credentials credentials_;
  InitiatorOptions options_;
  bool sent_mech_list_mic_ = false;
  uint32_t flags_ = 0;
  Key16 exported_key_{};
  std::vector<uint8_t> mech_list_, negotiate_;
  std::optional<Key16> session_key_;
};

}  // namespace semblance::auth
