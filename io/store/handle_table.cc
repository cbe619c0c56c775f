#include "io/store/handle_table.h"

#include "engine/base/check.h"

namespace semblance {
namespace {

StoreHandle pack(uint32_t index, uint32_t generation) {
  return StoreHandle{(uint64_t{generation} << 32) | index};
}

}  // namespace

StoreHandle HandleTable::insert(UniqueFd& fd, const Opened& what) {
  CHECK(fd);
  const std::lock_guard guard(lock_);
  uint32_t index;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else {
    if (slots_.size() >= limit_) return StoreHandle::kNone;
    index = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
  }
  Slot& slot = slots_[index];
  slot.open = true;
  slot.object.fd = std::move(fd);
  slot.object.file_system = what.file_system;
  slot.object.share = what.share;
  slot.object.access = what.access;
  slot.object.path_only = what.path_only;
  slot.object.is_directory = what.is_directory;
  slot.object.directory_position = 0;
  open_count_++;
  return pack(index, slot.generation);
}

HandleTable::Pin HandleTable::pin(StoreHandle handle) {
  const auto index = static_cast<uint32_t>(static_cast<uint64_t>(handle));
  const auto generation = static_cast<uint32_t>(static_cast<uint64_t>(handle) >> 32);
  const std::lock_guard guard(lock_);
  if (index >= slots_.size()) return {};
  Slot& slot = slots_[index];
  if (!slot.open || slot.generation != generation) return {};
  slot.pins++;
  return {this, index, &slot.object};
}

void HandleTable::close(StoreHandle handle) {
  UniqueFd closes;
  const auto index = static_cast<uint32_t>(static_cast<uint64_t>(handle));
  const auto generation = static_cast<uint32_t>(static_cast<uint64_t>(handle) >> 32);
  const std::lock_guard guard(lock_);
  if (index >= slots_.size()) return;
  Slot& slot = slots_[index];
  if (!slot.open || slot.generation != generation) return;
  slot.open = false;
  if (slot.pins == 0) closes = vacate(index);
}

void HandleTable::unpin(uint32_t index) {
  UniqueFd closes;
  const std::lock_guard guard(lock_);
  Slot& slot = slots_[index];
  CHECK(slot.pins > 0);
  if (--slot.pins == 0 && !slot.open) closes = vacate(index);
}

UniqueFd HandleTable::vacate(uint32_t index) {
  Slot& slot = slots_[index];
  // Generation UINT32_MAX with the last index would be StoreHandle::kNone; skip it.
  if (++slot.generation == UINT32_MAX) slot.generation = 0;
  open_count_--;
  free_.push_back(index);
  return std::move(slot.object.fd);
}

size_t HandleTable::open_count() const {
  const std::lock_guard guard(lock_);
  return open_count_;
}

}  // namespace semblance
