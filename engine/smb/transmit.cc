#include "engine/smb/transmit.h"

#include <algorithm>
#include <bit>

namespace semblance::smb {

namespace {

// Large blocks come in four sizes for each doubling, so that they are found again and little of
// them is wasted.
size_t block_size(size_t bytes) {
  if (bytes <= TransmitPool::kSmallBlock) return TransmitPool::kSmallBlock;
  return align_up(bytes, std::bit_floor(bytes) / 4);
}

}  // namespace

BlockId TransmitPool::acquire(size_t bytes) {
  size_t size = block_size(bytes);
  if (bytes_used_ + size > bytes_max_ || blocks_.full()) return {};
  bytes_used_ += size;
  auto fits = std::find_if(spare_.rbegin(), spare_.rend(),
                           [&](const Spare& spare) { return spare.bytes == size; });
  std::unique_ptr<uint8_t[]> memory;
  if (fits != spare_.rend()) {
    memory = std::move(fits->memory);
    spare_.erase(std::next(fits).base());
    spare_bytes_ -= size;
  } else {
    memory.reset(new uint8_t[size]);  // not zeroed: every byte sent is written before
  }
  return blocks_.acquire(size, std::move(memory));
}

void TransmitPool::release(BlockId id) {
  Block& block = blocks_.get(id);
  bytes_used_ -= block.bytes;
  spare_bytes_ += block.bytes;
  spare_.push_back({block.bytes, std::move(block.memory)});
  blocks_.release(id);
  // What was used longest ago goes first.
  size_t gone = 0;
  while (spare_bytes_ > kSpareBytes) spare_bytes_ -= spare_[gone++].bytes;
  spare_.erase(spare_.begin(), spare_.begin() + static_cast<ptrdiff_t>(gone));
}

void TransmitPool::drop(Region& region) {
  if (!region) return;
  if (--blocks_.get(region.block).users == 0) release(region.block);
  region = {};
}

Region Outbox::reserve(TransmitPool& pool, size_t size) {
  size = align_up(size, 8);
  if (size > TransmitPool::kSmallBlock / 2) {
    BlockId own = pool.acquire(size);
    if (!own) return {};
    Block& block = pool.get(own);
    block.filled = size;
    block.users = 1;
    held_ += size;
    return {own, 0, size};
  }
  if (current_ && pool.get(current_).bytes - pool.get(current_).filled < size) current_ = {};
  if (!current_) current_ = pool.acquire(TransmitPool::kSmallBlock);
  if (!current_) return {};
  Block& block = pool.get(current_);
  Region region{current_, block.filled, size};
  block.filled += size;
  ++block.users;
  held_ += size;
  return region;
}

MutableBytes Outbox::bytes(TransmitPool& pool, const Region& region) const {
  return {pool.get(region.block).memory.get() + region.offset, region.size};
}

void Outbox::queue(TransmitPool& pool, Region& region, size_t used) {
  CHECK(used > 0 && used <= region.size);
  Block& block = pool.get(region.block);
  // The last region handed out of a block gives its unused end back, so that the next reply follows
  // without a gap and both leave in one segment.
  if (block.filled == region.offset + region.size) block.filled = region.offset + used;
  held_ -= region.size - used;
  Queued* last = queued_.empty() ? nullptr : &queued_.back();
  if (last && last->block == region.block && last->offset + last->size == region.offset) {
    last->size += used;
    ++last->users;
  } else {
    queued_.push_back({region.block, region.offset, used, 1});
  }
  region = {};
}

void Outbox::cancel(TransmitPool& pool, Region& region) {
  if (!region) return;
  Block& block = pool.get(region.block);
  if (block.filled == region.offset + region.size) block.filled = region.offset;
  held_ -= region.size;
  drop_users(pool, region.block, 1);
  region = {};
}

size_t Outbox::peek(const TransmitPool& pool, std::span<Segment> segments) const {
  size_t count = std::min(segments.size(), queued_.size());
  for (size_t i = 0; i < count; ++i)
    segments[i] = {pool.find(queued_[i].block)->memory.get() + queued_[i].offset, queued_[i].size};
  return count;
}

void Outbox::sent(TransmitPool& pool, size_t bytes) {
  while (bytes > 0 && !queued_.empty()) {
    Queued& front = queued_.front();
    size_t taken = std::min(bytes, front.size);
    front.offset += taken;
    front.size -= taken;
    held_ -= taken;
    bytes -= taken;
    if (front.size > 0) continue;
    Queued gone = front;
    queued_.pop_front();
    drop_users(pool, gone.block, gone.users);
  }
}

void Outbox::clear(TransmitPool& pool) {
  size_t left = 0;
  for (size_t i = 0; i < queued_.size(); ++i) left += queued_[i].size;
  sent(pool, left);
}

void Outbox::drop_users(TransmitPool& pool, BlockId id, uint32_t count) {
  Block& block = pool.get(id);
  block.users -= count;
  if (block.users > 0) return;
  if (current_ == id) current_ = {};
  pool.release(id);
}

}  // namespace semblance::smb
