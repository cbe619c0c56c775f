#pragma once
// Receive buffers of a replay. Each delivery gets memory of its own and of exactly its size, so a
// sanitizer sees every access beyond it; what is pinned stays where it is until it is released.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/engine.h"

namespace semblance::log {

class ReplayBuffers {
 public:
  // The bytes of a BytesReceived: the first `kept` of what the connection has not consumed, then
  // `fresh`. Nullopt when the connection has not so many. Valid until the next delivery to it, or
  // longer if pinned.
  std::optional<MutableBytes> deliver(ConnectionId connection, BufferId buffer, size_t kept,
                                      Bytes fresh);

  // To be told of these, in the order they come.
  void progress(const ReceiveProgress& effect);
  void release(const ReleaseBuffer& effect);
  void closed(ConnectionId connection);

 private:
  struct Delivery {
    uint32_t generation = 0;
    BufferId buffer = BufferId::kNone;
    std::unique_ptr<uint8_t[]> memory;
    size_t size = 0, consumed = 0;
    bool pinned = false;
  };
  void put_away(Delivery& delivery);

  std::map<uint32_t, Delivery> current_;  // by ConnectionId::index
  std::map<BufferId, std::vector<std::unique_ptr<uint8_t[]>>> pinned_;
};

}  // namespace semblance::log
