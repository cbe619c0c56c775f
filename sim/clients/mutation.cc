#include "sim/clients/mutation.h"

#include "sim/choice/sources.h"

namespace semblance::sim {

namespace {

constexpr uint64_t kExtremes[] = {0,       1,          0x7F,       0xFF,      0xFFFF,
                                  0x10000, 0x7FFFFFFF, 0xFFFFFFFF, UINT64_MAX};
// Fields of the header that decide much: MS-SMB2 2.2.1.
constexpr uint8_t kHeaderFields[] = {4, 6, 8, 12, 14, 16, 20, 24, 32, 36, 40, 48};

// Draws a change of a message's bytes; it is carried out later, so everything is drawn now.
std::function<void(std::vector<uint8_t>&)> draw_change(Chooser& chooser, uint64_t entity) {
  auto pick = [&](uint32_t bound) { return chooser.pick(Site::kMutation, entity, bound); };
  uint32_t what = pick(6);
  uint32_t where = pick(1 << 16);
  uint64_t value = kExtremes[pick(std::size(kExtremes))];
  uint32_t width = 1u << pick(4);
  uint8_t field = kHeaderFields[pick(std::size(kHeaderFields))];
  return [=](std::vector<uint8_t>& element) {
    if (element.empty()) return;
    size_t size = element.size();
    constexpr size_t kHeader = 64;
    size_t body = size > kHeader ? kHeader + where % (size - kHeader) : where % size;
    switch (what) {
      case 0:
      case 1:  // a field of the body
        for (size_t i = 0; i < width && body + i < size; ++i)
          element[body + i] = static_cast<uint8_t>(value >> (8 * i));
        break;
      case 2:
        element[body] ^= static_cast<uint8_t>(1u << (where % 8));
        break;
      case 3:  // a field of the header
        for (size_t i = 0; i < width && field + i < size; ++i)
          element[field + i] = static_cast<uint8_t>(value >> (8 * i));
        break;
      case 4:
        element.resize(body);
        break;
      default:
        element.resize(size + 1 + where % 100);
        break;
    }
  };
}

}  // namespace

void mutate(client::Request& request, Chooser& chooser, uint64_t entity) {
  request.mutate = draw_change(chooser, entity);
}

void corrupt(client::Request& request, Chooser& chooser, uint64_t entity) {
  auto pick = [&](uint32_t bound) { return chooser.pick(Site::kMutation, entity, bound); };
  switch (pick(7)) {
    case 5:
      request.sealing = client::Sealing::kNever;
      break;
    case 6:
      request.sealing = client::Sealing::kWrong;
      break;
    case 0:
      request.signing = client::Signing::kWrong;
      break;
    case 1:
      request.signing = client::Signing::kNever;
      break;
    case 2:
      request.session_id ^= uint64_t{1} << pick(40);
      break;
    case 3:
      request.tree_id ^= 1u << pick(8);
      break;
    default: {
      uint32_t where = pick(1 << 16);
      auto flip = static_cast<uint8_t>(1 + pick(255));
      request.tamper = [=](MutableBytes element) {
        if (!element.empty()) element[where % element.size()] ^= flip;
      };
    }
  }
}

std::vector<uint8_t> garbage(Chooser& chooser, uint64_t entity) {
  auto pick = [&](uint32_t bound) { return chooser.pick(Site::kMutation, entity, bound); };
  std::vector<uint8_t> bytes(pick(300));
  uint64_t state = pick(1 << 20);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(scramble(++state));
  if (bytes.size() >= 8 && pick(4) != 0) {  // at least the magic and the size of the header
    bytes[0] = 0xFE;
    bytes[1] = 'S';
    bytes[2] = 'M';
    bytes[3] = 'B';
    bytes[4] = 64;
    bytes[5] = 0;
  }
  return bytes;
}

}  // namespace semblance::sim
