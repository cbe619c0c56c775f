// MS-SMB2 3.3.5.5 Receiving an SMB2 SESSION_SETUP Request.

#include <algorithm>

#include "engine/base/planted.h"
#include "engine/smb/chain.h"
#include "engine/smb/commands.h"
#include "engine/smb/marks.h"
#include "engine/smb/sealing.h"
#include "engine/smb/teardown.h"
#include "engine/wire/session_setup.h"
#include "engine/wire/simple_body.h"

namespace semblance::smb {
namespace {

using auth::Acceptor;
using auth::AcceptorStep;

// 3.3.5.5.1 Authenticating a New Session: a session in progress on this connection.
Result<SessionSlot> new_session(Call call) {
  EngineState& e = call.engine();
  Connection& c = *call.connection();
  if (e.draining || c.sessions.size() >= e.limits.sessions_per_connection)
    return fail(NtStatus::kInsufficientResources);
  SessionSlot slot = e.sessions.acquire();
  if (!slot) return fail(NtStatus::kInsufficientResources);
  Session& session = e.sessions.get(slot);
  session.id = slot;
  session.connection = c.id;
  c.sessions.add(e.sessions, slot);
  return slot;
}

// The session that the request is about, with an exchange under way: 3.3.5.5, 3.3.5.5.2.
Result<SessionSlot> find_or_make_session(Call call) {
  Request& r = call.request();
  if (r.header.session_id == 0) {
    auto slot = new_session(call);
    if (!slot) return slot;
    r.session = *slot;
    r.header.session_id = wire_session_id(*slot);
    r.chain_session = r.header.session_id;
  }
  Session* session = call.session();
  if (session == nullptr || session->state == SessionState::kEnding)
    return fail(NtStatus::kUserSessionDeleted);
  if (session->busy) return fail(NtStatus::kRequestNotAccepted);
  Connection& c = *call.connection();
  if (session->acceptor == nullptr) {
    session->acceptor = std::make_unique<Acceptor>();
    if (c.is_311()) session->preauth = std::make_unique<crypto::PreauthHash>(c.preauth);
  }
  if (session->preauth != nullptr) session->preauth->update(call.element());
  return r.session;
}

// The session takes no more requests, and goes once the reply is signed or sealed.
void mark_ending(Call call) {
  call.session()->state = SessionState::kEnding;
  call.request().remove_session = call.request().session;
}

// Authentication failed: the session goes, a re-authenticated one too (3.3.5.5.3).
Outcome refuse(Call call, NtStatus status) {
  Request& r = call.request();
  EngineState& e = call.engine();
  e.counters.logon_failures += 1;
  SOMETIMES(e, kLogonFailed);
  e.log(LogLevel::kInfo, r.connection, "logon failed", static_cast<uint64_t>(status),
        r.header.session_id);
  mark_ending(call);
  return status;
}

// 3.3.5.5.3: another session of the same user ends once this one stands.
void end_previous(EngineState& e, const Session& session, uint64_t previous_id) {
  SessionSlot previous = session_slot(previous_id);
  if (previous_id == 0 || previous == session.id) return;
  Session* old = e.sessions.find(previous);
  if (old != nullptr && old->state == SessionState::kValid && old->user == session.user &&
      old->is_guest == session.is_guest && old->is_anonymous == session.is_anonymous) {
    SOMETIMES(e, kPreviousEnded);
    retire_session(e, previous);
  }
}

enum class Identity : uint8_t { kUser, kGuest, kAnonymous };

// Whether there is a share that guests may use at all.
bool admits_guests(const Config& config) {
  for (const ShareConfig& share : config.shares)
    if (share.guest) return true;
  return false;
}

// Whom the account database's answer makes of the peer; an error if nobody. A known user with a
// wrong password is never a guest.
Result<Identity> identify(const Config& config, const AcceptorStep& step,
                          const AccountFound& account) {
  if (step.is_anonymous) return Identity::kAnonymous;
  switch (account.state) {
    case AccountState::kActive:
      return Identity::kUser;
    case AccountState::kDisabled:
      return fail(NtStatus::kAccountDisabled);
    case AccountState::kUnavailable:
      return fail(NtStatus::kServerUnavailable);
    case AccountState::kUnknown:
      if (config.map_unknown_user_to_guest && admits_guests(config)) return Identity::kGuest;
      return fail(NtStatus::kLogonFailure);
  }
  return fail(NtStatus::kLogonFailure);
}

// Makes the session valid, or refreshes it: identity, keys, whether signing is required.
uint16_t establish(Call call, const wire::SessionSetupRequest& request, Identity identity,
                   const AcceptorStep& step, const AccountFound& account,
                   const std::optional<auth::Key16>& key) {
  EngineState& e = call.engine();
  Connection& c = *call.connection();
  Session& session = *call.session();
  bool again = session.state == SessionState::kValid;
  session.user = step.user;
  session.domain = step.domain;
  session.uid = account.uid;
  session.is_guest = identity == Identity::kGuest;
  session.is_anonymous = identity == Identity::kAnonymous;
  // Keys survive a re-authentication (B06); guests and anonymous sessions have none.
  if (!again && key) {
    session.session_key = *key;
    derive_keys(c, session);
    session.encrypt_data =
        e.config.encryption == Requirement::kRequired && session.sealer != nullptr;
    session.signing_required = (request.security_mode & wire::kNegotiateSigningRequired) != 0 ||
                               e.config.signing == Requirement::kRequired;
  }
  if (session.is_guest) SOMETIMES(e, kGuest);
  if (session.is_anonymous) SOMETIMES(e, kAnonymous);
  if (again) SOMETIMES(e, kRenewed);
  session.acceptor.reset();
  session.preauth.reset();
  session.state = SessionState::kValid;
  c.authenticated = true;
  if (!again) e.counters.sessions_established += 1;
  e.log(LogLevel::kInfo, c.id, again ? "session renewed" : "session established",
        static_cast<uint64_t>(c.dialect), wire_session_id(session.id));
  end_previous(e, session, request.previous_session_id);
  if (session.encrypt_data) return wire::kSessionFlagEncryptData;
  if (session.is_guest) return wire::kSessionFlagIsGuest;
  return session.is_anonymous ? wire::kSessionFlagIsNull : 0;
}

Outcome answer(Call call, NtStatus status, uint16_t flags, Bytes token) {
  wire::SessionSetupResponse response;
  response.session_flags = flags;
  response.security_buffer = token;
  return call.reply(response, status);
}

// The peer has proved (or not) who it is: look the account up, judge the proof.
Task<Outcome> finish_exchange(Call call, AcceptorStep step) {
  EngineState& e = call.engine();
  call.session()->busy = true;
  AccountFound account;
  // The step's views end with the session, which a disconnect ends before the answer is here.
  std::string user(step.user), domain(step.domain);
  if (!step.is_anonymous) account = co_await call.account(user, domain);
  Session* session = call.session();
  if (session == nullptr || call.connection() == nullptr) {
    SOMETIMES(e, kSessionGoneInLookup);
    co_return NtStatus::kUserSessionDeleted;
  }
  session->busy = false;
  if (session->state == SessionState::kEnding) co_return NtStatus::kUserSessionDeleted;
  auto request = wire::SessionSetupRequest::parse(call.element());
  auto identity = identify(e.config, step, account);
  if (!identity) co_return refuse(call, identity.error());
  // Guests have no key, and a peer without a cipher can't seal: neither meets a requirement.
  bool must_sign = e.config.signing == Requirement::kRequired;
  bool must_seal = e.config.encryption == Requirement::kRequired;
  if (*identity != Identity::kUser && (must_sign || must_seal))
    co_return refuse(call, NtStatus::kLogonFailure);
  if (must_seal && call.connection()->cipher == wire::Cipher::kNone)
    co_return refuse(call, NtStatus::kAccessDenied);
  std::array<uint8_t, 512> token;
  Result<auth::AcceptorResult> result = fail(NtStatus::kLogonFailure);
  if (*identity == Identity::kUser)
    result = session->acceptor->finish({account.nt_hash}, token);
  else if (*identity == Identity::kGuest)
    result = session->acceptor->finish_guest(token);
  else
    result = session->acceptor->finish_anonymous(token);
  if (!result) co_return refuse(call, result.error());
  uint16_t flags = establish(call, *request, *identity, step, account, result->session_key);
  co_return answer(call, NtStatus::kSuccess, flags, Bytes(token).first(result->reply_size));
}

}  // namespace

Step session_setup(Call call) {
  EngineState& e = call.engine();
  Connection& c = *call.connection();
  auto request = wire::SessionSetupRequest::parse(call.element());
  if (!request) return request.error();
  // Binding a second channel needs multichannel, which is not negotiated: 3.3.5.5.
  if (request->flags & wire::kSessionSetupFlagBinding) return NtStatus::kRequestNotAccepted;
  auto slot = find_or_make_session(call);
  if (!slot) return slot.error();
  Session& session = e.sessions.get(*slot);
  auth::AcceptorContext context;
  context.server_name = e.config.server_name;
  context.domain = e.config.server_name;
  context.dns_name = e.config.dns_name;
  context.now = e.wall;
  if (!e.entropy.take(context.challenge)) return refuse(call, NtStatus::kInsufficientResources);
  std::array<uint8_t, Acceptor::kReplySizeMax> token;
  AcceptorStep step = session.acceptor->accept(request->security_buffer, context, token);
  switch (step.outcome) {
    case AcceptorStep::Outcome::kContinue:
      return answer(call, NtStatus::kMoreProcessingRequired, 0,
                    Bytes(token).first(step.reply_size));
    case AcceptorStep::Outcome::kFailed:
      return refuse(call, step.status);
    case AcceptorStep::Outcome::kNeedAccount: {
      Task<Outcome> finish = finish_exchange(call, step);
      // The exchange can't go on from here.
      if (!finish) return refuse(call, NtStatus::kInsufficientResources);
      return spawn(call, std::move(finish));
    }
  }
  return NtStatus::kInternalError;
}

Step logoff(Call call) {
  // 3.3.5.6 Receiving an SMB2 LOGOFF Request. The session goes once the reply is signed.
  auto request = wire::LogoffRequest::parse(call.element());
  if (!request) return request.error();
  if (!PLANTED(kHandleAfterLogoff)) mark_ending(call);
  return call.reply(wire::LogoffResponse{});
}

}  // namespace semblance::smb
