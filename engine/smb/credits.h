#pragma once
// The command sequence window of one connection: MS-SMB2 3.3.1.1, 3.3.1.2, 3.3.5.2.3.

#include <cstdint>
#include <vector>

namespace semblance::smb {

// Message ids [low, low + range) have been granted; those of them in `used_` have come. The window is
// never wider than `limit`, so a client that leaves an id unused stops being granted new ones.
// Invariant: range_ - (ids used in the window) == credits the client holds.
class CreditWindow {
 public:
  explicit CreditWindow(uint32_t limit) : limit_(limit), used_((limit + 63) / 64) {}

  // Takes `charge` consecutive ids from `message_id`; false if any was never granted or came before,
  // for which MS-SMB2 closes the connection. Nothing is taken then.
  bool consume(uint64_t message_id, uint16_t charge);

  // Widens the window by up to `wanted` ids and returns by how many. Grants at least 1 when the client
  // would hold nothing otherwise.
  uint16_t grant(uint16_t wanted);

  uint32_t held() const { return held_; }
  uint64_t low() const { return low_; }
  uint32_t range() const { return range_; }

 private:
  bool is_used(uint64_t id) const { return used_[slot(id) / 64] >> (slot(id) % 64) & 1; }
  void set_used(uint64_t id) { used_[slot(id) / 64] |= uint64_t{1} << (slot(id) % 64); }
  void clear_used(uint64_t id) { used_[slot(id) / 64] &= ~(uint64_t{1} << (slot(id) % 64)); }
  size_t slot(uint64_t id) const { return id % limit_; }

  uint32_t limit_;
  uint64_t low_ = 0;
  uint32_t range_ = 1;
  uint32_t held_ = 1;
  std::vector<uint64_t> used_;  // a bit per id of the window, at id % limit
};

}  // namespace semblance::smb
