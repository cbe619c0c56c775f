#include "engine/client/client.h"

#include <algorithm>

#include "engine/wire/frame_header.h"
#include "engine/wire/simple_body.h"

namespace semblance::client {

using wire::Command;

Client::Client(Options options) : options_(std::move(options)) {}

void Client::send_raw(Bytes bytes) {
  outgoing_.insert(outgoing_.end(), bytes.begin(), bytes.end());
}

void Client::send_message(Bytes message) {
  std::array<uint8_t, wire::kFrameHeaderSize> frame;
  wire::Builder b(frame);
  wire::FrameHeader{wire::kFrameSessionMessage, static_cast<uint32_t>(message.size())}.build(b);
  send_raw(frame);
  send_raw(message);
}

// ---- Connection ---------------------------------------------------------------------------------

std::vector<uint8_t> Client::negotiate_contexts(uint16_t& count) const {
  if (options_.raw_contexts) {
    count = options_.raw_context_count;
    return *options_.raw_contexts;
  }
  std::vector<uint8_t> list(512);
  wire::Builder b(list);
  wire::NegotiateContextWriter writer(b);
  const uint16_t sha512[] = {static_cast<uint16_t>(wire::HashAlgorithm::kSha512)};
  writer.add(wire::PreauthIntegrityContext{wire::U16List::of(sha512), options_.guid});
  if (!options_.ciphers.empty())
    writer.add(wire::EncryptionContext{wire::U16List::of(options_.ciphers)});
  if (!options_.signing_algorithms.empty())
    writer.add(wire::SigningContext{wire::U16List::of(options_.signing_algorithms)});
  CHECK(b.ok());
  list.resize(b.size());
  count = writer.count();
  return list;
}

uint64_t Client::negotiate() {
  wire::NegotiateRequest body;
  body.security_mode = options_.security_mode;
  body.capabilities = options_.capabilities;
  body.client_guid = options_.guid;
  body.dialects = wire::U16List::of(options_.dialects);
  std::vector<uint8_t> contexts;
  if (body.offers(wire::Dialect::kSmb311)) {
    contexts = negotiate_contexts(body.context_count);
    body.contexts = contexts;
  }
  Request request = make_request(Command::kNegotiate, body, 2 * options_.dialects.size() + 4096);
  request.mutate = [this](std::vector<uint8_t>& element) { preauth_.update(element); };
  return send(std::move(request));
}

void Client::take_negotiate(const Reply& reply) {
  auto response = reply.as<wire::NegotiateResponse>();
  if (!response) return;
  negotiated_ = true;
  dialect_ = response->dialect_revision;
  server_capabilities_ = response->capabilities;
  if (!wire::U16List::of(options_.dialects).contains(static_cast<uint16_t>(dialect_)))
    fault("NEGOTIATE chose a dialect that was not offered");
  algorithm_ = dialect_ >= wire::Dialect::kSmb300 ? crypto::SigningAlgorithm::kAesCmac
                                                  : crypto::SigningAlgorithm::kHmacSha256;
  if (dialect_ != wire::Dialect::kSmb311) return;
  preauth_.update(reply.element);
  wire::NegotiateContexts contexts(response->contexts, response->context_count);
  while (auto context = contexts.next()) {
    if (context->type != wire::NegotiateContextType::kSigning) continue;
    auto signing = wire::SigningContext::parse(context->data);
    if (!signing || signing->signing_algorithms.size() != 1)
      fault("signing context without exactly one algorithm");
    else
      algorithm_ = static_cast<crypto::SigningAlgorithm>(signing->signing_algorithms[0]);
  }
  if (!contexts.ok()) fault("broken negotiate contexts");
}

// ---- Sessions -----------------------------------------------------------------------------------

Session& Client::log_in(Login login) {
  sessions_.push_back(std::make_unique<Session>(std::move(login), preauth_));
  send_login_leg(*sessions_.back());
  return *sessions_.back();
}

void Client::log_in_again(Session& session, Login login) {
  session.authenticate_again(std::move(login), preauth_);
  send_login_leg(session);
}

void Client::send_login_leg(Session& session) {
  std::vector<uint8_t> token;
  wire::SessionSetupRequest body = session.next_request(token);
  Request request = make_request(Command::kSessionSetup, body, token.size());
  request.session_id = session.id();
  // The hash takes the message in as it leaves, signature included.
  request.tamper = [&session](MutableBytes element) { session.sent(element); };
  bool renews = session.must_sign();
  Pending& pending = pending_[send(std::move(request))];
  pending.login = &session;
  pending.signed_well = renews;
}

Session* Client::find_session(uint64_t id) {
  for (auto& session : sessions_)
    if (id != 0 && session->id() == id) return session.get();
  return nullptr;
}

// ---- Sending ------------------------------------------------------------------------------------

uint16_t Client::charge_for(uint64_t payload) const {
  if (!(server_capabilities_ & wire::kGlobalCapLargeMtu) || payload == 0) return 1;
  return static_cast<uint16_t>((payload - 1) / 65536 + 1);
}

uint64_t Client::issue_id(uint16_t charge) {
  uint64_t id = next_message_id_;
  uint16_t taken = std::max<uint16_t>(charge, 1);
  next_message_id_ += taken;
  credits_ -= taken;
  if (credits_ < 0) fault("more credits used than granted");
  return id;
}

void Client::lay_out(Request& request, Pending& pending, uint64_t chain_session, bool last) {
  bool multi_credit = dialect_ >= wire::Dialect::kSmb210 && negotiated_;
  wire::Header header;
  header.credit_charge = request.charge.value_or(multi_credit ? charge_for(request.payload) : 0);
  header.command = request.command;
  header.credits = request.credits;
  header.tree_id = request.tree_id;
  header.session_id = request.session_id;
  header.message_id = issue_id(header.credit_charge);
  if (request.related) header.flags |= wire::kFlagRelatedOperations;
  Session* session = find_session(chain_session);
  bool keyed = session != nullptr && session->must_sign();
  bool sign = keyed && request.signing == Signing::kAuto;
  if (sign || request.signing == Signing::kWrong) header.flags |= wire::kFlagSigned;
  wire::Builder b(MutableBytes(request.element).first(wire::kHeaderSize));
  header.build(b);

  pending.command = request.command;
  pending.session_id = chain_session;
  std::vector<uint8_t>& element = request.element;
  if (!last) link(element, 0);
  if (request.mutate) {
    size_t before = element.size();
    request.mutate(element);
    if (!last) link(element, before);
  }
  if (sign && element.size() >= wire::kHeaderSize) session->signer()->sign(element);
  pending.signed_well = sign && !request.tamper && !request.mutate;
  if (request.signing == Signing::kWrong && element.size() >= wire::kHeaderSize)
    std::fill_n(element.begin() + wire::kHeaderSignatureAt, wire::kHeaderSignatureSize, 0x5A);
  if (request.tamper) request.tamper(element);
}

void Client::link(std::vector<uint8_t>& element, size_t said) {
  element.resize(align_up(element.size(), 8));
  if (element.size() < wire::kHeaderSize) return;
  uint8_t* at = element.data() + wire::kHeaderNextCommandAt;
  if (load<uint32_t>(at) != said) return;
  store<uint32_t>(at, static_cast<uint32_t>(element.size()));
}

uint64_t Client::send(Request request) {
  std::vector<Request> one;
  one.push_back(std::move(request));
  return send(std::move(one)).front();
}

std::vector<uint64_t> Client::send(std::vector<Request> compound) {
  std::vector<uint64_t> ids;
  std::vector<uint8_t> message;
  uint64_t chain_session = 0;
  for (size_t i = 0; i < compound.size(); ++i) {
    Request& request = compound[i];
    if (!request.related) chain_session = request.session_id;
    ids.push_back(next_message_id_);
    Pending pending;
    lay_out(request, pending, chain_session, i + 1 == compound.size());
    pending_[ids.back()] = pending;
    message.insert(message.end(), request.element.begin(), request.element.end());
  }
  send_message(message);
  return ids;
}

void Client::cancel(uint64_t message_id, Signing signing) {
  Request request = make_request(Command::kCancel, wire::CancelRequest{});
  auto found = pending_.find(message_id);
  wire::Header header;
  header.command = Command::kCancel;
  header.message_id = message_id;
  if (found != pending_.end()) {
    header.session_id = found->second.session_id;
    header.async_id = found->second.async_id;
    if (header.async_id != 0) header.flags |= wire::kFlagAsyncCommand;
  }
  Session* session = find_session(header.session_id);
  bool sign = session != nullptr && session->must_sign() && signing == Signing::kAuto;
  if (sign || signing == Signing::kWrong) header.flags |= wire::kFlagSigned;
  wire::Builder b(MutableBytes(request.element).first(wire::kHeaderSize));
  header.build(b);
  if (sign) session->signer()->sign(request.element);
  send_message(request.element);
}

}  // namespace semblance::client
