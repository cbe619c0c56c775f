#pragma once
// What a request cost, and what it may cost: DESIGN "Store operations, and the effect budget".

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/store.h"
#include "engine/wire/header.h"

namespace semblance::smb {

struct Ledger {
  std::array<uint16_t, kStoreOperationKinds> operations{};
  uint32_t bytes_copied = 0;  // payload bytes moved by the engine itself
  uint16_t crypto_calls = 0;
  uint16_t entries = 0;      // directory entries returned or looked at
  uint16_t reopens = 0;      // opens again with less access than wished
  uint16_t retries = 0;      // starts over, because others changed the name meanwhile
  uint16_t batches = 0;      // directory batches read
  uint16_t indexings = 0;    // directories enumerated for their names, or begun to be
  uint16_t descriptors = 0;  // security descriptors looked for, read or written

  uint32_t total() const {
    uint32_t sum = 0;
    for (uint16_t count : operations) sum += count;
    return sum;
  }
};

// Requests whose cost is bounded alike. A command reports its shape when it is done.
enum class Shape : uint8_t {
  kNone,  // no store operation at all: ECHO, NEGOTIATE, TREE_CONNECT, pipes, errors found early
  kRead,
  kWrite,
  kFlush,
  kClose,        // with nothing to ask or set
  kCloseQuery,   // with attributes asked for, or times to set
  kCloseDelete,  // the last one of a file to be deleted
  kOpenExact,    // existing file, exact case
  kOpenFolded,   // existing file, other case
  kOpenMissing,  // no such file
  kCreateNew,
  kOverwrite,
  kQueryDirectory,
  kQueryInfo,
  kSetInfo,
  kRename,
  kCount,
};
inline constexpr size_t kShapes = static_cast<size_t>(Shape::kCount);
std::string_view shape_name(Shape shape);

// The most store operations a request of that shape may take; components is the depth of its path.
// Rebuilding a directory's folded-name index after an outside change is counted apart, per batch.
uint32_t operation_budget(Shape shape, const Ledger& ledger, uint32_t components);

// For each shape: how many requests there were and the dearest of them. Read by `semblance
// effects`.
struct LedgerRow {
  uint64_t requests = 0;
  uint64_t operations = 0;
  uint32_t operations_max = 0;
  uint64_t bytes_copied = 0;
  uint64_t crypto_calls = 0;
  uint64_t over_budget = 0;  // must stay 0
};

}  // namespace semblance::smb
