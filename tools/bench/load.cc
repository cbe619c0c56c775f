#include "tools/bench/load.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace semblance::bench {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
// Small replies are taken in as many as the socket holds; large ones at least one whole.
constexpr size_t kReceiveBytesMin = 256 << 10;
constexpr size_t kReplyOverhead = 4096;  // headers, padding, a seal
constexpr size_t kSegmentsMax = 256;     // of one sendmsg

volatile std::sig_atomic_t interrupted = 0;

uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

uint64_t ns_of(double seconds) { return static_cast<uint64_t>(seconds * kNsPerSecond); }

}  // namespace

struct Load::Port {
  Port(Connection& connection, std::unique_ptr<Work> work, size_t depth, size_t buffer_bytes)
      : connection(connection),
        work(std::move(work)),
        lane(connection.client(), connection.session(), connection.tree(), *this->work,
             {.depth = depth, .sign = connection.signs(), .seal = connection.seals()}),
        buffer(buffer_bytes) {}

  Connection& connection;
  std::unique_ptr<Work> work;
  Lane lane;
  std::vector<uint8_t> buffer;
  size_t first = 0, end = 0;  // what `buffer` holds
  bool waits_to_send = false;
};

Load::Load(size_t reply_bytes_max) : reply_bytes_max_(reply_bytes_max) {}
Load::~Load() = default;

void Load::interrupt() { interrupted = 1; }

void Load::add(Connection& connection, std::unique_ptr<Work> work, size_t depth) {
  if (!epoll_) epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  const size_t buffer = std::max(kReceiveBytesMin, 3 * (reply_bytes_max_ + kReplyOverhead));
  ports_.push_back(std::make_unique<Port>(connection, std::move(work), depth, buffer));
  epoll_event event{.events = EPOLLIN, .data = {.ptr = ports_.back().get()}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.fd(), &event) != 0)
    throw Failure(std::string("epoll: ") + std::strerror(errno));
}

Measured Load::run(const Plan& plan) {
  plan_ = plan;
  const auto server_cpu = [&]() -> std::optional<CpuTime> {
    if (plan_.server_pid == 0) return std::nullopt;
    const auto cpu = cpu_of_tree(plan_.server_pid);
    if (!cpu) throw Failure("--server-pid: no process " + std::to_string(plan_.server_pid));
    return cpu;
  };
  uint64_t began = now_ns();
  next_progress_ns_ = began + kNsPerSecond;
  for (const auto& port : ports_) {
    port->lane.issue(began, tally_);
    send(*port);
  }
  turn_until(began + ns_of(plan.warmup_s));

  Measured measured;
  measured.failed_outside = tally_.failed;
  tally_ = {};
  progress_operations_ = 0;
  const auto server_before = server_cpu();
  const CpuTime client_before = cpu_of_self();
  began = now_ns();
  turn_until(began + ns_of(plan.seconds));
  measured.seconds = static_cast<double>(now_ns() - began) / kNsPerSecond;
  if (server_before) measured.server_cpu = *server_cpu() - *server_before;
  measured.client_cpu = cpu_of_self() - client_before;
  measured.tally = std::exchange(tally_, {});

  for (const auto& port : ports_) port->lane.stop();
  turn_until(0);
  measured.failed_outside += tally_.failed;
  measured.depth_reached = SIZE_MAX;
  for (const auto& port : ports_) {
    measured.depth_reached = std::min(measured.depth_reached, port->lane.reached_depth());
    port->connection.client().set_next_message_id(port->lane.next_message_id());
  }
  return measured;
}

void Load::turn_until(uint64_t end_ns) {
  std::array<epoll_event, 64> events;
  uint64_t heard_ns = now_ns();
  const auto idle = [&] {
    return std::ranges::all_of(ports_, [](const auto& port) { return port->lane.idle(); });
  };
  for (uint64_t now = heard_ns; end_ns == 0 ? !idle() : now < end_ns; now = now_ns()) {
    if (interrupted && end_ns != 0) return;
    if (plan_.progress && end_ns != 0 && now >= next_progress_ns_) report_progress();
    if (now - heard_ns > kSilenceMaxMs * uint64_t{1'000'000})
      throw Failure("no reply for " + std::to_string(kSilenceMaxMs / 1000) + " s");
    // Rounded up: it shall not spin through the last millisecond.
    const uint64_t left_ms = end_ns == 0 ? 1000 : (end_ns - now + 999'999) / 1'000'000;
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(std::min<uint64_t>(left_ms, 200)));
    for (int i = 0; i < count; ++i)
      serve(*static_cast<Port*>(events[i].data.ptr), events[i].events);
    if (count > 0) heard_ns = now;
  }
}

void Load::serve(Port& port, uint32_t ready) {
  if (ready & ~static_cast<uint32_t>(EPOLLOUT)) receive(port);
  send(port);
}

void Load::receive(Port& port) {
  const ssize_t got =
      ::recv(port.connection.fd(), port.buffer.data() + port.end, port.buffer.size() - port.end, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got < 0) throw Failure(std::string("receiving: ") + std::strerror(errno));
  if (got == 0) throw Failure("the server closed the connection");
  port.end += static_cast<size_t>(got);
  const MutableBytes held = MutableBytes(port.buffer).subspan(port.first, port.end - port.first);
  const uint64_t now = now_ns();
  port.first += port.lane.receive(held, now, tally_);
  port.lane.issue(now, tally_);
  if (port.first == port.end) {
    port.first = port.end = 0;
  } else if (port.buffer.size() - port.end < reply_bytes_max_ + kReplyOverhead) {
    // Seldom: after several frames of the largest kind.
    std::memmove(port.buffer.data(), port.buffer.data() + port.first, port.end - port.first);
    port.end -= port.first;
    port.first = 0;
    if (port.end == port.buffer.size()) throw Failure("a reply larger than any that was asked for");
  }
}

void Load::send(Port& port) {
  for (;;) {
    const std::span<const iovec> segments = port.lane.outgoing();
    if (segments.empty()) break;
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(segments.data());
    message.msg_iovlen = std::min(segments.size(), kSegmentsMax);
    const ssize_t put = ::sendmsg(port.connection.fd(), &message, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) break;
    if (put < 0) throw Failure(std::string("sending: ") + std::strerror(errno));
    port.lane.sent(static_cast<size_t>(put));
  }
  const bool waits = !port.lane.outgoing().empty();
  if (waits == port.waits_to_send) return;
  port.waits_to_send = waits;
  epoll_event event{.events = EPOLLIN, .data = {.ptr = &port}};
  if (waits) event.events |= EPOLLOUT;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, port.connection.fd(), &event);
}

void Load::report_progress() {
  std::fprintf(stderr, "%10llu ops/s  p50 %.1f us  p99 %.1f us  failed %llu\n",
               static_cast<unsigned long long>(tally_.operations - progress_operations_),
               static_cast<double>(tally_.latency.percentile_ns(50)) / 1e3,
               static_cast<double>(tally_.latency.percentile_ns(99)) / 1e3,
               static_cast<unsigned long long>(tally_.failed));
  progress_operations_ = tally_.operations;
  next_progress_ns_ += kNsPerSecond;
}

}  // namespace semblance::bench
