#include "sim/oracles/changes.h"

#include <algorithm>

namespace semblance::sim {

namespace {

constexpr uint64_t kFileInfo = 1, kRename = 10, kLink = 11, kDisposition = 13, kDispositionEx = 64,
                   kAllocation = 19, kEndOfFile = 20, kRenameEx = 65;

uint64_t info_class(const Element& set_info) {
  return set_info.at(kBody + 2, 1) == kFileInfo ? set_info.at(kBody + 3, 1) : 0;
}
// Of a SET_INFO: the information itself.
uint64_t info_number(const Element& set_info, size_t at, size_t size) {
  return set_info.at(set_info.at(kBody + 8, 2) + at, size);
}
std::optional<Bytes> new_name(const Element& set_info) {
  uint64_t length = info_number(set_info, 16, 4);
  auto name = set_info.range(set_info.at(kBody + 8, 2) + 20, length);
  // A leading backslash means nothing: MS-FSCC 2.4.42.2.
  if (name && name->size() >= 2 && (*name)[0] == '\\' && (*name)[1] == 0) name = name->subspan(2);
  return name;
}

bool changes_something(uint16_t command) {
  return command == kCmdCreate || command == kCmdWrite || command == kCmdFlush ||
         command == kCmdSetInfo;
}

}  // namespace

bool ChangeOracle::is_about(const Exchange& exchange, StoreHandle handle) const {
  if (!exchange.has_file) return true;  // inherits a handle that is not known yet
  const BookedOpen* open = book_.find(exchange.file);
  if (open == nullptr) return true;  // guessed, before the answer that gives it out has left
  return open->inode == 0 || open->inode == book_.disk().inode_of(handle);
}

// ---- Who asks for what --------------------------------------------------------------------------

bool ChangeOracle::wants(const Exchange& exchange, const StoreWrite& write) const {
  const Element& request = exchange.request;
  if (request.command != kCmdWrite || request.at(kBody + 8, 8) != write.offset) return false;
  auto data = request.range(request.at(kBody + 2, 2), request.at(kBody + 4, 4));
  return data && std::ranges::equal(*data, write.data) && is_about(exchange, write.handle);
}

bool ChangeOracle::wants(const Exchange& exchange, const StoreFlush& flush) const {
  return exchange.request.command == kCmdFlush && is_about(exchange, flush.handle);
}

bool ChangeOracle::wants(const Exchange& exchange, const StoreTruncate& cut) const {
  const Element& request = exchange.request;
  if (request.command == kCmdCreate) {
    // SUPERSEDE, OVERWRITE, OVERWRITE_IF
    uint64_t disposition = request.at(kBody + 36, 4);
    return cut.size == 0 && (disposition == 0 || disposition == 4 || disposition == 5);
  }
  if (request.command != kCmdSetInfo || !is_about(exchange, cut.handle)) return false;
  uint64_t wanted = info_number(request, 0, 8);
  return (info_class(request) == kEndOfFile && cut.size == wanted) ||
         (info_class(request) == kAllocation && cut.size <= wanted);
}

bool ChangeOracle::wants(const Exchange& exchange, const StoreOpen& open) const {
  const Element& request = exchange.request;
  if (request.command != kCmdCreate) return false;
  // CREATE, SUPERSEDE, OPEN_IF, OVERWRITE_IF
  uint64_t disposition = request.at(kBody + 36, 4);
  if (disposition != 0 && disposition != 2 && disposition != 3 && disposition != 5) return false;
  auto share = book_.share_of(exchange.connection, exchange.tree_id);
  if (share && *share != open.share) return false;
  auto name = create_name(request);
  auto path = name ? plain_path(*name) : std::nullopt;
  return !path || path == plain_stored(open.path);
}

bool ChangeOracle::wants(const Exchange& exchange, const StoreRename& rename) const {
  const Element& request = exchange.request;
  if (request.command != kCmdSetInfo) return false;
  uint64_t what = info_class(request);
  if (what != kRename && what != kRenameEx) return false;
  // Another object is replaced by who asks for that.
  const Disk& disk = book_.disk();
  Disk::Inode target = disk.find(rename.share, rename.to);
  bool replaces = rename.replace && target != 0 && target != disk.find(rename.share, rename.from);
  // A BOOLEAN in the one class, a flag in the other.
  uint64_t may_replace = info_number(request, 0, 1) & (what == kRename ? 0xFF : 1);
  if (replaces && may_replace == 0) return false;
  auto name = new_name(request);
  auto path = name ? plain_path(*name) : std::nullopt;
  return !path || path == plain_stored(rename.to);
}

bool ChangeOracle::wants(const Exchange& exchange, const StoreLink& link) const {
  const Element& request = exchange.request;
  if (request.command != kCmdSetInfo || info_class(request) != kLink) return false;
  auto name = new_name(request);
  auto path = name ? plain_path(*name) : std::nullopt;
  return !path || path == plain_stored(link.to);
}

// ---- Requests and responses ---------------------------------------------------------------------

void ChangeOracle::requested(const ExchangePtr& exchange) {
  latest_ = exchange->number;
  bool may_clear = exchange->request.command == kCmdSetInfo &&
                   (info_class(exchange->request) == kDisposition ||
                    info_class(exchange->request) == kDispositionEx) &&
                   !(info_number(exchange->request, 0, 1) & 1);
  if (may_clear) {
    const BookedOpen* open = exchange->has_file ? book_.find(exchange->file) : nullptr;
    if (open == nullptr || open->inode == 0) {
      marked_.clear();
      cleared_ = exchange->number;
    } else {
      marked_.erase(open->inode);
      cleared_by_[open->inode] = exchange->number;
    }
  }
  if (changes_something(exchange->request.command)) asked_[exchange->number] = {exchange};
}

// What a CREATE with delete-on-close or a disposition wished for, as far as it can be known.
void ChangeOracle::expect_gone(Disk::Inode inode, bool gone) {
  const Disk& disk = book_.disk();
  if (inode == 0 || !disk.lives(inode)) return;
  FileStat stat = disk.stat(inode);
  if (stat.kind != FileKind::kFile || stat.links != 1) return;
  // Which of two wishes came last can't be seen.
  bool& wish = to_be_deleted_.try_emplace(inode, true).first->second;
  wish = wish && gone;
}

void ChangeOracle::judge_create(const Exchange& exchange, const BookedOpen& open) {
  constexpr uint64_t kCreate = 2, kCreated = 2;
  if (exchange.request.at(kBody + 36, 4) == kCreate &&
      exchange.response.at(kBody + 4, 4) != kCreated)
    fail(exchange, "opened what it was to make anew");
  auto marked = marked_.find(open.inode);
  if (open.inode != 0 && marked != marked_.end() && exchange.number > marked->second)
    fail(exchange, "opened what is to be deleted");
}

void ChangeOracle::rested(const Engine&) {
  if (disturbed_) return;
  for (auto [inode, gone] : to_be_deleted_)
    if (gone && book_.disk().lives(inode) && book_.disk().path_of(inode))
      fail("still there after its last close: " + book_.disk().path_of(inode)->second);
}

void ChangeOracle::answered(const ExchangePtr& exchange) {
  if (exchange->response.status == kOk && exchange->has_file) {
    const BookedOpen* open = book_.find(exchange->file);
    bool disposes =
        exchange->request.command == kCmdSetInfo && info_class(exchange->request) == kDisposition;
    // Through a link it is the link that goes.
    bool direct =
        open != nullptr && open->path && book_.disk().find(open->share, *open->path) == open->inode;
    if (open != nullptr && exchange->request.command == kCmdCreate && open->wants_delete)
      expect_gone(open->inode, direct);
    bool deletes = info_number(exchange->request, 0, 1) != 0;
    if (open != nullptr && open->share != ShareId::kNone && exchange->request.command == kCmdCreate)
      judge_create(*exchange, *open);
    if (open != nullptr && direct && open->inode != 0 && disposes && deletes && !disturbed_ &&
        exchange->number > std::max(cleared_, cleared_by_[open->inode]))
      marked_[open->inode] = latest_;
    // Through a link, it is the link that goes.
    if (disposes && open != nullptr && open->inode != 0) {
      expect_gone(open->inode, deletes && direct);
      if (deletes && !direct) marked_.erase(open->inode);  // and only that
    } else if (disposes) {
      for (auto& [inode, gone] : to_be_deleted_) gone = false;
      marked_.clear();
    }
  }
  auto found = asked_.extract(exchange->number);
  if (found.empty() || exchange->response.status != kOk) return;
  const Element& request = exchange->request;
  const BookedOpen* open = exchange->has_file ? book_.find(exchange->file) : nullptr;
  if (open == nullptr || open->share == ShareId::kNone) return;  // a pipe
  bool done = found.mapped().done;
  if (request.command == kCmdWrite && request.at(kBody + 4, 4) != 0 && !done)
    fail(*exchange, "a WRITE answered before it was carried out");
  if (request.command == kCmdFlush && !done)
    fail(*exchange, "a FLUSH answered before it was carried out");
  if (request.command == kCmdSetInfo && info_class(request) == kEndOfFile && !done)
    fail(*exchange, "an end of file set before it was set");
}

void ChangeOracle::crashed(CrashKind) {
  asked_.clear();
  marked_.clear();
  disturbed_ = true;
}

// ---- The disk -----------------------------------------------------------------------------------

template <typename Operation>
void ChangeOracle::justify(const Operation& operation, std::string_view what, bool done) {
  // Equal ones are not told apart.
  bool justified = false;
  for (auto& [number, asked] : asked_) {
    if (!asked.exchange->authentic || !wants(*asked.exchange, operation)) continue;
    justified = true;
    asked.done = asked.done || done;
  }
  if (!justified) fail("a " + std::string(what) + " that nobody asked for");
}

void ChangeOracle::started(OperationId, const StoreOperation& what) {
  if (const auto* write = std::get_if<StoreWrite>(&what)) justify(*write, "write", false);
  if (const auto* cut = std::get_if<StoreTruncate>(&what)) justify(*cut, "change of size", false);
  if (const auto* open = std::get_if<StoreOpen>(&what); open && open->what != OpenWhat::kExisting)
    justify(*open, "new object", false);
  if (const auto* rename = std::get_if<StoreRename>(&what)) justify(*rename, "rename", false);
  if (const auto* link = std::get_if<StoreLink>(&what)) justify(*link, "link", false);
  if (const auto* unlink = std::get_if<StoreUnlink>(&what)) judge_unlink(*unlink);
}

void ChangeOracle::applied(OperationId, const StoreOperation& what, const StoreResult& result,
                           bool injected) {
  if (injected) disturbed_ = true;
  // A deletion that fails takes the mark with it.
  if (std::holds_alternative<StoreUnlink>(what) && !result.ok()) marked_.clear();
  if (!result.ok()) return;
  if (const auto* write = std::get_if<StoreWrite>(&what)) justify(*write, "write", true);
  if (const auto* flush = std::get_if<StoreFlush>(&what)) justify(*flush, "flush", true);
  if (const auto* cut = std::get_if<StoreTruncate>(&what)) justify(*cut, "change of size", true);
}

// Somebody asked for the deletion of what has this name, and nobody else uses it any more.
void ChangeOracle::judge_unlink(const StoreUnlink& unlink) {
  Disk::Inode inode = book_.disk().find(unlink.share, unlink.path);
  // Gone already, or the disk is going to refuse it.
  if (inode == 0 || (unlink.expected != FileKey{} && unlink.expected.inode != inode)) return;
  // A link stands for what it leads to, which the handles are of.
  if (book_.disk().stat(inode).kind == FileKind::kSymlink) return;
  bool asked = false, unsure = false;
  std::string user;
  // The wish outlives the handle that had it, as long as others hold the object.
  book_.for_all([&](const BookedOpen& open) {
    if (open.share != unlink.share || !open.wants_delete) return;
    if (open.inode == 0) unsure = true;
    bool named = open.path && open.path == plain_stored(unlink.path);
    if (open.inode == inode || named) asked = true;
  });
  book_.for_possible([&](const BookedOpen& open) {
    if (open.inode == inode && !open.ending) user = open.path.value_or("?");
  });
  // A CREATE with delete-on-close whose own end is not to be seen: its connection has gone.
  for (const auto& [number, one] : asked_)
    if (one.exchange->request.command == kCmdCreate &&
        (one.exchange->request.at(kBody + 40, 4) & 0x1000))
      asked = true;
  // A wish in a compound, through the handle that the compound opens.
  for (const auto& [number, one] : asked_) {
    uint64_t what =
        one.exchange->request.command == kCmdSetInfo ? info_class(one.exchange->request) : 0;
    if ((what == kDisposition || what == kDispositionEx) && !one.exchange->has_file) asked = true;
  }
  if (!asked && !unsure) fail("a deletion that nobody asked for");
  if (!user.empty()) fail("deleted while it is open: " + user);
}

}  // namespace semblance::sim
