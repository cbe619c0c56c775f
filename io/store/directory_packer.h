#pragma once
// Packs directory entries into StoreReadDirectory::into: record, name, padding to 8.
//
//   | inode u64 | next u64 | name_length u16 | kind u8 | 5 zero bytes | name ... | 0..7 zero bytes
//   |

#include <string_view>

#include "engine/store.h"

namespace semblance {

// Every buffer of this size holds at least one entry; a smaller one may be refused (kTooLarge).
inline constexpr size_t kDirectoryBufferMin = 24 + 256;

class DirectoryPacker {
 public:
  explicit DirectoryPacker(MutableBytes into) : into_(into) {}

  // False when the entry no longer fits; nothing has been written then.
  bool add(std::string_view name, uint64_t inode, uint64_t next, FileKind kind) {
    const size_t size = align_up(sizeof(DirectoryRecord) + name.size(), 8);
    if (size > into_.size() - used_) return false;
    const DirectoryRecord record = {inode, next, static_cast<uint16_t>(name.size()), kind, {}};
    uint8_t* at = into_.data() + used_;
    std::memset(at + size - 8, 0, 8);
    std::memcpy(at, &record, sizeof record);
    std::memcpy(at + sizeof record, name.data(), name.size());
    used_ += size;
    return true;
  }
  size_t used() const { return used_; }

 private:
  MutableBytes into_;
  size_t used_ = 0;
};

}  // namespace semblance
