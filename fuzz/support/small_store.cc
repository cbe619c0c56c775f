#include "fuzz/support/small_store.h"

namespace semblance::fuzz {
namespace {

// How large a file must be for this operation.
uint64_t size_wanted(const StoreOperation& operation) {
  if (auto* write = std::get_if<StoreWrite>(&operation))
    return write->offset > SmallStore::kFileBytesMax ? UINT64_MAX
                                                     : write->offset + write->data.size();
  if (auto* truncate = std::get_if<StoreTruncate>(&operation)) return truncate->size;
  if (auto* allocate = std::get_if<StoreAllocate>(&operation)) return allocate->size;
  return 0;
}

bool changes(const StoreOperation& operation) {
  if (auto* open = std::get_if<StoreOpen>(&operation)) return open->what != OpenWhat::kExisting;
  return std::holds_alternative<StoreWrite>(operation) ||
         std::holds_alternative<StoreTruncate>(operation) ||
         std::holds_alternative<StoreAllocate>(operation) ||
         std::holds_alternative<StoreSetAttributes>(operation) ||
         std::holds_alternative<StoreWriteDescriptor>(operation) ||
         std::holds_alternative<StoreRename>(operation) ||
         std::holds_alternative<StoreLink>(operation) ||
         std::holds_alternative<StoreUnlink>(operation);
}

}  // namespace

StoreResult SmallStore::execute(const StoreOperation& operation) {
  if (size_wanted(operation) > kFileBytesMax) return {StoreError::kNoSpace, {}};
  changed_ |= changes(operation);
  return store_.execute(operation);
}

void SmallStore::make(ShareId share, std::string_view path, OpenWhat what,
                      std::string_view content) {
  uint8_t access = what == OpenWhat::kNewFile ? kOpenRead | kOpenWrite : kOpenRead;
  StoreResult made = execute(StoreOpen{share, path, what, access});
  if (!made.ok()) return;
  StoreHandle handle = std::get<StoreOpened>(made.value).handle;
  if (!content.empty()) execute(StoreWrite{handle, 0, as_bytes(content)});
  execute(StoreClose{handle});
}

}  // namespace semblance::fuzz
