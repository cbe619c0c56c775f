#include "sim/oracles/sharing.h"

namespace semblance::sim {

namespace {

bool exclude_each_other(const BookedOpen& a, const BookedOpen& b) {
  constexpr uint32_t kCounts = kReads | kWrites | kDeletes;
  if (!(a.access & kCounts) || !(b.access & kCounts)) return false;
  return excludes(a.access, b.share_access) || excludes(b.access, a.share_access);
}

}  // namespace

void SharingOracle::answered(const ExchangePtr& exchange) {
  if (exchange->request.command != kCmdCreate || exchange->response.status != kOk) return;
  const BookedOpen* opened = book_.find(exchange->file);
  if (opened == nullptr || opened->ending || opened->inode == 0 || !opened->access_known) return;
  book_.for_possible([&](const BookedOpen& other) {
    bool certain = !other.ending && other.access_known && other.inode == opened->inode;
    if (certain && other.file != opened->file && exclude_each_other(*opened, other))
      fail(*exchange, "opened although another handle excludes it");
  });
}

}  // namespace semblance::sim
