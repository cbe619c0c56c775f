#include "fuzz/support/peer.h"

#include <algorithm>

#include "engine/auth/initiator.h"
#include "engine/client/requests.h"
#include "engine/crypto/kdf.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/session_setup.h"
#include "engine/wire/transform_header.h"
#include "fuzz/support/protocol_states.h"

namespace semblance::fuzz {

using wire::Command;
using wire::Dialect;

Peer::Peer(World& world, const Options& options)
    : world_(world), options_(options), index_(world.connect()) {}

// ---- Setting up ---------------------------------------------------------------------------------

bool Peer::negotiate() {
  std::array<uint8_t, 256> memory;
  wire::Builder list(memory);
  wire::NegotiateContextWriter writer(list);
  const uint16_t sha512[] = {static_cast<uint16_t>(wire::HashAlgorithm::kSha512)};
  const uint16_t cipher[] = {static_cast<uint16_t>(options_.cipher)};
  const uint16_t dialects[] = {static_cast<uint16_t>(options_.dialect)};
  wire::NegotiateRequest body;
  body.security_mode = options_.security_mode;
  body.capabilities = wire::kGlobalCapLargeMtu;
  body.client_guid = {0x53, 0x65, 0x6D, 0x62};
  body.dialects = wire::U16List::of(dialects);
  if (options_.dialect == Dialect::kSmb311) {
    writer.add(wire::PreauthIntegrityContext{wire::U16List::of(sha512), body.client_guid});
    if (options_.cipher != wire::Cipher::kNone)
      writer.add(wire::EncryptionContext{wire::U16List::of(cipher)});
    body.context_count = writer.count();
    body.contexts = list.written();
  }
  client::Request request = client::make_request(Command::kNegotiate, body, 256);
  bool agreed = call(std::move(request)) == NtStatus::kSuccess;
  if (options_.dialect == Dialect::kSmb311) connection_hash_.update(last_element_);
  return agreed;
}

bool Peer::log_in(Identity identity, int legs) {
  auth::InitiatorOptions options;
  options.spnego = false;
  options.anonymous = identity == Identity::kAnonymous;
  auth::Credentials credentials{identity == Identity::kGuest ? "nobody" : "anna", "WORKGROUP",
                                "CLIENT", auth::NtHash{1, 2, 3}};
  auth::Initiator initiator(credentials, options);
  session_hash_ = connection_hash_;
  std::array<uint8_t, 1024> token;  // raw NTLMSSP with these names takes less
  auto size = initiator.start(token);
  NtStatus status = NtStatus::kMoreProcessingRequired;
  for (int leg = 0; leg < legs; ++leg) {
    if (!size) return false;
    wire::SessionSetupRequest body;
    body.security_mode = options_.security_mode;
    body.security_buffer = Bytes(token).first(*size);
    client::Request request = client::make_request(Command::kSessionSetup, body, *size);
    request.session_id = leg == 0 ? 0 : learnt_.sessions.back();
    status = call(std::move(request)).value_or(NtStatus::kIoTimeout);
    if (status != NtStatus::kMoreProcessingRequired) break;
    session_hash_.update(last_element_);
    auto response = wire::SessionSetupResponse::parse(last_element_);
    if (!response) return false;
    size = initiator.step(response->security_buffer, {{8, 7, 6, 5}, {1, 2, 3, 4}}, world_.wall(),
                          token);
  }
  if (status != NtStatus::kSuccess) return status == NtStatus::kMoreProcessingRequired;
  if (identity == Identity::kAnna && initiator.session_key()) derive_keys(*initiator.session_key());
  return true;
}

void Peer::derive_keys(const std::array<uint8_t, 16>& session_key) {
  bool seals = options_.cipher != wire::Cipher::kNone;
  auto cipher = static_cast<crypto::Cipher>(options_.cipher);
  if (options_.dialect < Dialect::kSmb300) {
    signer_.emplace(crypto::SigningAlgorithm::kHmacSha256, session_key);
    return;
  }
  crypto::SessionKeys keys = options_.dialect == Dialect::kSmb311
                                 ? crypto::derive_keys_311(session_key, session_key, session_hash_,
                                                           seals ? crypto::key_size(cipher) : 16)
                                 : crypto::derive_keys_300(session_key);
  signer_.emplace(crypto::SigningAlgorithm::kAesCmac, keys.signing);
  if (!seals) return;
  sealer_.emplace(cipher, keys.client_to_server.view());
  opener_.emplace(cipher, keys.server_to_client.view());
}

bool Peer::open(std::u16string_view share, std::initializer_list<std::u16string_view> names) {
  std::vector<client::Request> requests;
  requests.push_back(client::tree_connect_request(share));
  for (std::u16string_view name : names) {
    client::CreateArgs args;
    args.name = name;
    args.access = wire::kMaximumAllowed;
    requests.push_back(client::create_request(args));
  }
  std::vector<uint8_t> message;
  for (client::Request& request : requests) {
    fill_header(request, &request != &requests.front(), &request == &requests.back());
    message.insert(message.end(), request.element.begin(), request.element.end());
  }
  send(message, Protection::kAsFlagged);
  world_.run();
  Seen seen = take_replies(0);
  return seen.replies == requests.size() && seen.errors == 0;
}

bool Peer::echo(uint16_t credits) {
  client::Request request = client::simple_request(Command::kEcho);
  request.credits = credits;
  return call(std::move(request)) == NtStatus::kSuccess;
}

// ---- Sending ------------------------------------------------------------------------------------

void Peer::fill_header(client::Request& request, bool related, bool last) {
  std::vector<uint8_t>& element = request.element;
  if (!last) element.resize(align_up(element.size(), 8));
  wire::Header header;
  header.credit_charge = options_.dialect == Dialect::kSmb202 ? 0 : 1;
  header.command = request.command;
  header.credits = request.credits;
  header.message_id = next_message_id_++;
  credits_ -= 1;
  header.session_id = request.session_id;
  if (header.session_id == 0 && !learnt_.sessions.empty() &&
      request.command != Command::kSessionSetup)
    header.session_id = learnt_.sessions.back();
  if (!last) header.next_command = static_cast<uint32_t>(element.size());
  if (related) header.flags |= wire::kFlagRelatedOperations;
  if (signer_ && request.command != Command::kSessionSetup) header.flags |= wire::kFlagSigned;
  wire::Builder b(MutableBytes(element).first(wire::kHeaderSize));
  header.build(b);
}

std::optional<NtStatus> Peer::call(client::Request request) {
  fill_header(request, false, true);
  if (options_.dialect == Dialect::kSmb311 && request.command == Command::kNegotiate)
    connection_hash_.update(request.element);
  if (options_.dialect == Dialect::kSmb311 && request.command == Command::kSessionSetup)
    session_hash_.update(request.element);
  send(request.element, Protection::kAsFlagged);
  world_.run();
  Seen seen = take_replies(0);
  if (seen.replies == 0) return std::nullopt;
  return seen.last->nt_status();
}

void Peer::send_framed(Bytes message) {
  std::array<uint8_t, wire::kFrameHeaderSize> frame;
  wire::Builder b(frame);
  wire::FrameHeader{wire::kFrameSessionMessage, static_cast<uint32_t>(message.size())}.build(b);
  world_.send(index_, frame);
  world_.send(index_, message);
}

void Peer::sign(MutableBytes message) {
  while (message.size() >= wire::kHeaderSize) {
    size_t next = load<uint32_t>(message.data() + wire::kHeaderNextCommandAt);
    bool last = next < wire::kHeaderSize || next >= message.size();
    MutableBytes element = last ? message : message.first(next);
    if (element[wire::kHeaderFlagsAt] & wire::kFlagSigned) signer_->sign(element);
    if (last) return;
    message = message.subspan(next);
  }
}

void Peer::send(MutableBytes message, Protection protection) {
  if (protection == Protection::kSealed && seals()) return send_sealed(message);
  if (protection != Protection::kAsIs && signer_) sign(message);
  send_framed(message);
}

void Peer::send_sealed(Bytes message) {
  std::vector<uint8_t> whole(wire::kTransformHeaderSize + message.size());
  MutableBytes data = MutableBytes(whole).subspan(wire::kTransformHeaderSize);
  std::ranges::copy(message, data.begin());
  wire::TransformHeader header;
  store(header.nonce.data(), ++nonces_);
  header.original_message_size = static_cast<uint32_t>(message.size());
  header.session_id = learnt_.sessions.empty() ? 0 : learnt_.sessions.front();
  wire::Builder b(whole);
  header.build(b);
  Bytes nonce = Bytes(header.nonce).first(crypto::nonce_size(sealer_->cipher()));
  Bytes aad = Bytes(whole).subspan(wire::kTransformNonceAt,
                                   wire::kTransformHeaderSize - wire::kTransformNonceAt);
  crypto::AeadTag tag;
  sealer_->seal(nonce, aad, data, tag);
  std::ranges::copy(tag, whole.begin() + wire::kTransformSignatureAt);
  send_framed(whole);
}

// ---- Replies ------------------------------------------------------------------------------------

Peer::Seen Peer::take_replies(uint8_t state) {
  Seen seen;
  std::vector<uint8_t>& received = wire().received;
  size_t at = 0;
  for (;;) {
    MutableBytes rest = MutableBytes(received).subspan(at);
    auto frame = wire::FrameHeader::parse(rest);
    if (!frame || rest.size() < wire::kFrameHeaderSize + frame->length) break;
    CHECK(frame->type == wire::kFrameSessionMessage);
    take_message(rest.subspan(wire::kFrameHeaderSize, frame->length), state, seen);
    at += wire::kFrameHeaderSize + frame->length;
  }
  received.erase(received.begin(), received.begin() + static_cast<ptrdiff_t>(at));
  return seen;
}

void Peer::take_message(MutableBytes message, uint8_t state, Seen& seen) {
  if (wire::protocol_id(message) == wire::kProtocolIdTransform) {
    auto header = wire::TransformHeader::parse(message);
    CHECK(header && opener_);
    MutableBytes data = message.subspan(wire::kTransformHeaderSize);
    CHECK(header->original_message_size == data.size());
    Bytes nonce = Bytes(header->nonce).first(crypto::nonce_size(opener_->cipher()));
    Bytes aad = Bytes(message).subspan(wire::kTransformNonceAt,
                                       wire::kTransformHeaderSize - wire::kTransformNonceAt);
    // What is sealed by another key than ours is not for us to judge.
    if (!opener_->open(nonce, aad, data, header->signature)) return;
    message = data;
  }
  for (;;) {
    auto header = wire::Header::parse(message);
    CHECK(header && header->is_response());
    size_t next = header->next_command;
    CHECK(next == 0 || (next % 8 == 0 && next >= wire::kHeaderSize && next < message.size()));
    Bytes element = next == 0 ? message : message.first(next);
    note_reply(*header, state);
    ++seen.replies;
    bool interim = header->is_async() && header->nt_status() == NtStatus::kPending;
    if (interim) ++seen.interims;
    if (is_error(header->nt_status())) ++seen.errors;
    seen.commands |= 1u << std::min<uint32_t>(static_cast<uint32_t>(header->command), 31);
    seen.last = header.value();
    learn(*header, element);
    if (next == 0) return;
    message = message.subspan(next);
  }
}

namespace {

template <typename T>
void remember(std::vector<T>& known, const T& value) {
  constexpr size_t kMax = 32;
  if (std::ranges::find(known, value) != known.end()) return;
  if (known.size() == kMax) known.erase(known.begin());
  known.push_back(value);
}

}  // namespace

void Peer::learn(const wire::Header& header, Bytes element) {
  credits_ += header.credits;
  last_element_.assign(element.begin(), element.end());
  if (header.is_async() && header.nt_status() == NtStatus::kPending)
    remember(learnt_.async_ids, header.async_id);
  bool more = header.nt_status() == NtStatus::kMoreProcessingRequired;
  if (header.command == Command::kSessionSetup && (more || !is_error(header.nt_status())))
    remember(learnt_.sessions, header.session_id);
  if (header.nt_status() != NtStatus::kSuccess || header.is_async()) return;
  if (header.command == Command::kTreeConnect) remember(learnt_.trees, header.tree_id);
  if (header.command == Command::kCreate)
    if (auto response = wire::CreateResponse::parse(element))
      remember(learnt_.files, response->file_id);
}

}  // namespace semblance::fuzz
