#include "sim/oracles/names.h"

#include <algorithm>

namespace semblance::sim {

namespace {

constexpr uint64_t kFileInfo = 1, kRename = 10, kRenameEx = 65;
constexpr uint32_t kMaximumAllowed = 0x02000000, kGenerics = 0xF0000000, kDeleteOnClose = 0x1000;
enum Action : uint64_t { kSuperseded, kOpened, kCreated, kOverwritten };

std::string lower(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

// What a rename wants the object to be called; none for what is not judged here.
std::optional<std::string> renamed_to(const Element& request) {
  size_t at = request.at(kBody + 8, 2);
  if (request.at(at + 8, 8) != 0) return std::nullopt;  // relative to a directory
  auto name = request.range(at + 20, request.at(at + 16, 4));
  return name ? plain_path(*name) : std::nullopt;
}

// What a handle, or the wish for one, does to others. Lenient: rather too much.
struct Mode {
  uint32_t access = 0, share = 0;
};
bool may_exclude(const Mode& a, const Mode& b) {
  return excludes(a.access, b.share) || excludes(b.access, a.share);
}
Mode mode_of(const Element& create) {
  Mode mode{static_cast<uint32_t>(create.at(kBody + 24, 4)),
            static_cast<uint32_t>(create.at(kBody + 32, 4))};
  if (mode.access & (kMaximumAllowed | kGenerics)) mode.access |= kReads | kWrites | kDeletes;
  uint64_t disposition = create.at(kBody + 36, 4);
  if (disposition == 0 || disposition >= 4) mode.access |= kWrites | kDeletes;
  if (create.at(kBody + 40, 4) & kDeleteOnClose) mode.access |= kDeletes;
  return mode;
}

}  // namespace

// ---- What is so ---------------------------------------------------------------------------------

void NameOracle::look(Asking& asking) {
  const Disk& disk = book_.disk();
  std::vector<Inode> at = {disk.root(asking.share)};
  std::string_view rest = asking.path;
  while (!rest.empty()) {
    std::string_view name = rest.substr(0, rest.find('/'));
    bool last = name.size() == rest.size();
    rest.remove_prefix(last ? rest.size() : name.size() + 1);
    std::vector<Inode> next;
    bool any_directory = false;
    for (Inode inode : at) {
      FileKind kind = disk.stat(inode).kind;
      if (kind == FileKind::kSymlink) asking.unsure = true;
      if (kind != FileKind::kDirectory) continue;
      any_directory = true;
      for (const auto& [child, object] : disk.children(inode))
        if (child.size() == name.size() && lower(child) == name) next.push_back(object);
    }
    // Beneath one of several spellings it may be missing, beneath another not.
    if (at.size() > 1) asking.unsure = true;
    if (!any_directory || (next.empty() && !last)) {
      asking.parent_missed = true;
      return;
    }
    if (next.empty()) {
      asking.missed = true;
      return;
    }
    at = std::move(next);
  }
  asking.existed = true;
  for (Inode inode : at) {
    FileKind kind = disk.stat(inode).kind;
    if (kind == FileKind::kSymlink || kind == FileKind::kOther) asking.unsure = true;
    (kind == FileKind::kDirectory ? asking.was_directory : asking.was_file) = true;
    asking.objects.insert(inode);
  }
}

void NameOracle::look_all() {
  for (auto& [number, asking] : asking_)
    if (!asking.unsure) look(asking);
}

void NameOracle::applied(OperationId, const StoreOperation& what, const StoreResult& result,
                         bool injected) {
  if (injected)
    for (auto& [number, asking] : asking_) asking.unsure = true;
  if (!result.ok()) return;
  const auto* open = std::get_if<StoreOpen>(&what);
  bool names = (open != nullptr && open->what != OpenWhat::kExisting) ||
               std::holds_alternative<StoreRename>(what) ||
               std::holds_alternative<StoreUnlink>(what) || std::holds_alternative<StoreLink>(what);
  if (names) look_all();
}

void NameOracle::changed_outside() {
  look_all();
  outside_ = book_.now();
}

// ---- Requests and responses ---------------------------------------------------------------------

void NameOracle::requested(const ExchangePtr& exchange) {
  latest_ = exchange->number;
  const Element& request = exchange->request;
  std::optional<std::string> path;
  std::optional<ShareId> share = book_.share_of(exchange->connection, exchange->tree_id);
  if (request.command == kCmdCreate) {
    if (auto name = create_name(request)) path = plain_path(*name);
    attempts_[exchange->number] = {exchange, path};
  } else if (request.command == kCmdSetInfo && request.at(kBody + 2, 1) == kFileInfo &&
             (request.at(kBody + 3, 1) == kRename || request.at(kBody + 3, 1) == kRenameEx)) {
    path = renamed_to(request);
    attempts_[exchange->number] = {exchange, path};
  }
  if (!path || !share) return;
  Asking asking{exchange, *share, *path};
  look(asking);
  asking_.emplace(exchange->number, std::move(asking));
}

void NameOracle::answered(const ExchangePtr& exchange) {
  auto found = asking_.extract(exchange->number);
  // A change beside the server that falls into the time of one of its own can pass for that (the
  // folded-name index takes stamps of up to 50 ms for its own): not judged for a while after one.
  constexpr Duration kSettles = Duration::seconds(10);
  bool stirred = exchange->received - outside_ < kSettles;
  if (!found.empty() && !found.mapped().unsure && !stirred) {
    if (exchange->request.command == kCmdCreate)
      judge_create(found.mapped());
    else
      judge_rename(found.mapped());
  }
  end_attempt(exchange->number);
}

void NameOracle::abandoned(const ExchangePtr& exchange) {
  // Its end is not to be seen: as an attempt it stays.
  asking_.erase(exchange->number);
}

void NameOracle::crashed(CrashKind) {
  asking_.clear();
  attempts_.clear();
}

void NameOracle::end_attempt(uint64_t number) {
  auto found = attempts_.find(number);
  if (found == attempts_.end()) return;
  found->second.ended = true;
  found->second.ended_after = latest_;
  uint64_t oldest = asking_.empty() ? UINT64_MAX : asking_.begin()->first;
  std::erase_if(attempts_, [&](const auto& one) {
    return one.second.ended && one.second.ended_after < oldest;
  });
}

// ---- Judgement ----------------------------------------------------------------------------------

// Whether the name, or a directory on its way, may have been given by a request that was not
// answered before this one came: then either order of the two is right.
bool NameOracle::in_the_making(const Asking& asking) const {
  return std::ranges::any_of(attempts_, [&](const auto& one) {
    const auto& [number, attempt] = one;
    const Exchange& other = *attempt.exchange;
    if (number == asking.exchange->number || !attempt.path) return false;
    if (attempt.ended && attempt.ended_after < asking.exchange->number) return false;
    bool opened = other.request.command == kCmdCreate && other.answered &&
                  (other.response.status != kOk || other.response.at(kBody + 4, 4) != kCreated);
    return !opened && (asking.path + "/").starts_with(*attempt.path + "/");
  });
}

void NameOracle::judge_create(const Asking& asking) {
  const Exchange& exchange = *asking.exchange;
  auto expect = [&](bool was_so, std::string_view what) {
    if (!was_so) fail(exchange, "\"" + asking.path + "\": " + std::string(what));
  };
  switch (exchange.response.status) {
    case kOk: {
      uint64_t action = exchange.response.at(kBody + 4, 4);
      if (action == kCreated)
        expect(asking.missed, "created, but it was there all the time");
      else
        expect(asking.existed, "opened, but it was never there");
      break;
    }
    case kStatusObjectNameNotFound:
      expect(asking.missed || in_the_making(asking), "not found, but it was there all the time");
      break;
    case kStatusObjectPathNotFound:
      expect(asking.parent_missed || in_the_making(asking),
             "its path not found, but that was there all the time");
      break;
    case kStatusObjectNameCollision:
      expect(asking.existed, "a collision with what was never there");
      break;
    case kStatusFileIsADirectory:
      expect(asking.was_directory, "called a directory, which it never was");
      break;
    case kStatusNotADirectory:
      expect(asking.was_file, "called no directory, but it never was anything else");
      break;
    case kStatusSharingViolation:
      judge_sharing(asking);
      break;
    default:
      break;
  }
}

// Somebody's handle, or attempt at one, was in the way.
void NameOracle::judge_sharing(const Asking& asking) {
  const Exchange& exchange = *asking.exchange;
  Mode wanted = mode_of(exchange.request);
  bool in_the_way = false;
  book_.for_all([&](const BookedOpen& open) {
    bool about = open.inode == 0 || asking.objects.contains(open.inode);
    bool possible = !open.ended || exchange.number <= open.ended_after ||
                    open.possible_until > exchange.received;
    Mode mode{open.access_known ? open.access : kReads | kWrites | kDeletes, open.share_access};
    if (about && possible && may_exclude(wanted, mode)) in_the_way = true;
  });
  for (const auto& [number, attempt] : attempts_) {
    if (number == exchange.number || attempt.exchange->request.command != kCmdCreate) continue;
    bool overlaps = !attempt.ended || attempt.ended_after >= exchange.number;
    // By another name it may be about the same object: that is not told apart.
    if (overlaps && may_exclude(wanted, mode_of(attempt.exchange->request))) in_the_way = true;
  }
  if (!in_the_way)
    fail(exchange, "\"" + asking.path + "\": a sharing violation without anybody who excludes it");
}

void NameOracle::judge_rename(const Asking& asking) {
  const Exchange& exchange = *asking.exchange;
  if (exchange.response.status == kStatusObjectNameCollision && !asking.existed)
    return fail(exchange, "\"" + asking.path + "\": a collision with what was never there");
  const BookedOpen* open = exchange.has_file ? book_.find(exchange.file) : nullptr;
  if (exchange.response.status != kOk || open == nullptr || open->inode == 0) return;
  if (!asking.objects.contains(open->inode))
    fail(exchange, "renamed to \"" + asking.path + "\", which it was never called");
}

}  // namespace semblance::sim
