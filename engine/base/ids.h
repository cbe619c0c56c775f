#pragma once
// Identifiers. Each is its own type, so that none is taken for another.

#include <compare>
#include <cstdint>

namespace semblance {

// Names a slot of a pool together with the generation of what lives there. An id that outlives its
// object finds nothing: see Pool::find. Ids, never pointers, are what crosses a suspension.
template <typename Tag>
struct SlotId {
  uint32_t index = UINT32_MAX;
  uint32_t generation = 0;

  constexpr explicit operator bool() const { return index != UINT32_MAX; }
  constexpr uint64_t packed() const { return (uint64_t{generation} << 32) | index; }
  static constexpr SlotId unpack(uint64_t packed) {
    return {static_cast<uint32_t>(packed), static_cast<uint32_t>(packed >> 32)};
  }
  auto operator<=>(const SlotId&) const = default;
};

// Chosen by the driver: `index` below Limits::connections, `generation` new at each use of an
// index.
using ConnectionId = SlotId<struct ConnectionTag>;

// Chosen by the engine. A completion that names an operation that is over is legal and ignored.
using OperationId = SlotId<struct OperationTag>;

// Chosen by the store when it opens an object; opaque to the engine.
enum class StoreHandle : uint64_t { kNone = UINT64_MAX };

// Chosen by the driver: one receive buffer.
enum class BufferId : uint32_t { kNone = UINT32_MAX };

// The position of a share in Config::shares.
enum class ShareId : uint32_t { kNone = UINT32_MAX };

}  // namespace semblance
