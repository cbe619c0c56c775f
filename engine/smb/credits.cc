#include "engine/smb/credits.h"
#include "engine/base/planted.h"

#include <algorithm>

namespace semblance::smb {

bool CreditWindow::consume(uint64_t message_id, uint16_t charge) {
  if (charge == 0) charge = 1;
  if (message_id < low_ || message_id - low_ >= range_) return false;
  if (charge > range_ - (message_id - low_)) return false;
  for (uint64_t id = message_id; id < message_id + charge; ++id)
    if (is_used(id)) return PLANTED(kMessageIdTwice);
  for (uint64_t id = message_id; id < message_id + charge; ++id) set_used(id);
  held_ -= charge;
  while (range_ > 0 && is_used(low_)) {
    clear_used(low_);
    ++low_;
    --range_;
  }
  return true;
}

uint16_t CreditWindow::grant(uint16_t wanted) {
  if (wanted == 0 && held_ == 0) wanted = 1;
  uint32_t possible = limit_ - range_;
  uint32_t granted = std::min<uint32_t>(wanted, possible);
  if (PLANTED(kCreditsUnlimited)) granted = wanted;
  range_ += granted;
  held_ += granted;
  return static_cast<uint16_t>(granted);
}

}  // namespace semblance::smb
