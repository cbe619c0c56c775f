#pragma once
// Memory for replies, and the queue of what a connection is about to send.
//
// A reply is built where it leaves from: a Region is reserved in a block when the request starts,
// the headers and (for READ) the file's data are written into it, and what was used is queued.
// Small replies of a connection share one block and lie one behind the other, so a batch leaves in
// one segment; an idle connection owns no block.

#include <memory>
#include <span>
#include <vector>

#include "engine/base/pool.h"
#include "engine/base/ring.h"
#include "engine/engine.h"

namespace semblance::smb {

struct Block {
  Block(size_t bytes, std::unique_ptr<uint8_t[]> memory)
      : bytes(bytes), memory(std::move(memory)) {}
  size_t bytes;
  std::unique_ptr<uint8_t[]> memory;
  size_t filled = 0;   // bytes handed out from the front
  uint32_t users = 0;  // regions reserved or queued and not yet sent
};
using BlockId = SlotId<struct BlockTag>;

// Room for one reply. Empty until reserved.
struct Region {
  BlockId block;
  size_t offset = 0;
  size_t size = 0;
  explicit operator bool() const { return static_cast<bool>(block); }
};

// The blocks of all connections, bounded by a total of bytes. Beside that, what was used lately is
// kept for reuse.
class TransmitPool {
 public:
  explicit TransmitPool(size_t bytes_max) : bytes_max_(bytes_max), blocks_(kBlocksMax) {}

  static constexpr size_t kSmallBlock = 64 << 10;

  // A block of at least `bytes`; none when the total would be exceeded.
  BlockId acquire(size_t bytes);
  void release(BlockId id);
  // Gives back a region whose outbox is gone.
  void drop(Region& region);
  Block& get(BlockId id) { return blocks_.get(id); }
  const Block* find(BlockId id) const { return blocks_.find(id); }
  size_t bytes_used() const { return bytes_used_; }

 private:
  static constexpr uint32_t kBlocksMax = 1 << 20;
  static constexpr size_t kSpareBytes = 16 << 20;
  struct Spare {
    size_t bytes;
    std::unique_ptr<uint8_t[]> memory;
  };

  size_t bytes_max_;
  size_t bytes_used_ = 0;
  Pool<Block, BlockId> blocks_;
  std::vector<Spare> spare_;  // the latest last
  size_t spare_bytes_ = 0;
};

// What one connection has to send. Order of sending is the order of `queue`, not of `reserve`.
class Outbox {
 public:
  // Room for a reply of up to `size` bytes; empty when the pool is exhausted.
  Region reserve(TransmitPool& pool, size_t size);
  MutableBytes bytes(TransmitPool& pool, const Region& region) const;
  // Queues the first `used` bytes of the region, gives the rest back, and forgets the region.
  void queue(TransmitPool& pool, Region& region, size_t used);
  // Gives the region back unused.
  void cancel(TransmitPool& pool, Region& region);

  size_t peek(const TransmitPool& pool, std::span<Segment> segments) const;
  // `bytes` from the front have left.
  void sent(TransmitPool& pool, size_t bytes);
  // Drops all that is queued.
  void clear(TransmitPool& pool);

  bool empty() const { return queued_.empty(); }
  size_t bytes_held() const { return held_; }  // reserved and queued

 private:
  struct Queued {
    BlockId block;
    size_t offset, size;
    uint32_t users;  // regions merged into this entry
  };
  void drop_users(TransmitPool& pool, BlockId block, uint32_t count);

  BlockId current_;  // where small replies go; none when nothing is held
  Ring<Queued> queued_;
  size_t held_ = 0;
};

}  // namespace semblance::smb
