#pragma once
// Coroutines for commands that take several steps.
//
// Frames come from a bounded pool; when it is empty the coroutine does not start and its Task says so.
// A frame holds ids and values only: whatever lives in a pool is looked up again after every co_await.
// Every coroutine's first parameter is the Call it works for, from which the frame's pool is known.

#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/check.h"

namespace semblance::smb {

// Fixed-size blocks for coroutine frames, at most `capacity` of them.
class FramePool {
 public:
  explicit FramePool(uint32_t capacity) : capacity_(capacity) {}

  static constexpr size_t kFrameBytes = 2048;

  // Null when all frames are in use.
  void* allocate(size_t bytes) noexcept;
  static void release(void* frame) noexcept;
  uint32_t used() const { return used_; }

 private:
  struct alignas(16) Block {
    FramePool* pool;
    Block* next_free;
    std::byte frame[kFrameBytes];
  };
  static constexpr uint32_t kChunk = 16;

  uint32_t capacity_;
  uint32_t used_ = 0;
  uint32_t made_ = 0;
  Block* free_ = nullptr;
  std::vector<std::unique_ptr<Block[]>> chunks_;
};

// A lazily started coroutine that yields a T. Awaited by another coroutine, or driven as a root by its
// Request. Owns its frame.
template <typename T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::optional<T> value;
    std::coroutine_handle<> continuation = std::noop_coroutine();

    template <typename Call, typename... Args>
    static void* operator new(size_t bytes, Call& call, Args&...) noexcept {
      return call.frames().allocate(bytes);
    }
    static void operator delete(void* frame) noexcept { FramePool::release(frame); }

    static Task get_return_object_on_allocation_failure() noexcept { return Task{}; }
    Task get_return_object() noexcept {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct FinalAwaiter {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().continuation;
      }
      void await_resume() noexcept {}
    };
    FinalAwaiter final_suspend() noexcept { return {}; }
    template <typename V>
    void return_value(V&& v) {
      value.emplace(std::forward<V>(v));
    }
    void unhandled_exception() { CHECK(false); }
  };
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // False when no frame was to be had.
  explicit operator bool() const { return static_cast<bool>(handle_); }
  bool done() const { return handle_ && handle_.done(); }
  void resume() { handle_.resume(); }
  T& value() { return *handle_.promise().value; }

  // Awaiting a Task that has no frame yields T's out-of-resources value.
  auto operator co_await() && {
    struct Awaiter {
      Handle handle;
      bool await_ready() { return !handle; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) {
        handle.promise().continuation = awaiting;
        return handle;
      }
      T await_resume() {
        if (!handle) return out_of_frames(static_cast<T*>(nullptr));
        return std::move(*handle.promise().value);
      }
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

}  // namespace semblance::smb
