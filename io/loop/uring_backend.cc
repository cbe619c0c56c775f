// io_uring: one system call per iteration submits all sends and receives and reaps what is done.
//
// Sends are tried without waiting (MSG_DONTWAIT|MSG_WAITALL, completion only on failure): when
// io_uring_enter returns, a send without a completion has gone through and its memory is free. One
// that found the socket full is submitted again in the waiting form, with a completion.

#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "engine/base/check.h"
#include "io/loop/backend.h"
#include "io/loop/spin.h"

namespace semblance {
namespace {

constexpr unsigned kSubmissions = 1024, kCompletions = 4096;
// How long the report of a finished send may be put off, and up to how many bytes in all.
constexpr Duration kReportWithin = Duration::milliseconds(5);
constexpr size_t kReportBytesMax = 64 << 10;

enum class Tag : uint8_t { kReceive, kSend, kWatch, kIgnore };

uint64_t user_data(Tag tag, uint32_t slot) {
  return (uint64_t{static_cast<uint8_t>(tag)} << 32) | slot;
}

struct SendOperation {
  msghdr header;
  iovec pieces[Backend::kSegmentsMax];
  size_t bytes;
};

class UringBackend : public Backend {
 public:
  explicit UringBackend(uint32_t slots) : sockets_(slots, -1), sends_(slots) {}
  ~UringBackend() override {
    if (set_up_) io_uring_queue_exit(&ring_);
  }

  bool set_up();
  const char* name() const override { return "uring"; }
  bool add(uint32_t slot, int fd) override {
    sockets_[slot] = fd;
    return true;
  }
  void remove(uint32_t slot) override { sockets_[slot] = -1; }
  void receive(uint32_t slot, MutableBytes into, ReceiveUntil until) override;
  void send(uint32_t slot, std::span<const Bytes> segments) override;
  void watch(uint32_t id, int fd) override;
  void unwatch(uint32_t id) override;
  void wait(Duration timeout, SentReports reports, std::vector<Completion>& into) override;

 private:
  io_uring_sqe* next_entry();
  // One system call: submits everything, waits for `completions` at most `timeout`. 0 or errno.
  int enter(unsigned completions, Duration timeout);
  void reap(std::vector<Completion>& into);
  void on_sent(uint32_t slot, int result, std::vector<Completion>& into);
  // Sends of the last submission that have no completion are finished: reports them.
  void settle_sends(std::vector<Completion>& into);
  void submit_send(uint32_t slot, int flags, unsigned entry_flags);
  bool ready() const {
    return io_uring_cq_ready(&ring_) > 0 ||
           (__atomic_load_n(ring_.sq.kflags, __ATOMIC_ACQUIRE) & IORING_SQ_TASKRUN) != 0;
  }

  io_uring ring_ = {};
  bool set_up_ = false, ring_registered_ = false;
  std::vector<int> sockets_;
  std::vector<std::unique_ptr<SendOperation>> sends_;  // by slot: the send in flight
  std::vector<std::unique_ptr<SendOperation>> spare_sends_;
  std::vector<uint32_t> tried_;  // slots whose send was submitted in the form without completion
  size_t tried_bytes_ = 0;
  Spin spin_;
};

bool UringBackend::set_up() {
  io_uring_params params = {};
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                 IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE |
                 IORING_SETUP_CLAMP;
  params.cq_entries = kCompletions;
  if (const int error = io_uring_queue_init_params(kSubmissions, &ring_, &params)) {
    errno = -error;
    return false;
  }
  set_up_ = true;
  if ((params.features & IORING_FEAT_EXT_ARG) == 0) {
    errno = ENOSYS;
    return false;
  }
  // Saves a table look-up per call; a kernel that has no such thing is slower, not wrong.
  ring_registered_ = io_uring_register_ring_fd(&ring_) == 1;
  // Ring position and entry are the same for ever, so that publishing is one store of the tail.
  for (unsigned i = 0; i < ring_.sq.ring_entries; i++) ring_.sq.array[i] = i;
  unsigned workers[2] = {2, 2};
  io_uring_register_iowq_max_workers(&ring_, workers);
  return true;
}

io_uring_sqe* UringBackend::next_entry() {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);
  while (entry == nullptr) {  // more work in one iteration than the ring holds: submit early
    enter(0, {0});
    entry = io_uring_get_sqe(&ring_);
  }
  return entry;
}

void UringBackend::receive(uint32_t slot, MutableBytes into, ReceiveUntil until) {
  io_uring_sqe* entry = next_entry();
  io_uring_prep_recv(entry, sockets_[slot], into.data(), into.size(),
                     until == ReceiveUntil::kFull ? MSG_WAITALL : 0);
  entry->user_data = user_data(Tag::kReceive, slot);
}

void UringBackend::send(uint32_t slot, std::span<const Bytes> segments) {
  CHECK(sends_[slot] == nullptr && segments.size() <= kSegmentsMax);
  if (spare_sends_.empty()) {
    sends_[slot] = std::make_unique<SendOperation>();
  } else {
    sends_[slot] = std::move(spare_sends_.back());
    spare_sends_.pop_back();
  }
  SendOperation& operation = *sends_[slot];
  operation.header = {};
  operation.header.msg_iov = operation.pieces;
  operation.header.msg_iovlen = segments.size();
  operation.bytes = 0;
  for (size_t i = 0; i < segments.size(); i++) {
    operation.pieces[i] = {const_cast<uint8_t*>(segments[i].data()), segments[i].size()};
    operation.bytes += segments[i].size();
  }
  submit_send(slot, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL, IOSQE_CQE_SKIP_SUCCESS);
  tried_.push_back(slot);
  tried_bytes_ += operation.bytes;
}

void UringBackend::submit_send(uint32_t slot, int flags, unsigned entry_flags) {
  SendOperation& operation = *sends_[slot];
  io_uring_sqe* entry = next_entry();
  if (operation.header.msg_iovlen == 1)
    io_uring_prep_send(entry, sockets_[slot], operation.pieces[0].iov_base,
                       operation.pieces[0].iov_len, flags);
  else
    io_uring_prep_sendmsg(entry, sockets_[slot], &operation.header, static_cast<unsigned>(flags));
  entry->user_data = user_data(Tag::kSend, slot);
  io_uring_sqe_set_flags(entry, entry_flags);
}

void UringBackend::watch(uint32_t id, int fd) {
  io_uring_sqe* entry = next_entry();
  io_uring_prep_poll_add(entry, fd, POLLIN);
  entry->user_data = user_data(Tag::kWatch, id);
}

void UringBackend::unwatch(uint32_t id) {
  io_uring_sqe* entry = next_entry();
  io_uring_prep_poll_remove(entry, user_data(Tag::kWatch, id));
  entry->user_data = user_data(Tag::kIgnore, 0);
}

int UringBackend::enter(unsigned completions, Duration timeout) {
  __atomic_store_n(ring_.sq.ktail, ring_.sq.sqe_tail, __ATOMIC_RELEASE);
  ring_.sq.sqe_head = ring_.sq.sqe_tail;
  const unsigned submit = ring_.sq.sqe_tail - __atomic_load_n(ring_.sq.khead, __ATOMIC_ACQUIRE);
  __kernel_timespec limit = {timeout.ns / 1'000'000'000, timeout.ns % 1'000'000'000};
  io_uring_getevents_arg argument = {};
  argument.sigmask_sz = _NSIG / 8;
  if (timeout.ns >= 0) argument.ts = reinterpret_cast<uint64_t>(&limit);
  unsigned flags = IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG;
  if (ring_registered_) flags |= IORING_ENTER_REGISTERED_RING;
  const long result = ::syscall(SYS_io_uring_enter, ring_.enter_ring_fd, submit, completions, flags,
                                &argument, sizeof argument);
  return result < 0 ? errno : 0;
}

void UringBackend::on_sent(uint32_t slot, int result, std::vector<Completion>& into) {
  if (sends_[slot] == nullptr) return;
  if (result == -EAGAIN || result == -EINTR) {
    submit_send(slot, MSG_NOSIGNAL, 0);  // waits for room
    return;
  }
  into.push_back({Completion::Kind::kSent, slot, result});
  spare_sends_.push_back(std::move(sends_[slot]));
}

void UringBackend::reap(std::vector<Completion>& into) {
  unsigned head, count = 0;
  io_uring_cqe* cqe;
  // Copied first: handling a completion may submit, and submitting may need the ring.
  std::vector<std::pair<uint32_t, int>> sent;  // failures only: allocates nothing otherwise
  io_uring_for_each_cqe(&ring_, head, cqe) {
    count++;
    const auto slot = static_cast<uint32_t>(cqe->user_data);
    switch (static_cast<Tag>(cqe->user_data >> 32)) {
      case Tag::kReceive:
        into.push_back({Completion::Kind::kReceived, slot, cqe->res});
        break;
      case Tag::kSend:
        sent.emplace_back(slot, cqe->res);
        break;
      case Tag::kWatch:
        if (cqe->res != -ECANCELED) into.push_back({Completion::Kind::kReadable, slot, cqe->res});
        break;
      case Tag::kIgnore:
        break;
    }
  }
  io_uring_cq_advance(&ring_, count);
  for (const auto& [slot, result] : sent) {
    std::erase(tried_, slot);
    on_sent(slot, result, into);
  }
  // More completions than the ring holds wait in the kernel; a send's failure may be among them.
  if ((__atomic_load_n(ring_.sq.kflags, __ATOMIC_ACQUIRE) & IORING_SQ_CQ_OVERFLOW) != 0) {
    enter(0, {0});
    reap(into);
  }
}

void UringBackend::settle_sends(std::vector<Completion>& into) {
  for (const uint32_t slot : tried_) {
    if (sends_[slot] == nullptr) continue;
    into.push_back({Completion::Kind::kSent, slot, static_cast<int32_t>(sends_[slot]->bytes)});
    spare_sends_.push_back(std::move(sends_[slot]));
  }
  tried_.clear();
  tried_bytes_ = 0;
}

void UringBackend::wait(Duration timeout, SentReports reports, std::vector<Completion>& into) {
  const size_t before = into.size();
  const bool put_off =
      !tried_.empty() && reports == SentReports::kMayWait && tried_bytes_ <= kReportBytesMax;
  if (!tried_.empty() && !put_off) timeout = {0};
  const bool may_sleep = timeout.ns != 0;
  // Submit first if a spin may follow: what was asked for must be under way meanwhile.
  const bool spins = may_sleep && spin_.likely();
  if (spins || !may_sleep) {
    enter(0, {0});
    reap(into);
    if (spins && into.size() == before) {
      if (spin_.until([this] { return ready(); }, timeout)) enter(0, {0});
      reap(into);
    }
  }
  if (may_sleep && into.size() == before) {
    const Duration limit =
        put_off && (timeout.ns < 0 || timeout > kReportWithin) ? kReportWithin : timeout;
    const Instant start = monotonic_now();
    enter(1, limit);
    reap(into);
    spin_.slept(monotonic_now() - start);
  }
  // Whatever has been submitted and has not failed is sent; entries left in the queue (the kernel
  // was short of memory) are not submitted yet.
  while (ring_.sq.sqe_tail != __atomic_load_n(ring_.sq.khead, __ATOMIC_ACQUIRE)) {
    const size_t reaped = into.size();
    enter(0, {0});
    reap(into);
    if (into.size() == reaped) ::sched_yield();
  }
  settle_sends(into);
}

}  // namespace

std::unique_ptr<Backend> make_uring_backend(uint32_t slots) {
  auto backend = std::make_unique<UringBackend>(slots);
  if (!backend->set_up()) return nullptr;
  return backend;
}

}  // namespace semblance
