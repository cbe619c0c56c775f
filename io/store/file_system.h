#pragma once
// What is remembered about each file system below the shares: calls that it does not have, so that
// each is tried once and not once per request.

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

namespace semblance {

struct FileSystem {
  uint64_t device = 0;
  std::atomic<bool> lacks_nowait{false};     // preadv2(RWF_NOWAIT)
  std::atomic<bool> lacks_xattr{false};      // user.* extended attributes
  std::atomic<bool> lacks_noreplace{false};  // renameat2(RENAME_NOREPLACE)
};

class FileSystems {
 public:
  // The entry of a device, made when it is new. Its address stays for the store's life. Few devices
  // are ever below one server's shares, so a list will do.
  FileSystem* find(uint64_t device) {
    const std::lock_guard guard(lock_);
    for (FileSystem& known : entries_)
      if (known.device == device) return &known;
    FileSystem& added = entries_.emplace_back();
    added.device = device;
    return &added;
  }

 private:
  std::mutex lock_;
  std::deque<FileSystem> entries_;
};

}  // namespace semblance
