#pragma once
// The ids of the engine's own objects, and how they look on the wire.

#include "engine/base/ids.h"
#include "engine/wire/ids.h"

namespace semblance::smb {

using SessionSlot = SlotId<struct SessionTag>;
using TreeSlot = SlotId<struct TreeTag>;
using OpenSlot = SlotId<struct OpenTag>;
using RequestId = SlotId<struct RequestTag>;

// SessionId: 16 bits of the index below the generation, which begins at 1: never 0, never all ones,
// and small as long as a slot has not been used 65,536 times (some clients keep only 32 bits of
// it).
inline uint64_t wire_session_id(SessionSlot slot) {
  return uint64_t{slot.generation} << 16 | slot.index;
}
inline SessionSlot session_slot(uint64_t id) {
  if (id >> 48 != 0) return {};
  return {static_cast<uint32_t>(id & 0xFFFF), static_cast<uint32_t>(id >> 16)};
}

// TreeId has 32 bits: 16 of the index, 16 of the generation. Never 0xFFFFFFFF as trees number <
// 65535.
inline uint32_t wire_tree_id(TreeSlot slot) { return slot.generation << 16 | slot.index; }

// Both halves name the slot; the persistent one is marked so that a mixed-up pair finds nothing.
inline constexpr uint64_t kPersistentMark = uint64_t{1} << 63;
inline wire::FileId wire_file_id(OpenSlot slot) {
  return {slot.packed() | kPersistentMark, slot.packed()};
}
inline OpenSlot open_slot(const wire::FileId& id) {
  if (id.persistent != (id.volatile_id | kPersistentMark)) return {};
  return OpenSlot::unpack(id.volatile_id);
}

}  // namespace semblance::smb
