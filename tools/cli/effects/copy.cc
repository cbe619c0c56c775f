#include "tools/cli/effects/copy.h"

#include <algorithm>

#include "engine/base/check.h"
#include "tools/cli/effects/driver_server.h"

namespace semblance::effects {
namespace {

constexpr uint32_t kBlock = 64 << 10;
constexpr uint64_t kTogether = 16;  // requests under way
static_assert(copy_requests(1) == (1 << 20) / kBlock + 2);

void transfer(Stage& stage, uint64_t blocks,
              const std::function<client::Request(uint64_t block)>& make) {
  for (uint64_t block = 0; block < blocks; block += kTogether) {
    std::vector<client::Request> requests;
    for (uint64_t i = block; i < std::min(block + kTogether, blocks); ++i)
      requests.push_back(make(i));
    stage.together(std::move(requests));
  }
}

}  // namespace

std::vector<Cost> copy(const std::string& directory, unsigned mib, SystemCallMeter& meter) {
  const uint64_t blocks = copy_requests(mib) - 2;
  const std::vector<uint8_t> data(kBlock, 'c');
  std::vector<Cost> costs;
  for (uint32_t row = 0; row < kCopyRows; ++row) {
    meter.choose(row);
    DriverServer server(directory, meter);
    Stage stage(server, Protection::kNone);
    take_counts();
    server.measure(true);
    const client::FileId file = stage.open(
        u"file", row == 0 ? wire::CreateDisposition::kCreate : wire::CreateDisposition::kOpen);
    transfer(stage, blocks, [&](uint64_t block) {
      return row == 0 ? client::write_request(file, block * kBlock, data)
                      : client::read_request(file, block * kBlock, kBlock);
    });
    stage.close(file);
    server.measure(false);
    meter.choose(SystemCallMeter::kNoRow);
    costs.push_back(
        {.name = row == 0 ? "copied in by WRITEs of 64 KiB" : "copied out by READs of 64 KiB",
         .requests = copy_requests(mib),
         .operations = server.operations(),
         .budget = budget_of(server, 1, 0),
         .counts = take_counts()});
  }
  return costs;
}

}  // namespace semblance::effects
