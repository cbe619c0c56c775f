#include "engine/share/share_mode.h"
#include "engine/base/planted.h"

namespace semblance::share {
namespace {

constexpr uint32_t kReading = 0x01 | 0x20;  // FILE_READ_DATA, FILE_EXECUTE
constexpr uint32_t kWriting = 0x02 | 0x04;  // FILE_WRITE_DATA, FILE_APPEND_DATA
constexpr uint32_t kDeleting = 0x10000;     // DELETE
constexpr uint32_t kShareRead = 1, kShareWrite = 2, kShareDelete = 4;

bool forbidden(uint32_t access, uint32_t share) {
  return ((access & kReading) && !(share & kShareRead)) ||
         ((access & kWriting) && !(share & kShareWrite)) ||
         ((access & kDeleting) && !(share & kShareDelete) && !PLANTED(kShareDeleteForgotten));
}

}  // namespace

bool conflict(const ShareMode& a, const ShareMode& b) {
  if (PLANTED(kShareModeSkipped)) return false;
  constexpr uint32_t kCounts = kReading | kWriting | kDeleting;
  if (!(a.access & kCounts) || !(b.access & kCounts)) return false;
  return forbidden(a.access, b.share) || forbidden(b.access, a.share);
}

}  // namespace semblance::share
