#include "engine/smb/state.h"

namespace semblance {
namespace smb {

void EntropyPool::add(Bytes bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  asked = false;
}

bool EntropyPool::take(MutableBytes out) {
  if (out.size() > bytes_.size()) return false;
  std::memcpy(out.data(), bytes_.data() + bytes_.size() - out.size(), out.size());
  bytes_.resize(bytes_.size() - out.size());  // never used twice
  return true;
}

Connection* ConnectionTable::open(ConnectionId id, const Limits& limits, Instant now) {
  if (id.index >= slots_.size() || slots_[id.index]) return nullptr;
  slots_[id.index] = std::make_unique<Connection>(id, limits, now);
  ++size_;
  return slots_[id.index].get();
}

void ConnectionTable::close(ConnectionId id) {
  CHECK(find(id) != nullptr);
  slots_[id.index].reset();
  --size_;
}

}  // namespace smb

EngineState::EngineState(const Limits& limits)
    : limits(limits),
      connections(limits.connections),
      sessions(limits.sessions),
      trees(limits.trees),
      opens(limits.opens),
      frames(limits.frames),
      requests(limits.requests),
      // One operation under way for each request; closes of what is open, and of what the requests
      // that were let in before the closes became too many may open and give back at once.
      operations(limits.requests * (1 + 3 * limits.compound) + 2 * limits.opens),
      transmit(limits.transmit_bytes),
      files(limits.opens),
      names(limits.index_entries) {}

}  // namespace semblance
