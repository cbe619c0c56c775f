#pragma once
// One request as the client is about to send it, and what may be done to it on its way out.

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/client/sealing.h"
#include "engine/wire/header.h"

namespace semblance::client {

enum class Signing : uint8_t {
  kAuto,   // signed when the session has a key
  kNever,  // unsigned whatever the session asks for
  kWrong,  // the flag is set and the signature is not right
};

// `element` is the header's 64 bytes, filled in by Client::send, and the body behind them.
struct Request {
  wire::Command command{};
  std::vector<uint8_t> element;
  uint64_t session_id = 0;
  uint32_t tree_id = 0;
  uint64_t payload = 0;              // bytes that the credit charge must cover, either way
  uint16_t credits = 64;             // asked for
  std::optional<uint16_t> charge;    // instead of the one that `payload` needs
  bool related = false;              // to the element before it in the same compound
  Signing signing = Signing::kAuto;  // what is sealed is not signed, except wrongly
  Sealing sealing = Sealing::kAuto;  // a compound is sealed as one, if any of its elements asks
  // Changes the finished element before it is signed: what an attacker with a session can do. The
  // size may change; in the middle of a compound it is padded afterwards.
  std::function<void(std::vector<uint8_t>& element)> mutate;
  // Changes it after it was signed: what an attacker on the way can do.
  std::function<void(MutableBytes element)> tamper;
  // Changes the sealed message, transform header and ciphertext; not called when it is not sealed.
  std::function<void(std::vector<uint8_t>& sealed)> tamper_sealed;

  MutableBytes body() { return MutableBytes(element).subspan(wire::kHeaderSize); }
};

// Lays a body out. `room` is an upper bound of its variable part in bytes (CHECKed).
template <typename Body>
Request make_request(wire::Command command, const Body& body, size_t room = 0) {
  Request request;
  request.command = command;
  request.element.resize(wire::kHeaderSize + 256 + room);
  wire::Builder b(request.element);
  b.reserve(wire::kHeaderSize);
  body.build(b);
  CHECK(b.ok());
  request.element.resize(b.size());
  return request;
}

}  // namespace semblance::client
