#include "engine/client/client.h"

#include <algorithm>

#include "engine/wire/frame_header.h"
#include "engine/wire/simple_body.h"

namespace semblance::client {

using wire::Command;

Client::Client(Options options) : options_(std::move(options)) {
  if (!options_.ciphers.empty()) options_.capabilities |= wire::kGlobalCapEncryption;
}

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
  if (dialect_ == wire::Dialect::kSmb311) {
    preauth_.update(reply.element);
    take_agreements(*response);
  } else if (server_capabilities_ & wire::kGlobalCapEncryption) {
    if (dialect_ < wire::Dialect::kSmb300 || options_.ciphers.empty())
      fault("sealing was agreed on and not offered");
    else
      cipher_ = crypto::Cipher::kAes128Ccm;
  }
}

// 3.2.5.2: what the contexts of a 3.1.1 response settle.
void Client::take_agreements(const wire::NegotiateResponse& response) {
  wire::NegotiateContexts contexts(response.contexts, response.context_count);
  while (auto context = contexts.next()) {
    if (context->type == wire::NegotiateContextType::kSigning) {
      auto signing = wire::SigningContext::parse(context->data);
      if (!signing || signing->signing_algorithms.size() != 1)
        fault("signing context without exactly one algorithm");
      else if (wire::U16List::of(options_.signing_algorithms)
                   .contains(signing->signing_algorithms[0]))
        algorithm_ = static_cast<crypto::SigningAlgorithm>(signing->signing_algorithms[0]);
      else if (!options_.raw_contexts)
        fault("a signing algorithm that was not offered");
    } else if (context->type == wire::NegotiateContextType::kEncryption) {
      auto encryption = wire::EncryptionContext::parse(context->data);
      if (!encryption || encryption->ciphers.size() != 1) {
        fault("encryption context without exactly one cipher");
      } else if (const uint16_t cipher = encryption->ciphers[0]; cipher != 0) {
        if (wire::U16List::of(options_.ciphers).contains(cipher))
          cipher_ = static_cast<crypto::Cipher>(cipher);
        else if (!options_.raw_contexts)
          fault("a cipher that was not offered");
      }
    }
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
  bool sign = keyed && request.signing == Signing::kAuto && !pending.sealed;
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

// 3.2.4.1.8. A SESSION_SETUP goes in the clear: it may be what brings the keys about.
Session* Client::sealing_session(const std::vector<Request>& compound) {
  Session* sealing = nullptr;
  uint64_t session_id = 0;
  uint32_t tree_id = 0;
  for (const Request& request : compound) {
    if (request.sealing == Sealing::kNever) return nullptr;
    if (!request.related) {
      session_id = request.session_id;
      tree_id = request.tree_id;
    }
    Session* session = find_session(session_id);
    if (sealing != nullptr || session == nullptr || session->seals() == nullptr) continue;
    bool asked = request.sealing != Sealing::kAuto || session->must_seal(tree_id);
    if (asked && request.command != Command::kSessionSetup) sealing = session;
  }
  return sealing;
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
  Session* sealing = sealing_session(compound);
  for (size_t i = 0; i < compound.size(); ++i) {
    Request& request = compound[i];
    if (!request.related) chain_session = request.session_id;
    ids.push_back(next_message_id_);
    Pending pending;
    pending.sealed = sealing != nullptr;
    lay_out(request, pending, chain_session, i + 1 == compound.size());
    pending_[ids.back()] = pending;
    message.insert(message.end(), request.element.begin(), request.element.end());
  }
  if (sealing == nullptr) {
    send_message(message);
    return ids;
  }
  std::vector<uint8_t> sealed = sealing->seals()->seal(sealing->id(), message);
  for (Request& request : compound) {
    if (request.sealing == Sealing::kWrong)
      std::fill_n(sealed.begin() + wire::kTransformSignatureAt, sizeof(crypto::AeadTag), 0x5A);
    if (request.tamper_sealed) request.tamper_sealed(sealed);
  }
  send_message(sealed);
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
  bool seal = session != nullptr && session->seals() != nullptr &&
              (session->must_seal() || (found != pending_.end() && found->second.sealed));
  bool sign = session != nullptr && session->must_sign() && signing == Signing::kAuto && !seal;
  if (sign || signing == Signing::kWrong) header.flags |= wire::kFlagSigned;
  wire::Builder b(MutableBytes(request.element).first(wire::kHeaderSize));
  header.build(b);
  if (sign) session->signer()->sign(request.element);
  if (seal)
    send_message(session->seals()->seal(session->id(), request.element));
  else
    send_message(request.element);
}

}  // namespace semblance::client
