#include "sim/oracles/listing.h"

#include <algorithm>

namespace semblance::sim {

namespace {

constexpr uint64_t kRestart = 1, kReopen = 0x10;
constexpr uint32_t kAttributeDirectory = 0x10;
constexpr uint64_t kDirectory = 1, kFull = 2, kBoth = 3, kNames = 12, kIdBoth = 37, kIdFull = 38;

// MS-FSCC 2.4: where the name stands in an entry; 0 for a class that is not known here.
size_t name_position(uint64_t info_class) {
  switch (info_class) {
    case kDirectory:
      return 64;
    case kFull:
      return 68;
    case kBoth:
      return 94;
    case kNames:
      return 12;
    case kIdBoth:
      return 104;
    case kIdFull:
      return 80;
    default:
      return 0;
  }
}

// Whether a stored name is shown as it is.
bool shown_as_it_is(std::string_view name) {
  if (name.ends_with('.') || name.ends_with(' ')) return false;
  return std::ranges::all_of(name, [](char c) {
    return c >= 0x20 && c < 0x7F &&
           std::string_view(":*?\"<>|\\").find(c) == std::string_view::npos;
  });
}

bool is_plain_kind(FileKind kind) {
  return kind == FileKind::kFile || kind == FileKind::kDirectory;
}

}  // namespace

// None when the list leads out of itself.
std::optional<std::vector<ListingOracle::Entry>> ListingOracle::entries_of(Bytes list,
                                                                           uint64_t info_class) {
  std::vector<Entry> entries;
  size_t name_at = name_position(info_class);
  for (size_t at = 0;;) {
    Bytes bytes = list.subspan(at);
    uint64_t length = number_at(bytes, info_class == kNames ? 8 : 60, 4);
    if (bytes.size() < name_at || length > bytes.size() - name_at) return std::nullopt;
    Entry entry;
    for (size_t i = 0; i < length; i += 2) {
      uint64_t unit = number_at(bytes, name_at + i, 2);
      if (unit >= 0x7F) entry.plain = false;
      entry.name += static_cast<char>(unit);
    }
    entry.has_facts = info_class != kNames;
    entry.size = number_at(bytes, 40, 8);
    entry.attributes = static_cast<uint32_t>(number_at(bytes, 56, 4));
    entries.push_back(std::move(entry));
    uint64_t next = number_at(bytes, 0, 4);
    if (next == 0) return entries;
    if (next >= bytes.size()) return std::nullopt;
    at += next;
  }
}

// ---- What is so ---------------------------------------------------------------------------------

void ListingOracle::look(Scan& scan, bool begins) {
  const Disk& disk = book_.disk();
  if (!disk.lives(scan.directory)) {
    for (auto& [name, seen] : scan.names) seen.always = false;
    return;
  }
  auto children = disk.children(scan.directory);
  for (const auto& [name, inode] : children) {
    auto [at, fresh] = scan.names.try_emplace(std::string(name), Seen{inode, begins});
    if (!fresh && at->second.inode != inode) at->second = {inode, false, at->second.returned};
  }
  // Children come in byte order.
  for (auto& [name, seen] : scan.names) {
    auto at = std::ranges::lower_bound(children, std::string_view(name), {},
                                       [](const auto& child) { return child.first; });
    if (at == children.end() || at->first != name) seen.always = false;
  }
}

void ListingOracle::look(Asking& asking) {
  const Disk& disk = book_.disk();
  if (!disk.lives(asking.directory)) return;
  for (const auto& [name, inode] : disk.children(asking.directory)) {
    auto [first, last] = asking.objects.equal_range(std::string(name));
    bool known = std::any_of(first, last, [&](const auto& one) { return one.second == inode; });
    if (!known) asking.objects.emplace(name, inode);
    std::vector<uint64_t>& sizes = asking.sizes[inode];
    uint64_t size = disk.stat(inode).size;
    if (std::ranges::count(sizes, size) == 0) sizes.push_back(size);
  }
}

void ListingOracle::look_all() {
  std::erase_if(scans_, [&](const auto& one) {
    const BookedOpen* open = book_.find(one.first);
    return one.second.under_way == 0 && (open == nullptr || open->ended);
  });
  for (auto& [file, scan] : scans_)
    if (scan.known) look(scan, false);
  for (auto& [number, asking] : asking_) look(asking);
}

void ListingOracle::applied(OperationId, const StoreOperation& what, const StoreResult&,
                            bool injected) {
  if (injected)
    for (auto& [file, scan] : scans_)
      if (scan.under_way != 0) scan.known = false;
  const auto* open = std::get_if<StoreOpen>(&what);
  bool names = (open != nullptr && open->what != OpenWhat::kExisting) ||
               std::holds_alternative<StoreRename>(what) ||
               std::holds_alternative<StoreUnlink>(what) || std::holds_alternative<StoreLink>(what);
  if (names) return look_all();
  if (std::holds_alternative<StoreWrite>(what) || std::holds_alternative<StoreTruncate>(what))
    for (auto& [number, asking] : asking_) look(asking);
}

void ListingOracle::changed_outside() { look_all(); }

void ListingOracle::crashed(CrashKind) {
  scans_.clear();
  asking_.clear();
}

// ---- Requests and responses ---------------------------------------------------------------------

void ListingOracle::requested(const ExchangePtr& exchange) {
  const Element& request = exchange->request;
  if (request.command != kCmdQueryDirectory) return;
  const BookedOpen* open = exchange->has_file ? book_.find(exchange->file) : nullptr;
  if (open == nullptr || open->inode == 0 || !open->directory) {
    // It may move a scan that is not to be known here.
    for (auto& [file, scan] : scans_) scan.known = false;
    return;
  }
  // Somebody else's handle is refused: its scan stays where it is.
  if (open->connection != exchange->connection) return;
  bool first = !scans_.contains(exchange->file);
  Scan& scan = scans_[exchange->file];
  bool restarts = (request.at(kBody + 3, 1) & (kRestart | kReopen)) != 0;
  // Elements of one message come one after the other.
  if (scan.under_way != 0 && (restarts || !exchange->request.is_related())) {
    scan.known = false;
  } else if (first || restarts) {
    auto pattern = request.range(request.at(kBody + 24, 2), request.at(kBody + 26, 2));
    scan.directory = open->inode;
    scan.known = true;
    scan.all = pattern && pattern->size() == 2 && number_at(*pattern, 0, 2) == '*';
    scan.names.clear();
    look(scan, true);
  }
  ++scan.under_way;
  Asking asking{exchange, open->inode, {}, {}};
  look(asking);
  asking_.emplace(exchange->number, std::move(asking));
}

void ListingOracle::abandoned(const ExchangePtr& exchange) {
  if (asking_.erase(exchange->number) == 0) return;
  auto scan = scans_.find(exchange->file);
  if (scan == scans_.end()) return;
  scan->second.known = false;
  if (scan->second.under_way > 0) --scan->second.under_way;
}

void ListingOracle::answered(const ExchangePtr& exchange) {
  auto found = asking_.extract(exchange->number);
  if (found.empty()) return;
  Scan& scan = scans_[exchange->file];
  if (scan.under_way > 0) --scan.under_way;
  uint32_t status = exchange->response.status;
  if (status == kOk) {
    judge(found.mapped(), scan);
  } else {
    if (scan.known && (status == kStatusNoMoreFiles || status == kStatusNoSuchFile))
      judge_end(*exchange, scan);
    // Behind its end, or an error, only a new scan can be judged.
    scan.known = false;
    scan.names.clear();
  }
}

// ---- Judgement ----------------------------------------------------------------------------------

void ListingOracle::judge(const Asking& asking, Scan& scan) {
  const Exchange& exchange = *asking.exchange;
  const Element& response = exchange.response;
  uint64_t info_class = exchange.request.at(kBody + 2, 1);
  if (name_position(info_class) == 0) return;
  auto list = response.range(response.at(kBody + 2, 2), response.at(kBody + 4, 4));
  auto entries = list ? entries_of(*list, info_class) : std::nullopt;
  if (!entries) return fail(exchange, "a listing whose entries lead out of it");
  for (const Entry& entry : *entries) judge_entry(asking, scan, entry);
}

void ListingOracle::judge_entry(const Asking& asking, Scan& scan, const Entry& entry) {
  const Exchange& exchange = *asking.exchange;
  if (!entry.plain || entry.name == "." || entry.name == "..") return;
  if (scan.known) {
    auto seen = scan.names.find(entry.name);
    if (seen == scan.names.end())
      return fail(exchange, "listed, but never there: \"" + entry.name + "\"");
    if (++seen->second.returned > 1 && seen->second.always)
      return fail(exchange, "listed twice: \"" + entry.name + "\"");
  }
  if (!entry.has_facts) return;
  auto [first, last] = asking.objects.equal_range(entry.name);
  if (first == last) return;  // read earlier, gone when this request came
  bool fits = std::any_of(first, last, [&](const auto& one) {
    const Disk& disk = book_.disk();
    if (!disk.lives(one.second)) return true;
    FileKind kind = disk.stat(one.second).kind;
    if (!is_plain_kind(kind)) return true;
    bool directory = kind == FileKind::kDirectory;
    if (directory != ((entry.attributes & kAttributeDirectory) != 0)) return false;
    return directory || std::ranges::count(asking.sizes.at(one.second), entry.size) != 0;
  });
  if (!fits)
    fail(exchange,
         "\"" + entry.name + "\" listed as what it never was: size " + std::to_string(entry.size));
}

void ListingOracle::judge_end(const Exchange& exchange, Scan& scan) {
  if (!scan.all || !book_.disk().lives(scan.directory)) return;
  for (const auto& [name, seen] : scan.names) {
    if (!seen.always || seen.returned != 0 || !shown_as_it_is(name)) continue;
    if (book_.disk().lives(seen.inode) && is_plain_kind(book_.disk().stat(seen.inode).kind))
      return fail(exchange,
                  "the listing ended without \"" + name + "\", which was there all along");
  }
}

}  // namespace semblance::sim
