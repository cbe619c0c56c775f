#include "engine/store.h"

#include <array>

namespace semblance {

std::string_view store_operation_name(size_t kind) {
  static constexpr std::array<std::string_view, kStoreOperationKinds> kNames = {"open",
                                                                                "close",
                                                                                "stat",
                                                                                "stat_at",
                                                                                "stat_path",
                                                                                "read",
                                                                                "write",
                                                                                "flush",
                                                                                "truncate",
                                                                                "allocate",
                                                                                "set_attributes",
                                                                                "read_descriptor",
                                                                                "write_descriptor",
                                                                                "read_directory",
                                                                                "rename",
                                                                                "link",
                                                                                "unlink",
                                                                                "fs_stat"};
  return kind < kNames.size() ? kNames[kind] : "unknown";
}

StoreHandle handle_of(const StoreOperation& operation) {
  return std::visit(
      [](const auto& op) {
        if constexpr (requires { op.handle; })
          return op.handle;
        else if constexpr (requires { op.directory; })
          return op.directory;
        else
          return StoreHandle::kNone;
      },
      operation);
}

}  // namespace semblance
