#include "sim/oracles/reads.h"

#include <algorithm>

namespace semblance::sim {

namespace {
constexpr uint64_t kFileInfo = 1, kStandard = 5, kNetworkOpen = 34;
}  // namespace

void ReadOracle::requested(const ExchangePtr& exchange) {
  const Element& request = exchange->request;
  bool query = request.command == kCmdQueryInfo && request.at(kBody + 2, 1) == kFileInfo &&
               (request.at(kBody + 3, 1) == kStandard || request.at(kBody + 3, 1) == kNetworkOpen);
  if (request.command != kCmdRead && !query) return;
  const BookedOpen* open = exchange->has_file ? book_.find(exchange->file) : nullptr;
  if (open == nullptr || open->inode == 0 || open->directory) return;
  Reading reading{exchange, open->inode};
  if (request.command == kCmdRead) {
    reading.length = request.at(kBody + 4, 4);
    reading.offset = request.at(kBody + 8, 8);
  }
  gather(reading);
  reading_.emplace(exchange->number, std::move(reading));
}

void ReadOracle::gather(Reading& reading) {
  const Disk& disk = book_.disk();
  if (!disk.lives(reading.inode)) return;
  Bytes content = disk.content(reading.inode);
  if (std::ranges::count(reading.sizes, content.size()) == 0)
    reading.sizes.push_back(content.size());
  if (reading.exchange->request.command != kCmdRead) return;
  Bytes part;
  if (reading.offset < content.size())
    part = content.subspan(reading.offset)
               .first(std::min<uint64_t>(reading.length, content.size() - reading.offset));
  for (const auto& known : reading.data)
    if (std::ranges::equal(known, part)) return;
  reading.data.emplace_back(part.begin(), part.end());
}

void ReadOracle::applied(OperationId, const StoreOperation& what, const StoreResult&, bool) {
  if (reading_.empty()) return;
  StoreHandle changed = StoreHandle::kNone;
  if (const auto* write = std::get_if<StoreWrite>(&what)) changed = write->handle;
  if (const auto* cut = std::get_if<StoreTruncate>(&what)) changed = cut->handle;
  if (changed == StoreHandle::kNone) return;
  Disk::Inode inode = book_.disk().inode_of(changed);
  for (auto& [number, reading] : reading_)
    if (reading.inode == inode) gather(reading);
}

void ReadOracle::changed_outside() {
  for (auto& [number, reading] : reading_) gather(reading);
}

void ReadOracle::answered(const ExchangePtr& exchange) {
  auto found = reading_.extract(exchange->number);
  if (found.empty()) return;
  if (exchange->request.command == kCmdRead)
    judge_data(*exchange, found.mapped());
  else
    judge_size(*exchange, found.mapped());
}

void ReadOracle::judge_data(const Exchange& exchange, const Reading& reading) {
  const Element& response = exchange.response;
  if (response.status == kStatusEndOfFile) {
    uint64_t minimum = exchange.request.at(kBody + 32, 4);
    bool ends = std::ranges::any_of(
        reading.data, [&](const auto& part) { return part.empty() || part.size() < minimum; });
    if (!ends) fail(exchange, "an end of file where the file never ended");
    return;
  }
  if (response.status != kOk) return;
  auto data = response.range(response.at(kBody + 2, 1), response.at(kBody + 4, 4));
  if (!data) return fail(exchange, "a READ response whose data lies outside it");
  for (const auto& part : reading.data)
    if (std::ranges::equal(part, *data)) return;
  fail(exchange, "read " + std::to_string(data->size()) + " bytes that the file never held; " +
                     std::to_string(reading.data.size()) + " answers were allowed");
}

void ReadOracle::judge_size(const Exchange& exchange, const Reading& reading) {
  const Element& response = exchange.response;
  if (response.status != kOk) return;
  size_t at = response.at(kBody + 2, 2);
  bool standard = exchange.request.at(kBody + 3, 1) == kStandard;
  uint64_t size = response.at(at + (standard ? 8 : 40), 8);
  if (std::ranges::count(reading.sizes, size) == 0)
    fail(exchange, "a size that the file never had: " + std::to_string(size));
}

}  // namespace semblance::sim
