#pragma once
// A few threads for store operations that may wait for a disk. Started when first needed; finished
// operations are announced by an eventfd and collected by the loop.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "io/store/store.h"
#include "io/unique_fd.h"

namespace semblance {

class WorkerPool {
 public:
  static constexpr size_t kThreadsMax = 4;

  struct Finished {
    OperationId operation;
    StoreResult result;
  };

  // The store outlives the pool.
  explicit WorkerPool(Store& store);
  // Waits for the operations in progress; those not begun are dropped.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(OperationId operation, const StoreOperation& what);
  // Readable when collect() has something.
  int ready_fd() const { return ready_.get(); }
  void collect(std::vector<Finished>& into);
  // Submitted and not yet collected.
  size_t outstanding() const { return outstanding_; }

 private:
  struct Job {
    OperationId operation;
    StoreOperation what;
  };
  void work();

  Store& store_;
  UniqueFd ready_;
  size_t outstanding_ = 0;  // the loop's own count
  std::mutex lock_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;  // bounded by the engine's pending requests
  std::vector<Finished> finished_;
  size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace semblance
