#include <algorithm>

#include "engine/base/planted.h"
#include "engine/smb/outgoing.h"

#include "engine/smb/chain.h"
#include "engine/smb/sealing.h"
#include "engine/wire/error_response.h"
#include "engine/wire/frame_header.h"

namespace semblance::smb {
namespace {

// Whether the reply to this element is signed: 3.3.4.1.1.
bool must_sign(EngineState& engine, const Request& r, NtStatus status) {
  const Session* session = engine.sessions.find(r.session);
  if (session == nullptr || session->signer == nullptr || r.was_sealed) return false;
  if (r.header.command == wire::Command::kSessionSetup)
    return status == NtStatus::kSuccess || r.was_signed;
  if (PLANTED(kReplyUnsigned)) return false;
  return r.was_signed || session->signing_required;
}

// Credits for one element: what it asks for, but a peer that has not logged in yet keeps few.
uint16_t grant_credits(Connection& c, const Request& r) {
  if (PLANTED(kCreditLostInCompound) && r.is_compound) return 0;
  if (r.async) return 0;  // the interim reply has granted them
  if (c.phase != ConnectionPhase::kNegotiated || r.header.command == wire::Command::kNegotiate)
    return c.window.grant(1);
  return c.window.grant(std::max<uint16_t>(r.header.credits, 1));
}

wire::Header reply_header(Connection& c, const Request& r, NtStatus status, bool sign) {
  wire::Header h;
  h.credit_charge = r.header.credit_charge;
  h.status = static_cast<uint32_t>(status);
  h.command = r.header.command;
  h.credits = grant_credits(c, r);
  h.flags = wire::kFlagServerToRedir | (r.header.flags & wire::kFlagRelatedOperations) |
            (r.header.flags & wire::kFlagPriorityMask & (c.is_311() ? ~0u : 0u));
  if (sign) h.flags |= wire::kFlagSigned;
  h.message_id = r.header.message_id;
  h.session_id = r.header.session_id;
  if (r.async) {
    h.flags |= wire::kFlagAsyncCommand;
    h.async_id = r.async_id;
  } else {
    h.process_id = r.header.process_id;
    h.tree_id = PLANTED(kTreeIdLost) ? 0 : r.header.tree_id;
  }
  return h;
}

void sign_element(EngineState& engine, Request& r, MutableBytes element) {
  Session* session = engine.sessions.find(r.session);
  if (session == nullptr || session->signer == nullptr) return;
  session->signer->sign(element);
  r.ledger.crypto_calls += 1;
}

}  // namespace

size_t finish_reply_element(EngineState& engine, Connection& c, Request& r,
                            const Outcome& outcome) {
  MutableBytes reply = c.outbox.bytes(engine.transmit, r.reply);
  bool sign = must_sign(engine, r, outcome.status);
  wire::Builder b(reply.subspan(r.reply_at));
  reply_header(c, r, outcome.status, sign).build(b);
  size_t size = outcome.size;
  if (size == 0) {
    wire::ErrorResponse{}.build(b);
    size = b.size();
  }
  CHECK(b.ok() && r.reply_at + size <= reply.size());
  if (is_error(outcome.status)) engine.counters.errors += 1;
  // Whether another element follows is known from the request; padding up to it counts as part of
  // this one and is signed with it.
  MutableBytes element = reply.subspan(r.reply_at, size);
  if (!r.last_element) {
    size_t padded = align_up(size, 8);
    element = reply.subspan(r.reply_at, padded);
    std::memset(element.data() + size, 0, padded - size);
    store<uint32_t>(element.data() + wire::kHeaderNextCommandAt, static_cast<uint32_t>(padded));
  }
  if (sign) sign_element(engine, r, element);
  r.previous_at = r.reply_at;
  r.reply_at += element.size();
  return element.size();
}

size_t reply_base(const Request& r) {
  return wire::kFrameHeaderSize + (r.was_sealed ? wire::kTransformHeaderSize : 0);
}

namespace {

// Gives the message in the region its frame, sealed if the request was, and queues it. What can't
// be sealed any more, because the session is gone, is not sent.
void send_region(EngineState& engine, Connection& c, Request& r, Region& region, size_t used) {
  MutableBytes frame = c.outbox.bytes(engine.transmit, region).first(used);
  if (r.was_sealed) {
    Session* session = engine.sessions.find(r.sealed_by);
    if (session == nullptr) {
      c.outbox.cancel(engine.transmit, region);
      return;
    }
    seal_frame(*session, frame);
    r.ledger.crypto_calls += 1;
  }
  wire::Builder b(frame);
  wire::FrameHeader{wire::kFrameSessionMessage,
                    static_cast<uint32_t>(used - wire::kFrameHeaderSize)}
      .build(b);
  queue(engine, c, region, used);
}

// The last element that was answered was finished as if another followed. When none does after
// all, because that has no reply or only an interim one, its link goes, and it is signed again by
// the key of its own session.
void end_chain(EngineState& engine, Connection& c, Request& r) {
  MutableBytes reply = c.outbox.bytes(engine.transmit, r.reply);
  MutableBytes element = reply.subspan(r.previous_at, r.reply_at - r.previous_at);
  if (load<uint32_t>(element.data() + wire::kHeaderNextCommandAt) == 0) return;
  store<uint32_t>(element.data() + wire::kHeaderNextCommandAt, 0u);
  if ((element[wire::kHeaderFlagsAt] & wire::kFlagSigned) == 0) return;
  Session* session = engine.sessions.find(session_slot(wire::Header::parse(element)->session_id));
  if (session == nullptr || session->signer == nullptr) return;
  session->signer->sign(element);
  r.ledger.crypto_calls += 1;
}

}  // namespace

void send_reply(EngineState& engine, Connection& c, Request& r) {
  end_chain(engine, c, r);
  send_region(engine, c, r, r.reply, r.reply_at);
}

bool send_interim(EngineState& engine, Request& r) {
  Connection& c = *engine.connections.find(r.connection);
  // Requests that wait take room from those that do not: half of it at the most.
  if (c.async_requests >= engine.limits.async_per_connection ||
      engine.async_requests >= engine.limits.requests / 2)
    return false;
  constexpr size_t kErrorBody = 16;
  size_t base = reply_base(r);
  Region region = c.outbox.reserve(engine.transmit, base + wire::kHeaderSize + kErrorBody);
  if (!region) return false;
  // What the compound has answered so far leaves first, as a message of its own.
  if (r.reply_at > base && r.reply) {
    send_reply(engine, c, r);
    r.reply_at = base;
  }
  r.async_id = r.id.packed();
  wire::Builder b(c.outbox.bytes(engine.transmit, region));
  b.reserve(base);
  wire::Header h = reply_header(c, r, NtStatus::kPending, false);
  h.flags |= wire::kFlagAsyncCommand;
  h.async_id = r.async_id;
  h.build(b);
  wire::ErrorResponse{}.build(b);
  send_region(engine, c, r, region, b.size());
  r.async = true;
  ++c.async_requests;
  ++engine.async_requests;
  return true;
}

void queue(EngineState& engine, Connection& c, Region& region, size_t used) {
  c.outbox.queue(engine.transmit, region, used);
  if (c.announced) return;
  c.announced = true;
  engine.emit(TransmitReady{c.id});
}

}  // namespace semblance::smb
