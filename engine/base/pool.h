#pragma once
// A bounded pool of slots that are named by generation-checked ids.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/ids.h"

namespace semblance {

// Holds at most `capacity` objects of T. Slots never move, memory comes in chunks as it is first
// needed and is kept; so an idle server is small and a busy one does not allocate.
// An id whose object is gone, or whose slot is used anew, finds nothing.
template <typename T, typename Id>
class Pool {
 public:
  explicit Pool(uint32_t capacity) : capacity_(capacity) {}

  // A new object, or none when the pool is full.
  template <typename... Args>
  Id acquire(Args&&... args) {
    uint32_t index;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else {
      if (next_ == capacity_) return {};
      if (next_ % kChunk == 0) chunks_.push_back(std::make_unique<Slot[]>(kChunk));
      index = next_++;
    }
    Slot& slot = at(index);
    slot.value.emplace(std::forward<Args>(args)...);
    ++size_;
    return {index, slot.generation};
  }

  // The object, or null. The pointer is good until the next suspension; keep the id, not it.
  T* find(Id id) {
    if (id.index >= next_) return nullptr;
    Slot& slot = at(id.index);
    return slot.generation == id.generation && slot.value ? &*slot.value : nullptr;
  }
  const T* find(Id id) const { return const_cast<Pool*>(this)->find(id); }

  // The object of an id that must be alive.
  T& get(Id id) {
    T* found = find(id);
    CHECK(found != nullptr);
    return *found;
  }

  void release(Id id) {
    CHECK(find(id) != nullptr);
    Slot& slot = at(id.index);
    slot.value.reset();
    ++slot.generation;
    free_.push_back(id.index);
    --size_;
  }

  uint32_t size() const { return size_; }
  uint32_t capacity() const { return capacity_; }
  bool full() const { return size_ == capacity_; }

  // Visits every object in the order of slots (the same in every run). `visit(id, object)`; it may
  // release the object it is given, and no other.
  template <typename Visit>
  void for_each(Visit visit) {
    for (uint32_t index = 0; index < next_; ++index) {
      Slot& slot = at(index);
      if (slot.value) visit(Id{index, slot.generation}, *slot.value);
    }
  }

 private:
  static constexpr uint32_t kChunk = 64;
  struct Slot {
    uint32_t generation = 1;  // never 0, so that no packed id is 0
    std::optional<T> value;
  };
  Slot& at(uint32_t index) { return chunks_[index / kChunk][index % kChunk]; }

  uint32_t capacity_;
  uint32_t next_ = 0;  // slots below were used at least once
  uint32_t size_ = 0;
  std::vector<std::unique_ptr<Slot[]>> chunks_;
  std::vector<uint32_t> free_;
};

}  // namespace semblance
