#include "sim/oracles/durability.h"

#include <algorithm>

namespace semblance::sim {

namespace {

constexpr uint32_t kOptionWriteThrough = 2, kFlagWriteThrough = 1;
constexpr size_t kChangesMax = 500;  // of one file; with more its promises are forgotten

}  // namespace

// ---- Requests -----------------------------------------------------------------------------------

void DurabilityOracle::requested(const ExchangePtr& exchange) {
  const Element& request = exchange->request;
  bool flush = request.command == kCmdFlush;
  if (!flush && request.command != kCmdWrite) return;
  const BookedOpen* open = exchange->has_file ? book_.find(exchange->file) : nullptr;
  if (open == nullptr || open->inode == 0 || open->directory) return;
  if (!book_.disk().lives(open->inode) || doubtful_.contains(open->inode)) return;
  Asking asking{exchange, open->inode, flush};
  if (flush) {
    Tracked& tracked = track(open->inode);
    asking.part = {0, UINT64_MAX, tracked.live, change_};
    asking.name = durable_place_of(open->inode);
  } else {
    bool through = (open->options & kOptionWriteThrough) != 0 ||
                   (request.at(kBody + 44, 4) & kFlagWriteThrough) != 0;
    auto data = request.range(request.at(kBody + 2, 2), request.at(kBody + 4, 4));
    uint64_t offset = request.at(kBody + 8, 8);
    if (!through || !data || data->empty() || offset + data->size() < offset) return;
    track(open->inode);
    asking.part = {offset, offset + data->size(), {data->begin(), data->end()}, 0};
  }
  asking.before = change_;
  asking_.emplace(exchange->number, std::move(asking));
}

void DurabilityOracle::answered(const ExchangePtr& exchange) {
  auto found = asking_.extract(exchange->number);
  if (found.empty() || exchange->response.status != kOk) return;
  promise(std::move(found.mapped()));
}

void DurabilityOracle::promise(Asking asking) {
  auto found = tracked_.find(asking.inode);
  if (found == tracked_.end() || doubtful_.contains(asking.inode)) return;
  Tracked& tracked = found->second;
  if (!asking.flush) {
    // The change that carried it out: with several equal ones, the first.
    auto change = std::ranges::find_if(tracked.changes, [&](const Part& one) {
      return one.since > asking.before && one.begin == asking.part.begin &&
             one.data == asking.part.data;
    });
    if (change == tracked.changes.end()) return;  // the oracle "changes" says so
    asking.part.since = change->since;
  }
  uint64_t since = asking.part.since;
  if (asking.flush) {
    std::erase_if(tracked.promised, [&](const Part& part) { return part.since <= since; });
    // Only a name that still is its own: what happened meanwhile was seen below.
    tracked.name = asking.name;
  }
  tracked.promised.push_back(std::move(asking.part));
  std::ranges::stable_sort(tracked.promised, {}, &Part::since);
  tracked.size_since = std::max(tracked.size_since, since);
  if (asking.flush) {
    uint64_t oldest = tracked.promised.front().since;
    for (const auto& [number, other] : asking_)
      if (other.inode == asking.inode) oldest = std::min(oldest, other.before);
    std::erase_if(tracked.changes, [&](const Part& part) { return part.since <= oldest; });
  }
}

// ---- The disk -----------------------------------------------------------------------------------

DurabilityOracle::Tracked& DurabilityOracle::track(Inode inode) {
  auto [at, fresh] = tracked_.try_emplace(inode);
  if (fresh) {
    Bytes content = book_.disk().content(inode);
    at->second.live.assign(content.begin(), content.end());
    at->second.sizes.push_back({content.size(), change_});
  }
  return at->second;
}

// Bytes [begin, end) may have changed, and the size.
void DurabilityOracle::note(Inode inode, uint64_t begin, uint64_t end) {
  auto found = tracked_.find(inode);
  if (found == tracked_.end() || !book_.disk().lives(inode)) return;
  Tracked& tracked = found->second;
  Bytes content = book_.disk().content(inode);
  uint64_t stop = std::min<uint64_t>(end, content.size());
  Part part{begin, end, {}, ++change_};
  if (begin < stop) {
    Bytes now = content.subspan(begin, stop - begin);
    part.data.assign(now.begin(), now.end());
  }
  tracked.live.resize(content.size());
  std::ranges::copy(part.data,
                    tracked.live.begin() + static_cast<ptrdiff_t>(std::min(begin, content.size())));
  tracked.sizes.push_back({content.size(), change_});
  tracked.changes.push_back(std::move(part));
  if (tracked.changes.size() > kChangesMax) {
    tracked_.erase(found);
    std::erase_if(asking_, [&](const auto& one) { return one.second.inode == inode; });
  }
}

void DurabilityOracle::note_all(Inode inode, Tracked& tracked) {
  uint64_t end = std::max<uint64_t>(tracked.live.size(), book_.disk().content(inode).size());
  note(inode, 0, end);
}

void DurabilityOracle::applied(OperationId, const StoreOperation& what, const StoreResult& result,
                               bool) {
  const Disk& disk = book_.disk();
  if (const auto* write = std::get_if<StoreWrite>(&what)) {
    Inode inode = disk.inode_of(write->handle);
    if (!result.ok() && write->write_through) doubtful_.insert(inode);
    note(inode, write->offset, write->offset + write->data.size());
  } else if (const auto* cut = std::get_if<StoreTruncate>(&what)) {
    Inode inode = disk.inode_of(cut->handle);
    auto found = tracked_.find(inode);
    if (found != tracked_.end() && found->second.live.size() != cut->size)
      note(inode, std::min<uint64_t>(cut->size, found->second.live.size()),
           std::max<uint64_t>(cut->size, found->second.live.size()));
  } else if (const auto* flush = std::get_if<StoreFlush>(&what)) {
    if (!result.ok()) doubtful_.insert(disk.inode_of(flush->handle));
  } else if (std::holds_alternative<StoreRename>(what) ||
             std::holds_alternative<StoreUnlink>(what) || std::holds_alternative<StoreLink>(what)) {
    check_names();
  }
}

void DurabilityOracle::changed_outside() {
  std::vector<Inode> changed;
  for (auto& [inode, tracked] : tracked_)
    if (book_.disk().lives(inode) && !std::ranges::equal(book_.disk().content(inode), tracked.live))
      changed.push_back(inode);
  for (Inode inode : changed) note_all(inode, tracked_.at(inode));
  check_names();
}

// A flush of a file keeps its name, but not those of directories that were renamed: what leads to
// it must be durable already.
std::optional<DurabilityOracle::Name> DurabilityOracle::durable_place_of(Inode inode) const {
  auto place = book_.disk().path_of(inode);
  if (!place) return std::nullopt;
  size_t slash = place->second.rfind('/');
  std::string parent = slash == std::string::npos ? "" : place->second.substr(0, slash);
  if (!book_.disk().exists_durably(place->first, parent)) return std::nullopt;
  return Name{place->first, place->second};
}

// Names that are no longer those that were promised need not come back.
void DurabilityOracle::check_names() {
  auto still = [this](Inode inode, std::optional<Name>& name) {
    if (!name) return;
    auto place = book_.disk().path_of(inode);
    if (!place || place->first != name->share || place->second != name->path) name.reset();
  };
  for (auto& [inode, tracked] : tracked_) still(inode, tracked.name);
  for (auto& [number, asking] : asking_) still(asking.inode, asking.name);
}

// ---- Crashes ------------------------------------------------------------------------------------

void DurabilityOracle::crashed(CrashKind kind) {
  asking_.clear();
  const Disk& disk = book_.disk();
  if (kind == CrashKind::kKill) {
    std::erase_if(tracked_, [&](const auto& one) { return !disk.lives(one.first); });
    for (const auto& [inode, tracked] : tracked_) {
      if (!std::ranges::equal(disk.content(inode), tracked.live))
        fail("a kill changed " + name_of(inode, tracked));
    }
    return;
  }
  for (const auto& [inode, tracked] : tracked_) judge(inode, tracked);
  tracked_.clear();
  doubtful_.clear();
}

std::string DurabilityOracle::name_of(Inode inode, const Tracked& tracked) const {
  return tracked.name ? "\"" + tracked.name->path + "\"" : "object " + std::to_string(inode);
}

void DurabilityOracle::judge(Inode inode, const Tracked& tracked) {
  if (doubtful_.contains(inode) || tracked.promised.empty()) return;
  const Disk& disk = book_.disk();
  if (tracked.name && disk.find(tracked.name->share, tracked.name->path) != inode)
    return fail("flushed, and lost its name: " + name_of(inode, tracked));
  if (!disk.lives(inode)) return;  // somebody removed it
  Bytes found = disk.content(inode);
  bool known_size = false;
  for (size_t i = 0; i < tracked.sizes.size(); ++i) {
    // A size holds until the next one.
    bool outlived =
        i + 1 < tracked.sizes.size() && tracked.sizes[i + 1].since <= tracked.size_since;
    if (!outlived && tracked.sizes[i].size == found.size()) known_size = true;
  }
  if (!known_size)
    return fail(name_of(inode, tracked) +
                " has a size after the power loss that it had not since " +
                "it was flushed: " + std::to_string(found.size()));
  judge_bytes(inode, tracked, found);
}

void DurabilityOracle::judge_bytes(Inode inode, const Tracked& tracked, Bytes found) {
  std::vector<bool> judged(found.size());
  // Newest first.
  for (auto part = tracked.promised.rbegin(); part != tracked.promised.rend(); ++part) {
    uint64_t end = std::min<uint64_t>(part->end, found.size());
    for (uint64_t at = part->begin; at < end; ++at) {
      if (judged[at]) continue;
      judged[at] = true;
      if (found[at] == part->value(at)) continue;
      bool later = std::ranges::any_of(tracked.changes, [&](const Part& change) {
        return change.since > part->since && change.covers(at) && change.value(at) == found[at];
      });
      if (!later)
        return fail(name_of(inode, tracked) + " lost what was flushed, at byte " +
                    std::to_string(at));
    }
  }
}

}  // namespace semblance::sim
