#include "engine/smb/ledger.h"

namespace semblance::smb {

std::string_view shape_name(Shape shape) {
  static constexpr std::array<std::string_view, kShapes> kNames = {"no store operation",
                                                                   "READ",
                                                                   "WRITE",
                                                                   "FLUSH",
                                                                   "CLOSE",
                                                                   "CLOSE, query",
                                                                   "CLOSE, delete",
                                                                   "CREATE, exact case",
                                                                   "CREATE, other case",
                                                                   "CREATE, missing",
                                                                   "CREATE, new",
                                                                   "CREATE, overwrite",
                                                                   "QUERY_DIRECTORY",
                                                                   "QUERY_INFO",
                                                                   "SET_INFO",
                                                                   "rename, link"};
  return kNames[static_cast<size_t>(shape)];
}

uint32_t operation_budget(Shape shape, const Ledger& ledger, uint32_t components) {
  // Reading a directory once to index its names: the open, its batches, the close.
  uint32_t indexing = ledger.batches == 0 ? 0 : ledger.batches + 2 * (components + 1);
  uint32_t again = 4u * ledger.retries;
  switch (shape) {
    case Shape::kNone:
      return 1;  // a handle given back by a request that failed
    case Shape::kRead:
    case Shape::kWrite:
    case Shape::kFlush:
    case Shape::kClose:
      return 1;
    case Shape::kCloseQuery:
      return 3;  // close, stat, and times that a client has set
    case Shape::kCloseDelete:
      return 5 + indexing;  // the above, stat of the parent, unlink
    case Shape::kOpenExact:
      // open, stat, close if refused; a second open for MAXIMUM_ALLOWED
      return 4 + indexing + again + (again > 0 ? components : 0);
    case Shape::kOpenMissing:
      return 2 + components + indexing + again;
    case Shape::kOpenFolded:
      return 5 + components + indexing + again;
    case Shape::kCreateNew:
      return 6 + components + indexing +
             again;  // 4, and attributes or allocation if they were asked for
    case Shape::kOverwrite:
      return 7 + components + indexing + again;
    case Shape::kQueryDirectory:
      return ledger.batches + ledger.entries + 1;  // "." is stat'ed too
    case Shape::kQueryInfo:
      return 1;
    case Shape::kSetInfo:
      return 4;  // a directory to be deleted: stat, and whether it is empty
    case Shape::kRename:
      return 7 + 2 * components + indexing;
    case Shape::kCount:
      break;
  }
  return 0;
}

}  // namespace semblance::smb
