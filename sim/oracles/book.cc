#include "sim/oracles/book.h"

#include <algorithm>

namespace semblance::sim {

namespace {

constexpr Duration kOrphanMax = Duration::seconds(20);
constexpr uint32_t kMaximumAllowed = 0x02000000;
constexpr uint32_t kDeleteOnClose = 0x00001000;

// MS-SMB2 2.2.13.1.1: generic rights as those of a file.
uint32_t without_generic(uint32_t access) {
  uint32_t specific = access & 0x01FFFFFF;
  if (access & 0x10000000) specific |= 0x001F01FF;
  if (access & 0x20000000) specific |= 0x001200A0;
  if (access & 0x40000000) specific |= 0x00120116;
  if (access & 0x80000000) specific |= 0x00120089;
  return specific;
}

std::optional<std::string> lower(std::string_view text) {
  std::string path;
  for (char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80 || static_cast<unsigned char>(c) < 0x20)
      return std::nullopt;
    path += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return path;
}

}  // namespace

bool excludes(uint32_t access, uint32_t share) {
  return ((access & kReads) && !(share & 1)) || ((access & kWrites) && !(share & 2)) ||
         ((access & kDeletes) && !(share & 4));
}

std::optional<std::string> plain_stored(std::string_view path) { return lower(path); }

std::optional<std::string> plain_path(Bytes utf16) {
  if (utf16.size() % 2 != 0) return std::nullopt;
  std::string text;
  for (size_t i = 0; i < utf16.size(); i += 2) {
    auto unit = static_cast<uint16_t>(number_at(utf16, i, 2));
    if (unit >= 0x80 || unit < 0x20 || unit == ':' || unit == '*' || unit == '?' || unit == '"' ||
        unit == '<' || unit == '>' || unit == '|' || unit == '/')
      return std::nullopt;
    text += unit == '\\' ? '/' : static_cast<char>(unit);
  }
  if (text.starts_with('/') || text.ends_with('/') || text.find("//") != std::string::npos)
    return std::nullopt;
  if (text.find("./") != std::string::npos || text.ends_with('.') || text.ends_with(' '))
    return std::nullopt;
  return lower(text);
}

const BookedOpen* Book::find(FileRef file) const {
  auto found = opens_.find(file);
  return found == opens_.end() ? nullptr : &found->second;
}

std::optional<ShareId> Book::share_of(ConnectionId connection, uint32_t tree) const {
  auto found = trees_.find({connection.generation, tree});
  if (found == trees_.end() || found->second == ShareId::kNone) return std::nullopt;
  return found->second;
}

// ---- Requests -----------------------------------------------------------------------------------

void Book::end_where(auto matches) {
  for (auto& [file, open] : opens_)
    if (!open.ended && matches(open)) open.ending = true;
}

bool Book::may_end(uint64_t session) const {
  return std::ranges::any_of(setups_, [&](const auto& setup) {
    return setup.second.first == session || setup.second.second == session;
  });
}

void Book::end(BookedOpen& open, Duration possible_for) {
  open.ended = open.ending = true;
  open.ended_after = latest_;
  open.possible_until = scheduler_.now() + possible_for;
}

void Book::requested(const ExchangePtr& exchange) {
  latest_ = exchange->number;
  uint16_t command = exchange->request.command;
  if (command == kCmdClose || command == kCmdLogoff || command == kCmdTreeDisconnect ||
      command == kCmdSessionSetup)
    for (auto& [number, creating] : creating_)
      if (creating.exchange->connection == exchange->connection) creating.ending = true;
  const Element& request = exchange->request;
  switch (request.command) {
    case kCmdCreate: {
      Creating creating{exchange};
      creating.ending = may_end(exchange->session_id);
      if (auto share = share_of(exchange->connection, exchange->tree_id)) creating.share = *share;
      if (auto name = create_name(request)) creating.path = plain_path(*name);
      creating_[exchange->number] = creating;
      break;
    }
    case kCmdClose:
      end_where([&](const BookedOpen& open) {
        return open.connection == exchange->connection &&
               (open.file == exchange->file || !exchange->has_file);
      });
      break;
    case kCmdLogoff:
    case kCmdTreeDisconnect:
      end_where([&](const BookedOpen& open) { return open.connection == exchange->connection; });
      break;
    case kCmdSessionSetup: {
      // A renewal that fails ends the session; a new one may end the one before it.
      uint64_t previous = request.at(kBody + 16, 8);
      setups_[exchange->number] = {previous, request.session_id};
      end_where([&](const BookedOpen& open) {
        return open.session == previous || open.session == request.session_id;
      });
      break;
    }
    case kCmdSetInfo: {
      constexpr uint8_t kFile = 1, kDisposition = 13, kDispositionEx = 64;
      uint64_t info_class = request.at(kBody + 3, 1);
      auto open = opens_.find(exchange->file);
      if (open != opens_.end() && request.at(kBody + 2, 1) == kFile &&
          (info_class == kDisposition || info_class == kDispositionEx))
        open->second.wants_delete = true;
      break;
    }
    default:
      break;
  }
}

void Book::applied(OperationId, const StoreOperation& what, const StoreResult& result, bool) {
  const auto* open = std::get_if<StoreOpen>(&what);
  if (open == nullptr || !result.ok()) return;
  Disk::Inode inode = disk_.inode_of(std::get<StoreOpened>(result.value).handle);
  auto path = plain_stored(open->path);
  for (auto& [number, creating] : creating_) {
    if (creating.share != open->share || !creating.path || creating.path != path) continue;
    if (creating.inode != 0 && creating.inode != inode) creating.ambiguous = true;
    creating.inode = inode;
  }
}

// ---- Responses ----------------------------------------------------------------------------------

void Book::answered(const ExchangePtr& exchange) {
  setups_.erase(exchange->number);
  const Element& request = exchange->request;
  bool ok = exchange->response.status == kOk;
  if (request.command == kCmdTreeConnect && ok) {
    std::string name;
    auto offset = request.at(kBody + 4, 2), length = request.at(kBody + 6, 2);
    if (auto path = request.range(offset, length))
      for (size_t i = 0; i + 1 < path->size(); i += 2) {
        char c = static_cast<char>((*path)[i]);
        name = c == '\\' ? "" : name + static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
      }
    ShareId share = name == "data"    ? ShareId{0}
                    : name == "fixed" ? ShareId{1}
                    : name == "open"  ? ShareId{2}
                    : name == "vault" ? ShareId{3}
                                      : ShareId::kNone;
    trees_[{exchange->connection.generation, exchange->response.tree_id}] = share;
  }
  if (request.command == kCmdCreate) {
    if (ok) created(*exchange);
    creating_.erase(exchange->number);
  }
  if (ok && exchange->has_file && file_id_position(request.command)) judge_use(*exchange);
  if (request.command == kCmdClose && ok) {
    auto open = opens_.find(exchange->file);
    if (open != opens_.end()) end(open->second, {0});
  }
  bool lasts = request.command == kCmdLogoff || request.command == kCmdTreeDisconnect;
  if (lasts && ok)
    for (auto& [file, open] : opens_) {
      bool covered = open.connection == exchange->connection &&
                     open.session == exchange->session_id &&
                     (request.command == kCmdLogoff || open.tree == exchange->tree_id);
      if (covered && !open.ended && open.opened_by < exchange->number) end(open, kOrphanMax);
    }
}

void Book::created(const Exchange& exchange) {
  const Element& request = exchange.request;
  auto known = opens_.find(exchange.file);
  if (known != opens_.end()) return fail(exchange, "a FileId that was given out before");
  const Creating& creating = creating_.at(exchange.number);
  BookedOpen& open = opens_[exchange.file];
  open.file = exchange.file;
  open.connection = exchange.connection;
  open.session = exchange.session_id;
  open.tree = exchange.tree_id;
  open.share = creating.share;
  open.path = creating.path;
  if (!creating.ambiguous) open.inode = creating.inode;
  auto access = static_cast<uint32_t>(request.at(kBody + 24, 4));
  open.access_known = (access & kMaximumAllowed) == 0;
  open.access = without_generic(access);
  open.share_access = static_cast<uint32_t>(request.at(kBody + 32, 4));
  open.options = static_cast<uint32_t>(request.at(kBody + 40, 4));
  open.wants_delete = (open.options & kDeleteOnClose) != 0;
  open.directory = (exchange.response.at(kBody + 56, 4) & 0x10) != 0;
  open.ending = creating.ending || may_end(open.session);
  open.opened_by = exchange.number;
}

// A handle works for the session and tree that opened it, and as long as it is open.
void Book::judge_use(const Exchange& exchange) {
  auto found = opens_.find(exchange.file);
  if (found == opens_.end()) {
    // Or it was guessed, before the answer that gives it out has left.
    for (const auto& [number, creating] : creating_)
      if (creating.exchange->connection == exchange.connection) return;
    return fail(exchange, "success on a handle that was never given out");
  }
  BookedOpen& open = found->second;
  if (open.connection != exchange.connection || open.session != exchange.session_id)
    return fail(exchange, "success on a handle of another session");
  if (open.tree != exchange.tree_id) return fail(exchange, "success on a handle of another tree");
  if (open.ended && exchange.number > open.ended_after)
    return fail(exchange, "success on a handle that is closed");
}

void Book::abandoned(const ExchangePtr& exchange) {
  setups_.erase(exchange->number);
  creating_.erase(exchange->number);
}

void Book::closed(ConnectionId connection) {
  for (auto& [file, open] : opens_) {
    if (open.connection == connection && !open.ended) end(open, kOrphanMax);
  }
  std::erase_if(trees_,
                [&](const auto& tree) { return tree.first.first == connection.generation; });
}

void Book::crashed(CrashKind) {
  // What comes back knows none of it, and may give out the same numbers.
  opens_.clear();
  trees_.clear();
  creating_.clear();
  setups_.clear();
}

}  // namespace semblance::sim
