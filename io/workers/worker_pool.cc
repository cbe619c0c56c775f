#include "io/workers/worker_pool.h"

#include <sys/eventfd.h>

#include <utility>

#include "engine/base/check.h"

namespace semblance {

WorkerPool::WorkerPool(Store& store)
    : store_(store), ready_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK(ready_);
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard guard(lock_);
    stopping_ = true;
  }
  wake_.notify_all();
  threads_.clear();
}

void WorkerPool::submit(OperationId operation, const StoreOperation& what) {
  outstanding_++;
  bool start = false;
  {
    const std::lock_guard guard(lock_);
    jobs_.push_back({operation, what});
    start = jobs_.size() > idle_ && threads_.size() < kThreadsMax;
  }
  wake_.notify_one();
  if (!start) return;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No thread to be had: the ones that exist do it later; the first must exist.
    CHECK(!threads_.empty());
  }
}

void WorkerPool::collect(std::vector<Finished>& into) {
  uint64_t count;
  static_cast<void>(!::read(ready_.get(), &count, sizeof count));
  const std::lock_guard guard(lock_);
  outstanding_ -= finished_.size();
  into.insert(into.end(), finished_.begin(), finished_.end());
  finished_.clear();
}

void WorkerPool::work() {
  std::unique_lock guard(lock_);
  for (;;) {
    while (jobs_.empty() && !stopping_) {
      idle_++;
      wake_.wait(guard);
      idle_--;
    }
    if (stopping_) return;
    const Job job = jobs_.front();
    jobs_.pop_front();
    guard.unlock();
    const StoreResult result = store_.execute(job.what);
    guard.lock();
    finished_.push_back({job.operation, result});
    // One announcement until it has been collected.
    if (finished_.size() > 1) continue;
    const uint64_t one = 1;
    static_cast<void>(!::write(ready_.get(), &one, sizeof one));
  }
}

}  // namespace semblance
