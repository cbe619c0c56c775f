#pragma once
// What executes store operations. engine/store.h says what each operation means; three stores
// answer alike (tests/unit/store_contract_test.cc): PosixStore, MemoryStore and the simulated disk.
// A wrapper that overrides one of the two methods injects faults or delays.
//
// One point is sharper here than in engine/store.h: a path whose last component alone is missing
// gives kNotFound; a path that already ends before its last component gives kNotDirectory.

#include <optional>
#include <span>

#include "engine/store.h"

namespace semblance {

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // Executes at once on the calling thread, or changes nothing and returns nullopt when that could
  // wait for a disk: then the caller hands the same operation to execute(). One thread only.
  virtual std::optional<StoreResult> try_now(const StoreOperation& operation) = 0;

  // try_now for several reads, or several writes that need not be on stable storage, of one handle,
  // each beginning where the one before ends: at most kRunMax. How many of the first ones are done,
  // completely; for the others the caller goes on one by one.
  static constexpr size_t kRunMax = 64;
  virtual size_t try_run(std::span<const StoreOperation* const>) { return 0; }

  // Executes to the end, waiting as long as it takes. Any thread, also beside try_now.
  virtual StoreResult execute(const StoreOperation& operation) = 0;
};

}  // namespace semblance
