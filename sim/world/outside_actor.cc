#include "sim/world/outside_actor.h"

#include <algorithm>

namespace semblance::sim {

namespace {

constexpr ShareId kShare{0};
constexpr std::string_view kPaths[] = {"a",   "b",         "dir/a",   "dir/b", "dir/sub",
                                       "dir", "dir/sub/a", "link",    "c.txt", "~tmp",
                                       "B",   "dir/new",   "\xFF bad"};
constexpr uint32_t kActsMax = 60;

}  // namespace

void OutsideActor::start() { scheduler_.wake(*this, Duration::milliseconds(5)); }

void OutsideActor::woken(uint64_t) {
  uint32_t level = swarm_.level(FaultClass::kOutside);
  if (level == 0 || acts_ >= kActsMax) return;
  act();
  ++acts_;
  // From once in two seconds to once in a few milliseconds.
  uint32_t most_ms = std::max(4u, 2000 / level);
  scheduler_.wake(*this,
                  Duration::milliseconds(1 + chooser_.pick(Site::kOutside, acts_, 2 * most_ms)));
}

void OutsideActor::act() {
  disk_.set_now(server_.wall());
  uint64_t entity = uint64_t{acts_} << 32;
  auto pick = [&](uint32_t bound) { return chooser_.pick(Site::kOutside, entity, bound); };
  auto path = [&] { return kPaths[pick(std::size(kPaths))]; };
  uint32_t what =
      chooser_.weighted(Site::kOutside, entity, {20, 15, 10, 15, 10, 15, 8, 8, 5, 8, 5});
  std::string_view at = path();
  std::string content(pick(2000), static_cast<char>('A' + acts_ % 26));
  switch (what) {
    case 1:
      outside_.create_file(kShare, at, as_bytes(content));
      break;
    case 2:
      outside_.create_directory(kShare, at);
      break;
    case 3:
      outside_.write(kShare, at, pick(3000), as_bytes(content));
      break;
    case 4:
      outside_.truncate(kShare, at, pick(5000));
      break;
    case 5:
      outside_.rename(kShare, at, path());
      break;
    case 6:
      outside_.unlink(kShare, at);
      break;
    case 7:
      outside_.remove_directory(kShare, at);
      break;
    case 8: {
      constexpr std::string_view kTargets[] = {"a", "dir", "../..", "/etc/passwd", "link", "../a"};
      outside_.create_symlink(kShare, at, kTargets[pick(std::size(kTargets))]);
      break;
    }
    case 9:
      outside_.replace(kShare, at, as_bytes(content));
      break;
    case 10:
      outside_.link(kShare, at, path());
      break;
    default:
      return;
  }
  observers_.tell(&Observer::changed_outside);
}

}  // namespace semblance::sim
