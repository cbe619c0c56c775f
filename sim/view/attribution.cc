#include "sim/view/attribution.h"

#include <algorithm>

namespace semblance::sim {

namespace {

template <typename... Kinds>
bool is_one_of(const StoreOperation& what) {
  return (std::holds_alternative<Kinds>(what) || ...);
}

// Whether a command ever asks for such an operation.
bool may_ask(uint16_t command, const StoreOperation& what) {
  switch (command) {
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
    case kCmdSetInfo:
      return !is_one_of<StoreRead, StoreWrite>(what);
    case kCmdTreeDisconnect:
    case kCmdLogoff:
      return is_one_of<StoreClose, StoreUnlink>(what);
    case kCmdTreeConnect:
      return is_one_of<StoreFsStat, StoreStatPath>(what);
    default:
      return false;
  }
}

StoreHandle handle_of(const StoreOperation& what) {
  return std::visit(
      [](const auto& op) {
        if constexpr (requires { op.handle; })
          return op.handle;
        else if constexpr (requires { op.directory; })
          return op.directory;
        else
          return StoreHandle::kNone;
      },
      what);
}

}  // namespace

void Attribution::requested(const ExchangePtr& exchange) {
  if (exchange->request.command == kCmdCancel) return;
  open_[exchange->number] = exchange;
  moved_.insert(exchange->number);
}

void Attribution::answered(const ExchangePtr& exchange) {
  open_.erase(exchange->number);
  if (exchange->request.command == kCmdCreate && exchange->has_file)
    file_of_[exchange->number] = exchange->file.volatile_id;
}

void Attribution::completes(OperationId id) {
  auto owner = owners_.find(id);
  if (owner != owners_.end()) moved_.insert(owner->second);
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
  StoreHandle handle = handle_of(what);
  auto opener = opened_by_.find(handle);
  uint64_t opened_by =
      handle != StoreHandle::kNone && opener != opened_by_.end() ? opener->second : 0;
  auto file = file_of_.find(opened_by);
  return choose(id, [&](const Exchange& exchange) {
    if (!may_ask(exchange.request.command, what)) return 0;
    if (opened_by == 0) return 1;
    if (opened_by == exchange.number) return 8;
    // In a compound the handle's CREATE is answered together with what uses it.
    for (auto before = exchange.previous; before; before = before->previous)
      if (before->number == opened_by) return 8;
    if (file == file_of_.end()) return 1;
    return exchange.has_file && exchange.file.volatile_id == file->second ? 8 : 1;
  });
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
  opened_by_.clear();
  file_of_.clear();
}

}  // namespace semblance::sim
