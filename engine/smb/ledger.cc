#include "engine/smb/ledger.h"

#include <algorithm>

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

namespace {

// Beyond what the shape takes where nobody has set descriptors: that of the object, which a large
// one takes two reads for; of its directory, if that decides; and one written.
uint32_t protection_budget(Shape shape, const Ledger& ledger) {
  uint32_t most = 0;
  switch (shape) {
    case Shape::kQueryInfo:
      most = 2;
      break;
    case Shape::kCreateNew:
    case Shape::kSetInfo:
      most = 3;
      break;
    case Shape::kOpenExact:
    case Shape::kOpenFolded:
    case Shape::kOverwrite:
      most = 5;
      break;
    case Shape::kRename:
      most = 8;
      break;
    default:
      break;
  }
  return std::min<uint32_t>(ledger.descriptors, most * (1u + ledger.retries));
}

uint32_t plain_budget(Shape shape, const Ledger& ledger, uint32_t components) {
  // Reading a directory to index its names: the open, its batches, the close.
  uint32_t indexing = ledger.batches + 2u * ledger.indexings;
  // Starting over: open, stat, close, and a stat of every directory on the way.
  uint32_t again = (5u + components) * ledger.retries;
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
      // the above, stat of the parent, unlink; both again for another name
      return 5 + indexing + 2u * ledger.retries;
    case Shape::kOpenExact:
      // open, stat, close if refused
      return 3 + ledger.reopens + indexing + again;
    case Shape::kOpenMissing:
      return 2 + components + ledger.reopens + indexing + again;
    case Shape::kOpenFolded:
      return 5 + components + ledger.reopens + indexing + again;
    case Shape::kCreateNew:
      return 7 + components + indexing +
             again;  // 4, and attributes or allocation if they were asked for
    case Shape::kOverwrite:
      return 9 + components + indexing + again;
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

}  // namespace

uint32_t operation_budget(Shape shape, const Ledger& ledger, uint32_t components) {
  return plain_budget(shape, ledger, components) + protection_budget(shape, ledger);
}

}  // namespace semblance::smb
