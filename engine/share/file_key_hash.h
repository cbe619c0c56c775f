#pragma once
// The hash of a file's identity, for tables that are looked up and never iterated in its order.

#include "engine/store.h"

namespace semblance::share {

struct FileKeyHash {
  size_t operator()(const FileKey& key) const {
    return (key.inode ^ (key.device << 17)) * 0x9E3779B97F4A7C15u;
  }
};

}  // namespace semblance::share
