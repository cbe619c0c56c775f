#include "io/loop/receive_buffers.h"

#include <algorithm>

#include "engine/base/check.h"

namespace semblance {

ReceiveBuffers::ReceiveBuffers(size_t largest, size_t total) : total_(total) {
  for (const size_t size : {kSmallest, size_t{32} << 10, size_t{256} << 10, size_t{1088} << 10})
    if (size < largest) class_bytes_.push_back(size);
  class_bytes_.push_back(std::max(largest, kSmallest));
  spare_.resize(class_bytes_.size());
}

BufferId ReceiveBuffers::acquire(size_t size) {
  const auto fits = std::ranges::lower_bound(class_bytes_, size);
  if (fits == class_bytes_.end()) return BufferId::kNone;
  const auto size_class = static_cast<size_t>(fits - class_bytes_.begin());
  if (size_class > 0 && used_ + *fits > total_) return BufferId::kNone;
  uint32_t index;
  if (!free_entries_.empty()) {
    index = free_entries_.back();
    free_entries_.pop_back();
  } else {
    index = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  }
  Entry& entry = entries_[index];
  entry.size_class = static_cast<uint8_t>(size_class);
  entry.state = {};
  auto& spare = spare_[size_class];
  if (!spare.empty()) {
    entry.memory = std::move(spare.back());
    spare.pop_back();
    spare_bytes_ -= *fits;
  } else {
    entry.memory = std::make_unique_for_overwrite<uint8_t[]>(*fits);
  }
  used_ += *fits;
  return BufferId{index};
}

void ReceiveBuffers::release(BufferId id) {
  Entry& entry = entries_[static_cast<size_t>(id)];
  CHECK(entry.memory != nullptr && !entry.state.pinned);
  const size_t size = class_bytes_[entry.size_class];
  used_ -= size;
  if (spare_bytes_ + size <= kSpareBytes) {
    spare_[entry.size_class].push_back(std::move(entry.memory));
    spare_bytes_ += size;
  }
  entry.memory.reset();
  free_entries_.push_back(static_cast<uint32_t>(id));
}

MutableBytes ReceiveBuffers::bytes(BufferId id) {
  Entry& entry = entries_[static_cast<size_t>(id)];
  CHECK(entry.memory != nullptr);
  return {entry.memory.get(), class_bytes_[entry.size_class]};
}

}  // namespace semblance
