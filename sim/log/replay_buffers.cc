#include "sim/log/replay_buffers.h"

#include <algorithm>
#include <utility>

namespace semblance::log {

std::optional<MutableBytes> ReplayBuffers::deliver(ConnectionId connection, BufferId buffer,
                                                   size_t kept, Bytes fresh) {
  Delivery& delivery = current_[connection.index];
  const bool same = delivery.generation == connection.generation;
  if (kept > (same ? delivery.size - delivery.consumed : 0)) return std::nullopt;
  Delivery next;
  next.generation = connection.generation;
  next.buffer = buffer;
  next.size = kept + fresh.size();
  next.memory = std::make_unique_for_overwrite<uint8_t[]>(next.size);
  if (kept > 0) std::copy_n(delivery.memory.get() + delivery.consumed, kept, next.memory.get());
  std::ranges::copy(fresh, next.memory.get() + kept);
  put_away(delivery);
  delivery = std::move(next);
  return MutableBytes{delivery.memory.get(), delivery.size};
}

void ReplayBuffers::progress(const ReceiveProgress& effect) {
  const auto found = current_.find(effect.connection.index);
  if (found == current_.end() || found->second.generation != effect.connection.generation) return;
  Delivery& delivery = found->second;
  delivery.consumed = std::min<size_t>(delivery.size, effect.consumed);
  delivery.pinned |= effect.pinned;
}

// The same buffer may be at several places here: the driver appended to it where this took new
// memory.
void ReplayBuffers::release(const ReleaseBuffer& effect) {
  pinned_.erase(effect.buffer);
  for (auto& [index, delivery] : current_)
    if (delivery.buffer == effect.buffer) delivery.pinned = false;
}

void ReplayBuffers::closed(ConnectionId connection) {
  const auto found = current_.find(connection.index);
  if (found == current_.end() || found->second.generation != connection.generation) return;
  put_away(found->second);
  current_.erase(found);
}

void ReplayBuffers::put_away(Delivery& delivery) {
  if (delivery.pinned) pinned_[delivery.buffer].push_back(std::move(delivery.memory));
}

}  // namespace semblance::log
