#include "engine/smb/task.h"

namespace semblance::smb {

void* FramePool::allocate(size_t bytes) noexcept {
  CHECK(bytes <= kFrameBytes);
  if (free_ == nullptr) {
    if (made_ >= capacity_) return nullptr;
    auto chunk = std::make_unique<Block[]>(kChunk);
    for (uint32_t i = 0; i < kChunk && made_ < capacity_; ++i, ++made_) {
      chunk[i].pool = this;
      chunk[i].next_free = free_;
      free_ = &chunk[i];
    }
    chunks_.push_back(std::move(chunk));
  }
  Block* block = free_;
  free_ = block->next_free;
  ++used_;
  return block->frame;
}

void FramePool::release(void* frame) noexcept {
  auto* block = reinterpret_cast<Block*>(static_cast<std::byte*>(frame) - offsetof(Block, frame));
  block->next_free = block->pool->free_;
  block->pool->free_ = block;
  --block->pool->used_;
}

}  // namespace semblance::smb
