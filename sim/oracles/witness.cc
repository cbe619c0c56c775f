#include "sim/oracles/witness.h"

#include <algorithm>
#include <string>

namespace semblance::sim {

namespace {

constexpr uint64_t kUnsolicited = UINT64_MAX;

std::string hex(uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llX", static_cast<unsigned long long>(number));
  return text;
}

bool is_sealed(Bytes message) { return number_at(message, 0, 4) == 0x424D53FD; }

// None for what has no header of SMB2.
std::optional<Element> read_element(Bytes bytes) {
  if (bytes.size() < kBody || number_at(bytes, 0, 4) != 0x424D53FE) return std::nullopt;
  Element e;
  e.charge = static_cast<uint16_t>(number_at(bytes, 6, 2));
  e.status = static_cast<uint32_t>(number_at(bytes, 8, 4));
  e.command = static_cast<uint16_t>(number_at(bytes, 12, 2));
  e.credits = static_cast<uint16_t>(number_at(bytes, 14, 2));
  e.flags = static_cast<uint32_t>(number_at(bytes, 16, 4));
  e.next = static_cast<uint32_t>(number_at(bytes, 20, 4));
  e.message_id = number_at(bytes, 24, 8);
  if (e.is_async())
    e.async_id = number_at(bytes, 32, 8);
  else
    e.tree_id = static_cast<uint32_t>(number_at(bytes, 36, 4));
  e.session_id = number_at(bytes, 40, 8);
  size_t size = e.next != 0 ? std::min<size_t>(e.next, bytes.size()) : bytes.size();
  e.bytes.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
  return e;
}

// A related element with a FileId of its own, though it could inherit one.
bool names_its_own_file(const Exchange& exchange) {
  auto at = file_id_position(exchange.request.command);
  return exchange.previous != nullptr && at &&
         (exchange.request.at(*at, 8) & exchange.request.at(*at + 8, 8)) != UINT64_MAX;
}

}  // namespace

uint64_t number_at(Bytes bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i-- > 0;)
    number = (number << 8) | (at + i < bytes.size() ? bytes[at + i] : 0);
  return number;
}

std::optional<Bytes> create_name(const Element& create) {
  return create.range(create.at(kBody + 44, 2), create.at(kBody + 46, 2));
}

std::optional<size_t> file_id_position(uint16_t command) {
  switch (command) {
    case kCmdClose:
    case kCmdFlush:
    case kCmdLock:
    case kCmdIoctl:
    case kCmdQueryDirectory:
    case kCmdChangeNotify:
    case kCmdOplockBreak:
      return kBody + 8;
    case kCmdRead:
    case kCmdWrite:
    case kCmdSetInfo:
      return kBody + 16;
    case kCmdQueryInfo:
      return kBody + 24;
    default:
      return std::nullopt;
  }
}

void Oracle::fail(const Exchange& exchange, std::string what) {
  fail(what + " [request " + std::to_string(exchange.number) + ": command " +
       std::to_string(exchange.request.command) + ", MessageId " +
       std::to_string(exchange.request.message_id) + ", connection " +
       std::to_string(exchange.connection.generation) + ", status " +
       hex(exchange.response.status) + "]");
}

// ---- Bytes --------------------------------------------------------------------------------------

template <typename Take>
bool Witness::split(Stream& stream, Take take) {
  size_t at = 0;
  while (!stream.opaque && stream.bytes.size() - at >= 4) {
    const uint8_t* frame = stream.bytes.data() + at;
    size_t length = (size_t{frame[1]} << 16) | (size_t{frame[2]} << 8) | frame[3];
    if (frame[0] != 0) {
      stream.opaque = true;
      break;
    }
    if (stream.bytes.size() - at - 4 < length) break;
    take(Bytes(frame + 4, length));
    at += 4 + length;
  }
  stream.bytes.erase(stream.bytes.begin(), stream.bytes.begin() + static_cast<ptrdiff_t>(at));
  return !stream.opaque;
}

void Witness::opened(ConnectionId id) {
  wires_[id.generation] = {};
  for (Oracle* oracle : oracles_) oracle->opened(id);
}

void Witness::honest(ConnectionId id) { wires_[id.generation].honest = true; }

void Witness::delivered(ConnectionId id, Bytes bytes) {
  auto found = wires_.find(id.generation);
  if (found == wires_.end()) return;
  Wire& wire = found->second;
  wire.up.bytes.insert(wire.up.bytes.end(), bytes.begin(), bytes.end());
  split(wire.up, [&](Bytes message) { take_request(wire, id, message); });
}

void Witness::transmitted(ConnectionId id, Bytes bytes) {
  auto found = wires_.find(id.generation);
  if (found == wires_.end()) return fail("bytes transmitted on a closed connection");
  Wire& wire = found->second;
  if (seals_ != nullptr) seals_->transmitted(bytes);
  wire.down.bytes.insert(wire.down.bytes.end(), bytes.begin(), bytes.end());
  if (!split(wire.down, [&](Bytes message) { take_response(wire, id, message); }))
    fail("the server sent what is no frame");
}

void Witness::closed(ConnectionId id) {
  auto found = wires_.extract(id.generation);
  if (found.empty()) return;
  for (const auto& [message_id, exchange] : found.mapped().open)
    for (Oracle* oracle : oracles_) oracle->abandoned(exchange);
  for (Oracle* oracle : oracles_) oracle->closed(id);
}

// ---- Requests -----------------------------------------------------------------------------------

void Witness::take_request(Wire& wire, ConnectionId connection, Bytes message, bool sealed) {
  if (is_sealed(message) && !sealed && seals_ != nullptr)
    if (auto plain = seals_->open(connection, message, false))
      return take_request(wire, connection, *plain, true);
  ExchangePtr previous;
  for (;;) {
    std::optional<Element> element = read_element(message);
    if (!element || element->bytes.size() < kBody) {
      wire.any_opaque_message = true;  // sealed, SMB1, or nothing that we know
      return;
    }
    auto exchange = std::make_shared<Exchange>();
    exchange->number = ++exchanges_;
    exchange->connection = connection;
    exchange->received = scheduler_.now();
    exchange->honest = wire.honest;
    exchange->request = std::move(*element);
    exchange->request.sealed = sealed;
    const Element& request = exchange->request;
    bool related = request.is_related() && previous != nullptr;
    exchange->session_id = related ? previous->session_id : request.session_id;
    exchange->tree_id = related ? previous->tree_id : request.tree_id;
    if (related) exchange->previous = previous;
    if (auto at = file_id_position(request.command)) {
      exchange->file = {request.at(*at, 8), request.at(*at + 8, 8)};
      exchange->has_file = !(related && exchange->file.is_previous());
      // What an odd chain hands on is the server's business.
      if (!exchange->has_file) exchange->odd = previous->odd || names_its_own_file(*previous);
      if (!exchange->has_file && !exchange->odd && previous->has_file) {
        exchange->file = previous->file;
        exchange->has_file = true;
      }
    }
    auto [first, last] = wire.open.equal_range(request.message_id);
    for (auto same = first; same != last && request.command != kCmdCancel; ++same)
      same->second->doubled = exchange->doubled = true;
    if (request.command != kCmdCancel) wire.open.emplace(request.message_id, exchange);
    for (Oracle* oracle : oracles_) oracle->requested(exchange);
    uint32_t next = request.next;
    if (next == 0 || next >= message.size() || next < kBody) return;
    previous = exchange;
    message = message.subspan(next);
  }
}

// ---- Responses ----------------------------------------------------------------------------------

void Witness::take_response(Wire& wire, ConnectionId connection, Bytes message, bool sealed) {
  if (is_sealed(message) && !sealed) {
    if (seals_ != nullptr)
      if (auto plain = seals_->open(connection, message, true))
        return take_response(wire, connection, *plain, true);
    if (!wire.any_opaque_message) fail("a sealed response where nothing sealed was sent");
    return;
  }
  for (;;) {
    std::optional<Element> element = read_element(message);
    if (!element) return fail("a response without a header");
    element->sealed = sealed;
    uint32_t next = element->next;
    pair(wire, connection, std::move(*element));
    if (next == 0) return;
    if (next % 8 != 0 || next < kBody || next >= message.size())
      return fail("NextCommand of a response leads nowhere");
    message = message.subspan(next);
  }
}

// MS-SMB2 2.2.4. A 3.1.1 server that names no signing algorithm means AES-CMAC (3.2.5.2).
void Witness::take_agreements(Wire& wire, const Element& negotiate) {
  constexpr uint64_t kEncryption = 2, kSigning = 8, kCapEncryption = 0x40;
  wire.dialect = static_cast<uint16_t>(negotiate.at(kBody + 4, 2));
  wire.signing_algorithm = 1;
  wire.cipher = wire.dialect < 0x0311 && (negotiate.at(kBody + 24, 4) & kCapEncryption) ? 1 : 0;
  if (wire.dialect != 0x0311) return;
  size_t at = negotiate.at(kBody + 60, 4);
  for (uint64_t left = negotiate.at(kBody + 6, 2); left > 0; --left) {
    uint64_t type = negotiate.at(at, 2), size = negotiate.at(at + 2, 2);
    auto first = static_cast<uint16_t>(negotiate.at(at + 8 + 2, 2));  // of a list, after its count
    if (type == kEncryption) wire.cipher = first;
    if (type == kSigning) wire.signing_algorithm = first;
    at += 8 + (size + 7) / 8 * 8;
  }
}

void Witness::pair(Wire& wire, ConnectionId connection, Element response) {
  if ((response.flags & 1) == 0) return fail("a response without the flag of one");
  if (response.message_id == kUnsolicited) {
    for (Oracle* oracle : oracles_) oracle->unsolicited(connection, response);
    return;
  }
  auto found = wire.open.find(response.message_id);
  if (found == wire.open.end()) {
    // The answer to an SMB1 greeting, or to something sealed.
    if (!wire.any_opaque_message)
      fail("a response to no open request: MessageId " + std::to_string(response.message_id) +
           ", command " + std::to_string(response.command) + ", status " + hex(response.status));
    return;
  }
  auto [first, last] = wire.open.equal_range(response.message_id);
  auto alike = std::find_if(first, last, [&](const auto& one) {
    return one.second->request.command == response.command;
  });
  if (alike != last) found = alike;
  ExchangePtr exchange = found->second;
  const Element& request = exchange->request;
  if (response.command != request.command) fail(*exchange, "a response of another command");
  if (response.is_async() && response.status == kStatusPending) {
    if (++exchange->interims > 1) fail(*exchange, "two interim responses");
    exchange->async_id = response.async_id;
    for (Oracle* oracle : oracles_) oracle->interim(exchange, response);
    return;
  }
  if (exchange->interims != 0 && response.async_id != exchange->async_id)
    fail(*exchange, "the AsyncId changed");
  exchange->response = std::move(response);
  exchange->answered = true;
  wire.open.erase(found);
  const Element& answer = exchange->response;
  if (request.command == kCmdNegotiate && answer.status == kOk) take_agreements(wire, answer);
  if (!answer.is_async() && !exchange->request.is_related() && answer.tree_id != request.tree_id &&
      request.command != kCmdTreeConnect)
    fail(*exchange, "a TreeId that is not the request's");
  if (request.command == kCmdCreate && answer.status == kOk) {
    exchange->file = {answer.at(kBody + 64, 8), answer.at(kBody + 72, 8)};
    exchange->has_file = true;
  }
  if (!exchange->has_file && !exchange->odd && exchange->previous && exchange->previous->has_file) {
    exchange->file = exchange->previous->file;
    exchange->has_file = true;
  }
  for (Oracle* oracle : oracles_) oracle->answered(exchange);
}

// ---- The rest is passed on ----------------------------------------------------------------------

// What was changed on its way may have given the client another idea of what was agreed on.
void Witness::session(const SessionFacts& told) {
  SessionFacts facts = told;
  if (auto found = wires_.find(facts.connection.generation); found != wires_.end()) {
    facts.dialect = found->second.dialect;
    facts.signing_algorithm = found->second.signing_algorithm;
    facts.cipher = found->second.cipher;
  }
  for (Oracle* oracle : oracles_) oracle->session(facts);
}
void Witness::started(OperationId id, const StoreOperation& what) {
  for (Oracle* oracle : oracles_) oracle->started(id, what);
}
void Witness::applied(OperationId id, const StoreOperation& what, const StoreResult& result,
                      bool injected) {
  for (Oracle* oracle : oracles_) oracle->applied(id, what, result, injected);
}
void Witness::changed_outside() {
  for (Oracle* oracle : oracles_) oracle->changed_outside();
}
void Witness::stepped(const Engine& engine) {
  for (Oracle* oracle : oracles_) oracle->stepped(engine);
}
void Witness::crashed(CrashKind kind) {
  for (Oracle* oracle : oracles_) oracle->crashed(kind);
}

void Witness::rested(const Engine& engine) {
  if (!wires_.empty()) fail("a connection left");
  for (Oracle* oracle : oracles_) oracle->rested(engine);
}

}  // namespace semblance::sim
