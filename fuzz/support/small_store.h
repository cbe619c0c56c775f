#pragma once
// A MemoryStore whose files stay small, so that no input takes all memory; it tells whether
// anything in it has changed.

#include "io/store/memory_store.h"

namespace semblance::fuzz {

class SmallStore final : public Store {
 public:
  static constexpr uint64_t kFileBytesMax = 1 << 20;

  explicit SmallStore(size_t shares) : store_(shares) {}

  std::optional<StoreResult> try_now(const StoreOperation& operation) override {
    return execute(operation);
  }
  StoreResult execute(const StoreOperation& operation) override;

  MemoryStore& memory() { return store_; }
  // Whether an operation that can change an object, a name or an attribute was executed.
  bool changed() const { return changed_; }
  void forget_changes() { changed_ = false; }

  // Makes an object beside the server, or changes nothing if it can't be made.
  void make(ShareId share, std::string_view path, OpenWhat what, std::string_view content = "");

 private:
  MemoryStore store_;
  bool changed_ = false;
};

}  // namespace semblance::fuzz
