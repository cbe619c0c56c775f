#include "sim/view/attribution.h"

#include <algorithm>

#include "sim/run/words.h"

namespace semblance::sim {

namespace {

template <typename... Kinds>
bool is_one_of(const StoreOperation& what) {
  return (std::holds_alternative<Kinds>(what) || ...);
}

constexpr uint64_t kClassRename = 10, kClassLink = 11;  // MS-FSCC 2.4

// Whether such a request ever asks for such an operation.
bool may_ask(const Element& request, const StoreOperation& what) {
  switch (request.command) {
    case kCmdCreate:
      return !is_one_of<StoreRead, StoreWrite, StoreFlush, StoreRename, StoreLink, StoreFsStat>(
          what);
    case kCmdClose:
      return is_one_of<StoreClose, StoreStat, StoreStatPath, StoreUnlink, StoreSetAttributes>(what);
    case kCmdFlush:
      return is_one_of<StoreFlush>(what);
    case kCmdRead:
      return is_one_of<StoreRead, StoreStat>(what);
    case kCmdWrite:
      return is_one_of<StoreWrite, StoreStat>(what);
    case kCmdQueryDirectory:
      return is_one_of<StoreReadDirectory, StoreStatAt, StoreStat>(what);
    case kCmdQueryInfo:
      return is_one_of<StoreStat, StoreStatPath, StoreFsStat, StoreReadDescriptor>(what);
    case kCmdSetInfo: {
      uint64_t information_class = request.at(64 + 3, 1);
      if (information_class == kClassRename || information_class == kClassLink)
        return !is_one_of<StoreRead, StoreWrite>(what);
      return is_one_of<StoreTruncate, StoreAllocate, StoreSetAttributes, StoreWriteDescriptor,
                       StoreReadDescriptor, StoreStat, StoreStatPath>(what);
    }
    case kCmdTreeDisconnect:
    case kCmdLogoff:
      return is_one_of<StoreClose, StoreUnlink>(what);
    case kCmdTreeConnect:
      return is_one_of<StoreFsStat, StoreStatPath>(what);
    default:
      return false;
  }
}

// How well a path goes with the name that a CREATE gives: the same or a directory on the way,
// letter by letter or but for case. 0: not at all, or there is no path.
int likeness(const Exchange& create, const StoreOperation& what) {
  std::string_view path = std::visit(
      [](const auto& op) {
        if constexpr (requires { op.path; })
          return op.path;
        else
          return std::string_view();
      },
      what);
  if (path.empty()) return 0;
  std::string name = name_in(create);
  std::ranges::replace(name, '\\', '/');
  if (name.starts_with(path)) return 3;
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  bool folded = name.size() >= path.size() &&
                std::ranges::equal(path, name.substr(0, path.size()), {}, lower, lower);
  return folded ? 2 : 0;
}

}  // namespace

void Attribution::requested(const ExchangePtr& exchange) {
  if (exchange->request.command == kCmdCancel) return;
  open_[exchange->number] = exchange;
  moved_.insert(exchange->number);
}

void Attribution::answered(const ExchangePtr& exchange) {
  open_.erase(exchange->number);
  waiting_.erase(exchange->number);
  if (exchange->request.command == kCmdCreate && exchange->has_file)
    file_of_[exchange->number] = exchange->file.volatile_id;
}

void Attribution::completes(OperationId id) {
  auto owner = owners_.find(id);
  if (owner == owners_.end()) return;
  moved_.insert(owner->second);
  waiting_.erase(owner->second);
}

template <typename Score>
uint64_t Attribution::choose(OperationId id, Score score) {
  uint64_t best = 0;
  int best_score = 0;
  for (const auto& [number, exchange] : open_) {
    int fits = score(*exchange);
    if (fits > 0 && moved_.contains(number)) fits += 4;
    if (fits > best_score) {
      best = number;
      best_score = fits;
    }
  }
  if (best != 0) owners_[id] = best;
  return best;
}

uint64_t Attribution::started(OperationId id, const StoreOperation& what) {
  bool closes = is_one_of<StoreClose>(what);  // nobody waits for those
  auto opener = opened_by_.find(handle_of(what));
  uint64_t opened_by = opener != opened_by_.end() ? opener->second : 0;
  auto file = file_of_.find(opened_by);
  uint64_t owner = choose(id, [&](const Exchange& exchange) {
    uint16_t command = exchange.request.command;
    if (!may_ask(exchange.request, what) || (!closes && waiting_.contains(exchange.number)))
      return 0;
    if (opened_by != 0) {
      // In a compound a handle's CREATE is answered together with what uses the handle.
      const Exchange* one = &exchange;
      while (one != nullptr && one->number != opened_by) one = one->previous.get();
      if (one != nullptr) return 8;
      if (file != file_of_.end() && exchange.has_file && command != kCmdCreate)
        return exchange.file.volatile_id == file->second ? 8 : 0;
    }
    bool opens = command == kCmdCreate || command == kCmdSetInfo;
    if (closes && opens) return 0;
    return command == kCmdCreate ? 1 + likeness(exchange, what) : 1;
  });
  if (owner != 0 && !closes) waiting_.insert(owner);
  return owner;
}

uint64_t Attribution::started_account(OperationId id) {
  return choose(id,
                [](const Exchange& e) { return e.request.command == kCmdSessionSetup ? 1 : 0; });
}

void Attribution::applied(OperationId id, const StoreOperation& what, const StoreResult& result) {
  auto owner = owners_.find(id);
  if (const auto* opened = std::get_if<StoreOpened>(&result.value);
      opened != nullptr && owner != owners_.end())
    opened_by_[opened->handle] = owner->second;
  if (const auto* close = std::get_if<StoreClose>(&what)) opened_by_.erase(close->handle);
}

void Attribution::crashed() {
  open_.clear();
  moved_.clear();
  owners_.clear();
  waiting_.clear();
  opened_by_.clear();
  file_of_.clear();
}

}  // namespace semblance::sim
