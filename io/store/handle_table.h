#pragma once
// The open objects of a PosixStore: slots with generations, bounded, safe on any thread.
//
// A handle that was closed, or never given out, finds nothing. A pinned object stays open until its
// last pin goes, so a close on the engine's thread may overtake a read on a worker.

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "engine/store.h"
#include "io/store/file_system.h"
#include "io/unique_fd.h"

namespace semblance {

struct OpenObject {
  UniqueFd fd;
  FileSystem* file_system = nullptr;  // of the table of file systems, lives as long as the store
  ShareId share = ShareId::kNone;
  uint8_t access = 0;      // kOpenRead | kOpenWrite, as asked for
  bool path_only = false;  // the descriptor is O_PATH
  bool is_directory = false;
  // Where the kernel's directory position is, so that reading on costs no lseek.
  std::mutex directory_lock;
  uint64_t directory_position = 0;
};

class HandleTable {
 public:
  explicit HandleTable(size_t limit) : limit_(limit) {}

  class Pin {
   public:
    Pin() = default;
    Pin(HandleTable* table, uint32_t index, OpenObject* object)
        : table_(table), index_(index), object_(object) {}
    Pin(Pin&& other) noexcept : table_(other.table_), index_(other.index_), object_(other.object_) {
      other.object_ = nullptr;
    }
    Pin& operator=(Pin&&) = delete;
    ~Pin() {
      if (object_ != nullptr) table_->unpin(index_);
    }
    explicit operator bool() const { return object_ != nullptr; }
    OpenObject* operator->() const { return object_; }
    OpenObject& operator*() const { return *object_; }

   private:
    HandleTable* table_ = nullptr;
    uint32_t index_ = 0;
    OpenObject* object_ = nullptr;
  };

  // Takes `fd` over; kNone when the table is full (then `fd` is untouched).
  struct Opened {
    FileSystem* file_system;
    ShareId share;
    uint8_t access;
    bool path_only, is_directory;
  };
  StoreHandle insert(UniqueFd& fd, const Opened& what);
  Pin pin(StoreHandle handle);
  void close(StoreHandle handle);
  size_t open_count() const;

 private:
  struct Slot {
    OpenObject object;
    uint32_t generation = 0;
    uint32_t pins = 0;
    bool open = false;
  };

  void unpin(uint32_t index);
  // Under lock_: empties the slot and returns the descriptor, to be closed without the lock.
  UniqueFd vacate(uint32_t index);

  const size_t limit_;
  mutable std::mutex lock_;
  std::deque<Slot> slots_;  // grows to the limit; addresses stay
  std::vector<uint32_t> free_;
  size_t open_count_ = 0;
};

}  // namespace semblance
