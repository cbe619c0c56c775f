#pragma once
// The part of the loop that differs between io_uring and epoll: how sockets are received from, sent
// to and waited for. Everything else is the same loop (io/loop/loop.h).
//
// Sockets live in slots that the loop numbers. Per slot at most one receive and one send are in
// flight; each ends in exactly one completion, also after an error or shutdown(2), and only then is
// its memory free. Nothing is done before wait(): it submits what has been asked for, all at once.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/time.h"

namespace semblance {

struct Completion {
  enum class Kind : uint8_t {
    kReceived,  // result: bytes, 0 at the end of the stream, or -errno
    kSent,      // result: bytes (at least 1, perhaps not all), or -errno
    kReadable,  // the watched descriptor `slot` can be read; watch again to hear more
  };
  Kind kind;
  uint32_t slot;
  int32_t result;
};

// Whether a receive completes with the first bytes or only when the whole span is filled (or the
// stream ends). A hint: fewer bytes are always legal.
enum class ReceiveUntil : uint8_t { kAny, kFull };

// Whether the completions of sends that went through at once may wait for a few milliseconds.
enum class SentReports : uint8_t { kNow, kMayWait };

class Backend {
 public:
  static constexpr size_t kSegmentsMax = 64;

  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  virtual const char* name() const = 0;

  // A connected non-blocking socket enters or leaves a slot; nothing is in flight when it leaves.
  // False when the kernel has no room for it. The loop owns the descriptor.
  virtual bool add(uint32_t slot, int fd) = 0;
  virtual void remove(uint32_t slot) = 0;

  virtual void receive(uint32_t slot, MutableBytes into, ReceiveUntil until) = 0;
  // At most kSegmentsMax segments; the array is copied, what it points to is not.
  virtual void send(uint32_t slot, std::span<const Bytes> segments) = 0;
  // Reports once when `fd` is readable; asked for again after that. `id` is the loop's.
  virtual void watch(uint32_t id, int fd) = 0;
  virtual void unwatch(uint32_t id) = 0;

  // Submits, waits until something completes or `timeout` is over (0: only looks; negative: no
  // limit), and appends completions.
  virtual void wait(Duration timeout, SentReports reports, std::vector<Completion>& into) = 0;
};

// Null with errno set when the kernel refuses a ring.
std::unique_ptr<Backend> make_uring_backend(uint32_t slots);
std::unique_ptr<Backend> make_epoll_backend(uint32_t slots);

}  // namespace semblance
