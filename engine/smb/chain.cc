#include <algorithm>

#include "engine/base/planted.h"
#include "engine/smb/chain.h"
#include "engine/smb/marks.h"

#include "engine/smb/commands.h"
#include "engine/smb/name_claims.h"
#include "engine/smb/outgoing.h"
#include "engine/smb/teardown.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/transform_header.h"

namespace semblance::smb {
namespace {

using wire::Command;

// Finds the extent of the element at `element_at`: 3.3.5.2.7. False for a chain that leads nowhere.
bool take_element(Request& r) {
  Bytes rest = r.message.subspan(r.element_at);
  auto header = wire::Header::parse(rest);
  if (!header) return false;
  r.header = *header;
  size_t next = header->next_command;
  if (next == 0) {
    r.element_size = rest.size();
    r.last_element = true;
    return true;
  }
  if (next % 8 != 0 || next < wire::kHeaderSize || next + wire::kHeaderSize > rest.size())
    return false;
  r.element_size = next;
  r.last_element = false;
  return true;
}

// What a related element inherits from the one before: 3.3.5.2.7.2.
NtStatus inherit(EngineState& e, Request& r) {
  if (!r.header.is_related()) {
    r.chain_file = wire::FileId::previous();
    r.chain_status = NtStatus::kSuccess;
    r.chain_broken = false;
  } else if (r.element_at != 0) {
    SOMETIMES(e, kRelated);
    r.header.session_id = r.chain_session;
    r.header.tree_id = r.chain_tree;
  }
  r.chain_session = r.header.session_id;
  r.chain_tree = r.header.tree_id;
  if (r.header.is_related() && (r.element_at == 0 || r.chain_broken)) {
    SOMETIMES(e, kBrokenChain);
    return NtStatus::kInvalidParameter;
  }
  return NtStatus::kSuccess;
}

// 3.3.5.2.4 Verifying the Signature.
NtStatus check_signature(Call call, Session* session) {
  Request& r = call.request();
  r.was_signed = r.header.is_signed() && !r.was_sealed;
  if (r.was_sealed) return NtStatus::kSuccess;  // the cipher has vouched for it
  if (session == nullptr || session->signer == nullptr) return NtStatus::kSuccess;
  if (!r.was_signed) {
    if (!session->signing_required || session->state == SessionState::kInProgress)
      return NtStatus::kSuccess;
    if (PLANTED(kUnsignedAccepted)) return NtStatus::kSuccess;
    SOMETIMES(call.engine(), kUnsignedRefused);
    return NtStatus::kAccessDenied;
  }
  r.ledger.crypto_calls += 1;
  if (session->signer->verify(call.element())) return NtStatus::kSuccess;
  if (PLANTED(kBadSignatureAccepted)) return NtStatus::kSuccess;
  if (PLANTED(kSignedAfterEffect) && r.header.command == Command::kWrite) return NtStatus::kSuccess;
  call.engine().counters.bad_signatures += 1;
  SOMETIMES(call.engine(), kBadSignature);
  call.engine().log(LogLevel::kWarn, r.connection, "signature is wrong", r.header.message_id,
                    r.header.session_id);
  r.was_signed = false;  // the reply is not signed for whoever forged this
  return NtStatus::kAccessDenied;
}

// 3.3.5.2.5 Verifying the Credit Charge and the Payload Size.
NtStatus check_charge(const Connection& c, const Request& r, const CommandRule& rule,
                      Bytes element) {
  if (rule.payload == nullptr) return NtStatus::kSuccess;
  uint64_t payload = rule.payload(element);
  if (payload == 0) return NtStatus::kSuccess;
  uint64_t needed = (payload - 1) / 65536 + 1;
  uint64_t charged = c.supports_multi_credit ? std::max<uint16_t>(r.header.credit_charge, 1) : 1;
  return needed > charged ? NtStatus::kInvalidParameter : NtStatus::kSuccess;
}

// 3.3.5.2.9 Verifying the Session, 3.3.5.2.11 Verifying the Tree Connect.
NtStatus check_session(Call call, const CommandRule& rule) {
  Request& r = call.request();
  EngineState& e = call.engine();
  Session* session = e.sessions.find(session_slot(r.header.session_id));
  if (session != nullptr && session->connection != r.connection) {
    SOMETIMES(e, kForeignSession);
    session = nullptr;
  }
  r.session = session != nullptr ? session->id : SessionSlot{};
  // What is signed is signed with a session's key: 3.3.5.2.4.
  bool signs = r.header.is_signed() && r.header.command != Command::kSessionSetup;
  if (signs && !r.was_sealed && session == nullptr) {
    SOMETIMES(e, kSignedBySessionGone);
    return NtStatus::kUserSessionDeleted;
  }
  if (rule.needs_session && (session == nullptr || session->state != SessionState::kValid))
    return NtStatus::kUserSessionDeleted;
  // A sealed message speaks for the session whose key sealed it and no other.
  if (r.was_sealed && r.session != r.sealed_by) return NtStatus::kAccessDenied;
  return NtStatus::kSuccess;
}

// A session that is to be sealed hears nothing else (3.3.5.2.9). Judged after the signature, so
// that the refusal of a signed request is signed.
NtStatus check_plaintext(Call call, const CommandRule& rule) {
  if (!rule.needs_session || call.request().was_sealed) return NtStatus::kSuccess;
  return call.session()->encrypt_data ? NtStatus::kAccessDenied : NtStatus::kSuccess;
}

NtStatus check_tree(Call call, const CommandRule& rule) {
  Request& r = call.request();
  EngineState& e = call.engine();
  if (!rule.needs_tree) return NtStatus::kSuccess;
  uint32_t id = r.header.tree_id;
  TreeConnect* tree = e.trees.find({id & 0xFFFF, id >> 16});
  if (tree != nullptr && tree->session != r.session) {
    SOMETIMES(e, kForeignTree);
    tree = nullptr;
  }
  if (tree == nullptr) return NtStatus::kNetworkNameDeleted;
  if (tree->encrypt_data && !r.was_sealed) return NtStatus::kAccessDenied;
  r.tree = tree->id;
  return NtStatus::kSuccess;
}

bool is_known(Command command) { return static_cast<size_t>(command) < wire::kCommandCount; }

// Whether a fresh connection may say this, and a negotiated one.
bool phase_allows(const Connection& c, Command command) {
  bool negotiated = c.phase == ConnectionPhase::kNegotiated;
  return (command == Command::kNegotiate) != negotiated;
}

// Takes the next element through all checks to its handler. nullopt: suspended, or the connection
// is breaking off (then no_reply is set).
Step start_element(Call call) {
  EngineState& e = call.engine();
  Request& r = call.request();
  Connection* c = call.connection();
  if (c == nullptr) return NtStatus::kNetworkNameDeleted;
  bool first = r.element_at == 0;
  if (!take_element(r)) {
    violate(e, *c, "malformed chain", r.element_at);
    return Outcome{};
  }
  r.shape = Shape::kNone;
  r.ledger = {};
  r.components = 0;
  r.tree = {};
  r.is_compound = r.is_compound || !r.last_element || !first;
  if (r.header.is_response()) {
    violate(e, *c, "not a request", static_cast<uint64_t>(r.header.command));
    return Outcome{};
  }
  const CommandRule& rule = command_rule(r.header.command);
  e.counters.requests += 1;
  if (is_known(r.header.command)) e.counters.by_command[static_cast<size_t>(r.header.command)] += 1;
  if (r.header.command == Command::kCancel) {
    r.no_reply = true;
    NtStatus related = inherit(e, r);
    if (related == NtStatus::kSuccess && check_session(call, rule) == NtStatus::kSuccess &&
        check_signature(call, call.session()) == NtStatus::kSuccess)
      cancel(call);
    return Outcome{};
  }
  r.no_reply = false;
  uint16_t charge = c->supports_multi_credit ? r.header.credit_charge : uint16_t{1};
  if (!c->window.consume(r.header.message_id, charge)) {
    SOMETIMES(e, kOutsideWindow);
    violate(e, *c, "message id outside the window", r.header.message_id);
    return Outcome{};
  }
  if (!phase_allows(*c, r.header.command)) {
    SOMETIMES(e, kOutOfPhase);
    violate(e, *c, "command before or after its time", static_cast<uint64_t>(r.header.command));
    return Outcome{};
  }
  NtStatus status = inherit(e, r);
  NtStatus of_session = check_session(call, rule);
  if (status == NtStatus::kSuccess) {
    status = of_session;
  } else if (of_session == NtStatus::kSuccess) {
    check_signature(call, call.session());  // refused as it is, its answer is signed like any other
  } else if (r.header.is_signed()) {
    status = of_session;  // with whose key could one sign anything else?
  }
  r.chain_broken = status != NtStatus::kSuccess;
  if (status == NtStatus::kSuccess) status = check_signature(call, call.session());
  if (status == NtStatus::kSuccess) {
    status = check_plaintext(call, rule);
    if (status == NtStatus::kSuccess) status = check_tree(call, rule);
    r.chain_broken = status != NtStatus::kSuccess;
  }
  if (status == NtStatus::kSuccess) {
    status = check_charge(*c, r, rule, call.element());
    if (status != NtStatus::kSuccess) SOMETIMES(e, kUndercharged);
  }
  if (status != NtStatus::kSuccess) return status;
  return rule.handle(call);
}

void settle_ledger(EngineState& e, const Request& r) {
  LedgerRow& row = e.ledgers[static_cast<size_t>(r.shape)];
  uint32_t total = r.ledger.total();
  row.requests += 1;
  row.operations += total;
  row.operations_max = std::max(row.operations_max, total);
  row.bytes_copied += r.ledger.bytes_copied;
  row.crypto_calls += r.ledger.crypto_calls;
  if (total > operation_budget(r.shape, r.ledger, r.components)) {
    // Dear, not dangerous: fatal where it is looked for, counted in production.
    row.over_budget += 1;
    CHECK(e.config.bugs != BugPolicy::kAbort);
  }
}

void end_request(EngineState& e, RequestId id) {
  Request& r = e.requests.get(id);
  release_message(e, r);
  if (Connection* c = e.connections.find(r.connection)) {
    --c->requests;
    if (r.async) --c->async_requests;
  }
  if (r.async) --e.async_requests;
  SessionSlot session = r.session;
  e.requests.release(id);
  end_retired_session(e, session);
}

// Removes what a LOGOFF or a failed authentication leaves, once its reply is signed.
void remove_marked_session(EngineState& e, Request& r) {
  if (r.remove_session) retire_session(e, std::exchange(r.remove_session, {}), r.id);
}

// Answers the element. True when the message has another one to start.
bool finish_element(Call call, const Outcome& outcome) {
  EngineState& e = call.engine();
  Request& r = call.request();
  r.task.reset();
  call.release_use();
  release_claims(call);
  settle_ledger(e, r);
  Connection* c = call.connection();
  if (c == nullptr || (c->phase == ConnectionPhase::kClosing && !r.no_reply)) {
    remove_marked_session(e, r);
    end_request(e, r.id);
    return false;
  }
  if (PLANTED(kReplyLost) && r.header.command == Command::kQueryInfo && outcome.size > 200)
    r.no_reply = true;
  if (!r.no_reply) {
    r.chain_status = outcome.status;
    size_t at = r.reply_at;
    size_t size = finish_reply_element(e, *c, r, outcome);
    after_reply(call, outcome.status, c->outbox.bytes(e.transmit, r.reply).subspan(at, size));
  }
  if (!r.last_element) {
    r.element_at += r.element_size;
    return true;
  }
  if (r.reply && r.reply_at > reply_base(r)) send_reply(e, *c, r);
  remove_marked_session(e, r);
  end_request(e, r.id);
  return false;
}

void run_from(Call call, Step step) {
  while (step && finish_element(call, *step)) step = start_element(call);
}

}  // namespace

void begin_message(EngineState& e, Connection& c, BufferId buffer, Bytes message, Region reply,
                   SessionSlot sealed_by) {
  RequestId id = e.requests.acquire();
  CHECK(id);  // the receiver has made sure of it
  Request& r = e.requests.get(id);
  r.id = id;
  r.connection = c.id;
  r.buffer = buffer;
  r.message = message;
  r.reply = reply;
  r.was_sealed = static_cast<bool>(sealed_by);
  r.sealed_by = sealed_by;
  r.reply_at = reply_base(r);
  r.started = e.now;
  c.pins.pin(buffer);
  ++c.requests;
  e.counters.messages += 1;
  Call call(e, id);
  run_from(call, start_element(call));
  if (e.requests.find(id) != nullptr && !e.requests.get(id).async) e.slow.push_back(id);
}

bool begin_internal(EngineState& e, Task<Outcome> (*work)(Call, OpenSlot), OpenSlot open) {
  RequestId id = e.requests.acquire();
  if (!id) return false;
  Request& r = e.requests.get(id);
  r.id = id;
  r.no_reply = true;
  r.started = e.now;
  Call call(e, id);
  Task<Outcome> task = work(call, open);
  if (!task) {
    e.requests.release(id);
    return false;
  }
  run_from(call, spawn(call, std::move(task)));
  return true;
}

Step spawn(Call call, Task<Outcome> task) {
  if (!task) {
    SOMETIMES(call.engine(), kNoFrame);
    return NtStatus::kInsufficientResources;
  }
  Request& r = call.request();
  r.task = std::move(task);
  r.task->resume();
  if (r.task->done()) return r.task->value();
  return std::nullopt;
}

namespace {

// Goes on where the request was suspended, with whatever it waited for in its place.
void resume(EngineState& e, RequestId id, std::coroutine_handle<> waiter) {
  waiter.resume();
  Request& r = e.requests.get(id);
  if (r.task->done()) run_from(Call(e, id), r.task->value());
}

}  // namespace

void resume_operation(EngineState& e, OperationId id, const StoreResult& result) {
  Operation* found = e.operations.find(id);
  if (found == nullptr || found->account != nullptr) {  // late, repeated or unknown: legal
    SOMETIMES(e, kStaleCompletion);
    return;
  }
  Operation operation = *found;
  e.operations.release(id);
  if (operation.is_close) {
    --e.closes;
    return;
  }
  Request& r = e.requests.get(operation.request);
  r.in_store = false;
  if (result.error == StoreError::kNoSpace) SOMETIMES(e, kDiskFull);
  if (result.error == StoreError::kIo) SOMETIMES(e, kDiskFailed);
  if (e.connections.find(r.connection) == nullptr) SOMETIMES(e, kConnectionGoneInStore);
  if (operation.waiter) {
    *operation.result = result;
    resume(e, operation.request, operation.waiter);
  } else {
    Call call(e, operation.request);
    run_from(call, operation.then(call, result));
  }
}

void resume_account(EngineState& e, const AccountFound& account) {
  Operation* found = e.operations.find(account.operation);
  if (found == nullptr || found->account == nullptr) return;
  Operation operation = *found;
  e.operations.release(account.operation);
  *operation.account = account;
  resume(e, operation.request, operation.waiter);
}

void resume_woken(EngineState& e) {
  for (size_t left = e.woken.size(); left > 0; --left) {
    RequestId id = e.woken.front();
    e.woken.pop_front();
    Request* r = e.requests.find(id);
    if (r == nullptr || !r->waiter) continue;
    if (Connection* c = e.connections.find(r->connection); c != nullptr && !r->reply) {
      constexpr size_t kStatusReply =
          wire::kFrameHeaderSize + wire::kTransformHeaderSize + wire::kHeaderSize + 64;
      r->reply = c->outbox.reserve(e.transmit, kStatusReply);
      r->reply_at = reply_base(*r);
      if (!r->reply) {
        e.woken.push_back(id);  // again in the next step
        continue;
      }
    }
    resume(e, id, r->waiter);
  }
}

size_t reply_bound(const EngineState& e, const Connection& c, Bytes message) {
  size_t total = wire::kFrameHeaderSize;
  size_t at = 0;
  for (uint32_t elements = 0; elements < e.limits.compound; ++elements) {
    Bytes rest = message.subspan(at);
    auto header = wire::Header::parse(rest);
    if (!header) return 0;
    size_t next = header->next_command;
    if (next != 0 &&
        (next % 8 != 0 || next < wire::kHeaderSize || next + wire::kHeaderSize > rest.size()))
      return 0;
    Bytes element = next == 0 ? rest : rest.first(next);
    total += align_up(wire::kHeaderSize + command_rule(header->command).reply_bound(c, element), 8);
    if (next == 0) return total;
    at += next;
  }
  return 0;
}

void release_message(EngineState& e, Request& r) {
  Connection* c = e.connections.find(r.connection);
  if (PLANTED(kPinLeaked) && r.buffer != BufferId::kNone && is_error(r.chain_status)) {
    r.buffer = BufferId::kNone;
  }
  if (r.buffer != BufferId::kNone) {
    BufferId buffer = std::exchange(r.buffer, BufferId::kNone);
    r.message = {};
    r.element_at = 0;
    r.element_size = 0;
    // While its bytes are being looked at, the receiver reports on the buffer itself.
    bool last = c != nullptr ? c->pins.unpin(buffer) : e.orphan_pins.unpin(buffer);
    if (last && (c == nullptr || c->receiving != buffer)) e.emit(ReleaseBuffer{buffer});
  }
  if (c != nullptr)
    c->outbox.cancel(e.transmit, r.reply);
  else
    e.transmit.drop(r.reply);
}

void bug(EngineState& e, ConnectionId connection, const char* id, uint64_t detail) {
  CHECK(e.config.bugs != BugPolicy::kAbort);
  e.counters.bugs += 1;
  e.log(LogLevel::kError, connection, id, detail);
  if (Connection* c = e.connections.find(connection)) violate(e, *c, "closed for a bug of ours");
}

void violate(EngineState& e, Connection& c, const char* what, uint64_t detail) {
  if (c.phase == ConnectionPhase::kClosing) return;
  c.phase = ConnectionPhase::kClosing;
  e.counters.protocol_violations += 1;
  e.log(LogLevel::kWarn, c.id, what, detail);
  e.emit(CloseConnection{c.id});
}

}  // namespace semblance::smb
