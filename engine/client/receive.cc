// The receiving half of Client: frames, seals, compounds, signatures, credits.
// MS-SMB2 3.2.5.1 Receiving Any Message.

#include <algorithm>

#include "engine/client/client.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/tree_connect.h"

namespace semblance::client {

using wire::Command;

void Client::fault(std::string what) {
  if (!lenient_) faults_.push_back(std::move(what));
}

void Client::receive(Bytes bytes) {
  incoming_.insert(incoming_.end(), bytes.begin(), bytes.end());
  size_t at = 0;
  for (;;) {
    MutableBytes rest = MutableBytes(incoming_).subspan(at);
    auto frame = wire::FrameHeader::parse(rest);
    if (!frame || rest.size() < wire::kFrameHeaderSize + frame->length) break;
    if (frame->type != wire::kFrameSessionMessage) fault("frame of an unknown type");
    // The sessions may change while it is taken in, the buffer does not.
    take_frame(rest.subspan(wire::kFrameHeaderSize, frame->length));
    at += wire::kFrameHeaderSize + frame->length;
  }
  incoming_.erase(incoming_.begin(), incoming_.begin() + at);
}

// 3.2.5.1.1: what does not open is dropped.
void Client::take_frame(MutableBytes message) {
  if (wire::protocol_id(message) != wire::kProtocolIdTransform) return take_message(message, 0);
  auto header = wire::TransformHeader::parse(message);
  if (!header) return fault("broken transform header");
  Session* session = find_session(header->session_id);
  if (session == nullptr || session->seals() == nullptr)
    return fault("sealed for a session without a key");
  if (std::string wrong = session->seals()->open(*header, message); !wrong.empty())
    return fault(std::move(wrong));
  Bytes inner = message.subspan(wire::kTransformHeaderSize);
  if (wire::protocol_id(inner) != wire::kProtocolIdSmb2) return fault("no message in a seal");
  take_message(inner, header->session_id);
}

void Client::take_message(Bytes message, uint64_t sealed_by) {
  for (;;) {
    auto header = wire::Header::parse(message);
    if (!header || !header->is_response()) return fault("not a response");
    size_t next = header->next_command;
    if (next != 0 && (next % 8 != 0 || next < wire::kHeaderSize || next >= message.size()))
      return fault("NextCommand of a response leads nowhere");
    Bytes element = next == 0 ? message : message.first(next);
    Reply reply;
    reply.header = *header;
    reply.element.assign(element.begin(), element.end());
    reply.sealed = sealed_by != 0;
    if (reply.sealed && header->session_id != sealed_by)
      fault("sealed reply that speaks of another session");
    take_reply(std::move(reply));
    if (next == 0) return;
    message = message.subspan(next);
  }
}

Signature Client::verify(const Reply& reply, Session* session) {
  if (!reply.header.is_signed()) return Signature::kNone;
  if (session == nullptr || session->signer() == nullptr) return Signature::kNoKey;
  return session->signer()->verify(reply.element) ? Signature::kGood : Signature::kBad;
}

void Client::check_reply(const Reply& reply, const Pending& pending) {
  const wire::Header& h = reply.header;
  if (h.command != pending.command) fault("reply of another command");
  if (h.is_async() && pending.interims == 0 && h.nt_status() != NtStatus::kPending)
    fault("asynchronous reply without an interim one");
  if (h.is_async() && pending.async_id != 0 && h.async_id != pending.async_id)
    fault("AsyncId changed");
  bool interim = h.is_async() && h.nt_status() == NtStatus::kPending;
  if (reply.signature == Signature::kBad) fault("reply with a wrong signature");
  if (reply.signature == Signature::kNoKey) fault("reply signed with a key that is not there");
  // 3.2.5.1.3: a server that no longer knows the session has no key.
  bool no_session = h.nt_status() == NtStatus::kUserSessionDeleted ||
                    h.nt_status() == NtStatus::kNetworkSessionExpired;
  if (pending.signed_well && !interim && !no_session && reply.signature == Signature::kNone)
    fault("unsigned reply to a signed request");
}

void Client::check_sealed(const Reply& reply, const Pending& pending, const Session* session) {
  if (reply.sealed) {
    if (!pending.sealed) fault("sealed reply to a plaintext request");
    return;
  }
  if (pending.sealed) fault("plaintext reply to a sealed request");
  bool must = session != nullptr && pending.login == nullptr && session->must_seal();
  if (must && !is_error(reply.status())) fault("plaintext from a session that is to be sealed");
}

void Client::take_reply(Reply reply) {
  const wire::Header& h = reply.header;
  credits_ += h.credits;
  if (credits_ > UINT16_MAX) fault("credits overflow");
  auto found = pending_.find(h.message_id);
  if (found == pending_.end()) {
    if (h.message_id != wire::kUnsolicitedMessageId) fault("reply to a request that is not open");
    unexpected_.push_back(std::move(reply));
    return;
  }
  Pending& pending = found->second;
  Session* session = pending.login != nullptr ? pending.login : find_session(pending.session_id);
  if (pending.login != nullptr)
    session->prepare(h, reply.element, KeyContext{dialect_, algorithm_, cipher_});
  reply.signature = verify(reply, session);
  check_reply(reply, pending);
  check_sealed(reply, pending, session);
  if (h.is_async() && h.nt_status() == NtStatus::kPending) {
    if (++pending.interims > 1) fault("two interim replies");
    pending.async_id = h.async_id;
    return;
  }
  reply.interims = pending.interims;
  Pending done = pending;
  pending_.erase(found);
  if (done.command == Command::kNegotiate) take_negotiate(reply);
  if (done.login != nullptr) {
    done.login->received(h, reply.element);
    bool keyed = done.login->valid() && done.login->signer() != nullptr;
    if (keyed && reply.ok() && dialect_ == wire::Dialect::kSmb311 &&
        reply.signature != Signature::kGood)
      fault("final SESSION_SETUP reply of 3.1.1 is not signed");
    if (done.login->status() == NtStatus::kMoreProcessingRequired) send_login_leg(*done.login);
    return;
  }
  if (done.command == Command::kTreeConnect && session != nullptr) {
    if (auto tree = reply.as<wire::TreeConnectResponse>())
      session->tree_connected(h.tree_id, tree->share_flags);
  }
  if (done.command == Command::kLogoff && reply.ok() && session != nullptr) session->end();
  replies_[h.message_id] = std::move(reply);
}

std::optional<Reply> Client::take(uint64_t message_id) {
  auto found = replies_.find(message_id);
  if (found == replies_.end()) return std::nullopt;
  Reply reply = std::move(found->second);
  replies_.erase(found);
  return reply;
}

uint64_t Client::async_id(uint64_t message_id) const {
  auto found = pending_.find(message_id);
  return found != pending_.end() ? found->second.async_id : 0;
}

}  // namespace semblance::client
