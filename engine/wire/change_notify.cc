#include "engine/wire/change_notify.h"

namespace semblance::wire {

bool NotifyEntryWriter::add(const NotifyEntry& entry) {
  size_t before = builder_.size();
  builder_.align(4);
  size_t at = builder_.size();
  builder_.u32(0);
  builder_.u32(static_cast<uint32_t>(entry.action));
  builder_.u32(length_u32(entry.name));
  builder_.bytes(entry.name);
  if (!builder_.ok()) {
    builder_.rewind(before);
    return false;
  }
  if (last_ != kNone) builder_.patch_u32(last_, static_cast<uint32_t>(at - last_));
  last_ = at;
  return true;
}

std::optional<NotifyEntry> NotifyEntries::next() {
  if (done_ || !ok_) return std::nullopt;
  Reader r(list_);
  NotifyEntry entry;
  size_t next_offset = r.u32();
  entry.action = static_cast<NotifyAction>(r.u32());
  entry.name = r.bytes(r.u32());
  if (next_offset != 0 && (next_offset % 4 != 0 || next_offset < r.position())) r.fail();
  if (next_offset > list_.size()) r.fail();
  ok_ = r.ok();
  if (!ok_) return std::nullopt;
  done_ = next_offset == 0;
  list_ = list_.subspan(next_offset);
  return entry;
}

}  // namespace semblance::wire
