#pragma once
// The ids of the engine's own objects, and how they look on the wire.

#include "engine/base/ids.h"
#include "engine/wire/ids.h"

namespace semblance::smb {

using SessionSlot = SlotId<struct SessionTag>;
using TreeSlot = SlotId<struct TreeTag>;
using OpenSlot = SlotId<struct OpenTag>;
using RequestId = SlotId<struct RequestTag>;

// SessionId: the packed slot. Generations begin at 1, so it is never 0, and never all ones.
inline uint64_t wire_session_id(SessionSlot slot) { return slot.packed(); }
inline SessionSlot session_slot(uint64_t id) { return SessionSlot::unpack(id); }

// TreeId has 32 bits: 16 of the index, 16 of the generation. Never 0xFFFFFFFF as trees number < 65535.
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
