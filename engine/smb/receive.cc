#include "engine/smb/receive.h"
#include "engine/smb/marks.h"

#include <algorithm>
#include <bit>

#include "engine/smb/chain.h"
#include "engine/smb/multi_protocol.h"
#include "engine/smb/sealing.h"
#include "engine/wire/frame_header.h"

namespace semblance::smb {
namespace {

// Room around the payload of the largest WRITE: headers, and whatever a compound adds. Nobody who
// has not logged in needs more than that.
constexpr size_t kMessageOverhead = 64 << 10;

// Whether a message whose reply takes `bound` bytes can be started now.
bool has_room(const EngineState& e, const Connection& c, size_t bound) {
  // Handles that the store has not yet taken back count like open ones.
  if (e.closes >= e.limits.opens) return false;
  if (e.requests.full() || c.requests - c.async_requests >= e.limits.requests_per_connection)
    return false;
  size_t held = c.outbox.bytes_held();
  return held == 0 || held + bound <= e.limits.transmit_bytes_per_connection;
}

// What the reply to one message takes at the most, a compound of large ones apart.
size_t largest_reply(const Connection& c) {
  return std::max(c.max_read, c.max_transact) + TransmitPool::kSmallBlock;
}

// Whether a block for such a reply can be had. Where the limits are so tight that it hardly fits at
// all, half of the pool will do.
bool pool_has_room(const EngineState& e, const Connection& c) {
  size_t need = std::min<size_t>(std::bit_ceil(largest_reply(c)), e.limits.transmit_bytes / 2);
  return e.transmit.bytes_used() + need <= e.limits.transmit_bytes;
}

void pause(EngineState& e, Connection& c) {
  c.paused = true;
  e.paused.push_back(c.id);
}

enum class Taken : uint8_t { kYes, kNoRoom };

Taken take_smb2(EngineState& e, Connection& c, BufferId buffer, Bytes message,
                SessionSlot sealed_by = {}) {
  size_t bound = reply_bound(e, c, message);
  if (sealed_by && bound != 0) bound += wire::kTransformHeaderSize;
  // A reply that no pool could ever hold would be waited for in vain.
  if (bound == 0 || bound > e.limits.transmit_bytes) {
    SOMETIMES(e, kMalformedChain);
    violate(e, c, "malformed message");
    return Taken::kYes;
  }
  if (!sealed_by && !has_room(e, c, bound)) return Taken::kNoRoom;
  Region reply = c.outbox.reserve(e.transmit, bound);
  if (!reply) return Taken::kNoRoom;
  begin_message(e, c, buffer, message, reply, sealed_by);
  return Taken::kYes;
}

// A message is decrypted in place, so only once: room for the largest reply must be there before.
Taken take_sealed(EngineState& e, Connection& c, BufferId buffer, MutableBytes message) {
  if (!has_room(e, c, largest_reply(c)) || !pool_has_room(e, c)) return Taken::kNoRoom;
  auto opened = open_sealed(e, c, message);
  if (!opened || wire::protocol_id(opened->message) != wire::kProtocolIdSmb2) {
    violate(e, c, "sealed message does not open");
    return Taken::kYes;
  }
  SOMETIMES(e, kSealed);
  if (take_smb2(e, c, buffer, opened->message, opened->session) == Taken::kNoRoom)
    violate(e, c, "no room for a sealed message");
  return Taken::kYes;
}

Taken take_message(EngineState& e, Connection& c, BufferId buffer, MutableBytes message) {
  switch (wire::protocol_id(message)) {
    case wire::kProtocolIdSmb2:
      return take_smb2(e, c, buffer, message);
    case wire::kProtocolIdSmb1:
      if (c.phase == ConnectionPhase::kFresh)
        multi_protocol_negotiate(e, c, message);
      else
        violate(e, c, "SMB1 message after negotiation");
      return Taken::kYes;
    case wire::kProtocolIdTransform:
      return take_sealed(e, c, buffer, message);
    default:
      // Compression is never negotiated.
      violate(e, c, "unknown protocol", wire::protocol_id(message));
      return Taken::kYes;
  }
}

}  // namespace

void receive(EngineState& e, const BytesReceived& event) {
  Connection* c = e.connections.find(event.connection);
  if (c == nullptr) return;
  c->receiving = event.buffer;
  size_t consumed = 0, wanted = wire::kFrameHeaderSize, taken = 0;
  while (c->phase != ConnectionPhase::kClosing && !c->paused) {
    Bytes rest = Bytes(event.bytes).subspan(consumed);
    auto frame = wire::FrameHeader::parse(rest);
    wanted = wire::kFrameHeaderSize;
    if (!frame) break;
    if (frame->type == wire::kFrameKeepAlive && frame->length == 0) {
      consumed += wire::kFrameHeaderSize;
      continue;
    }
    if (frame->type != wire::kFrameSessionMessage || frame->length < 4 ||
        frame->length >
            (c->authenticated ? e.limits.write_max + kMessageOverhead : kMessageOverhead)) {
      SOMETIMES(e, kTooLarge);
      violate(e, *c, "bad frame", frame->length);
      break;
    }
    wanted += frame->length;
    if (rest.size() < wanted) SOMETIMES(e, kFrameSplit);
    if (rest.size() < wanted || taken == kMessagesPerEvent) break;
    MutableBytes message = event.bytes.subspan(consumed + wire::kFrameHeaderSize, frame->length);
    if (take_message(e, *c, event.buffer, message) == Taken::kNoRoom) {
      SOMETIMES(e, kPaused);
      pause(e, *c);
      break;
    }
    consumed += wanted;
    ++taken;
  }
  if (c->phase == ConnectionPhase::kClosing) {
    consumed = event.bytes.size();
    wanted = wire::kFrameHeaderSize;
  }
  c->receiving = BufferId::kNone;
  e.emit(ReceiveProgress{c->id, static_cast<uint32_t>(consumed), static_cast<uint32_t>(wanted),
                         c->pins.pinned(event.buffer), c->paused});
}

void resume_paused(EngineState& e) {
  std::vector<ConnectionId> still;
  for (ConnectionId id : e.paused) {
    Connection* c = e.connections.find(id);
    if (c == nullptr || !c->paused) continue;
    // Only when the next message can be taken, sealed or not: who is resumed too soon is delivered
    // and paused again without end.
    bool below = c->outbox.bytes_held() * 2 <= e.limits.transmit_bytes_per_connection;
    if (!below || !has_room(e, *c, largest_reply(*c)) || !pool_has_room(e, *c)) {
      still.push_back(id);
      continue;
    }
    SOMETIMES(e, kResumed);
    c->paused = false;
    e.emit(ResumeReceiving{id});
  }
  e.paused = std::move(still);
}

}  // namespace semblance::smb
