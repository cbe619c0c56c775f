// epoll: for kernels and containers that refuse a ring. Edge-triggered, so that a socket costs one
// epoll_ctl in its life; what is known to be ready is tried first, the rest waits for its edge.

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "engine/base/check.h"
#include "io/loop/backend.h"
#include "io/loop/spin.h"
#include "io/unique_fd.h"

namespace semblance {
namespace {

constexpr uint64_t kWatchBit = uint64_t{1} << 32;
constexpr int kEventsMax = 256;

class EpollBackend : public Backend {
 public:
  explicit EpollBackend(uint32_t slots) : epoll_(::epoll_create1(EPOLL_CLOEXEC)), sockets_(slots) {}
  bool usable() const { return static_cast<bool>(epoll_); }

  const char* name() const override { return "epoll"; }
  bool add(uint32_t slot, int fd) override;
  void remove(uint32_t slot) override;
  void receive(uint32_t slot, MutableBytes into, ReceiveUntil until) override;
  void send(uint32_t slot, std::span<const Bytes> segments) override;
  void watch(uint32_t id, int fd) override;
  void unwatch(uint32_t id) override;
  void wait(Duration timeout, SentReports reports, std::vector<Completion>& into) override;

 private:
  struct Socket {
    int fd = -1;
    bool readable = false, writable = false;  // as far as is known
    bool hung_up = false;                     // an edge that will not come again
    MutableBytes into;                        // not empty: a receive is in flight
    std::vector<iovec> pieces;                // not empty: a send is in flight
  };

  // Each tries and, unless the socket would block, completes.
  void try_receive(uint32_t slot, std::vector<Completion>& into);
  void try_send(uint32_t slot, std::vector<Completion>& into);
  int poll_once(int timeout_ms, std::vector<Completion>& into);

  UniqueFd epoll_;
  std::vector<Socket> sockets_;
  std::vector<int> watched_;         // by id: the descriptor, -1 none
  std::vector<uint32_t> receiving_;  // slots to try before the next wait
  std::vector<uint32_t> sending_;
  Spin spin_;
};

bool EpollBackend::add(uint32_t slot, int fd) {
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = slot;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return false;
  sockets_[slot] = {};
  sockets_[slot].fd = fd;
  sockets_[slot].writable = true;
  return true;
}

void EpollBackend::remove(uint32_t slot) {
  // Closing the descriptor, which the loop does next, takes it out of the epoll set.
  sockets_[slot] = {};
}

void EpollBackend::receive(uint32_t slot, MutableBytes into, ReceiveUntil) {
  Socket& socket = sockets_[slot];
  CHECK(socket.into.empty() && !into.empty());
  socket.into = into;
  if (socket.readable || socket.hung_up) receiving_.push_back(slot);
}

void EpollBackend::send(uint32_t slot, std::span<const Bytes> segments) {
  Socket& socket = sockets_[slot];
  CHECK(socket.pieces.empty() && !segments.empty());
  for (const Bytes segment : segments)
    socket.pieces.push_back({const_cast<uint8_t*>(segment.data()), segment.size()});
  if (socket.writable) sending_.push_back(slot);
}

// Watched descriptors are few and rarely ready: level-triggered, one shot.
void EpollBackend::watch(uint32_t id, int fd) {
  if (id >= watched_.size()) watched_.resize(id + 1, -1);
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = kWatchBit | id;
  const int operation = watched_[id] == fd ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (::epoll_ctl(epoll_.get(), operation, fd, &event) == 0) watched_[id] = fd;
}

void EpollBackend::unwatch(uint32_t id) {
  if (id >= watched_.size() || watched_[id] < 0) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, watched_[id], nullptr);
  watched_[id] = -1;
}

void EpollBackend::try_receive(uint32_t slot, std::vector<Completion>& into) {
  Socket& socket = sockets_[slot];
  if (socket.into.empty()) return;
  for (;;) {
    const ssize_t got = ::recv(socket.fd, socket.into.data(), socket.into.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {
      socket.readable = false;
      return;
    }
    // Fewer bytes than asked for: the stream is drained and the next bytes bring a new edge.
    if (got > 0 && static_cast<size_t>(got) < socket.into.size()) socket.readable = false;
    socket.into = {};
    into.push_back(
        {Completion::Kind::kReceived, slot, got < 0 ? -errno : static_cast<int32_t>(got)});
    return;
  }
}

void EpollBackend::try_send(uint32_t slot, std::vector<Completion>& into) {
  Socket& socket = sockets_[slot];
  if (socket.pieces.empty()) return;
  msghdr header = {};
  header.msg_iov = socket.pieces.data();
  header.msg_iovlen = socket.pieces.size();
  for (;;) {
    const ssize_t put = ::sendmsg(socket.fd, &header, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      socket.writable = false;
      return;
    }
    into.push_back({Completion::Kind::kSent, slot, put < 0 ? -errno : static_cast<int32_t>(put)});
    socket.pieces.clear();
    return;
  }
}

int EpollBackend::poll_once(int timeout_ms, std::vector<Completion>& into) {
  epoll_event events[kEventsMax];
  const int count = ::epoll_wait(epoll_.get(), events, kEventsMax, timeout_ms);
  for (int i = 0; i < count; i++) {
    const auto slot = static_cast<uint32_t>(events[i].data.u64);
    if ((events[i].data.u64 & kWatchBit) != 0) {
      into.push_back({Completion::Kind::kReadable, slot, 0});
      continue;
    }
    Socket& socket = sockets_[slot];
    if (socket.fd < 0) continue;
    const uint32_t hang_up = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
    if ((events[i].events & hang_up) != 0) socket.hung_up = true;
    if ((events[i].events & (EPOLLIN | hang_up)) != 0) {
      socket.readable = true;
      try_receive(slot, into);
    }
    if ((events[i].events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
      socket.writable = true;
      try_send(slot, into);
    }
  }
  return count;
}

void EpollBackend::wait(Duration timeout, SentReports, std::vector<Completion>& into) {
  const size_t before = into.size();
  for (const uint32_t slot : sending_) try_send(slot, into);
  sending_.clear();
  for (const uint32_t slot : receiving_) try_receive(slot, into);
  receiving_.clear();
  // Something to report already: only look what else there is.
  if (into.size() != before || timeout.ns == 0) {
    poll_once(0, into);
    return;
  }
  if (spin_.until([&] { return poll_once(0, into) != 0; }, timeout)) return;
  // Milliseconds, rounded up: waking early would only mean waiting again.
  const int64_t ms = timeout.ns < 0 ? -1 : (timeout.ns + 999'999) / 1'000'000;
  const Instant start = monotonic_now();
  poll_once(static_cast<int>(std::min<int64_t>(ms, INT32_MAX)), into);
  spin_.slept(monotonic_now() - start);
}

}  // namespace

std::unique_ptr<Backend> make_epoll_backend(uint32_t slots) {
  auto backend = std::make_unique<EpollBackend>(slots);
  if (!backend->usable()) return nullptr;
  return backend;
}

}  // namespace semblance
