// The least that answering costs: an io_uring server that sends back what it receives, and a client
// that keeps `depth` messages of `bytes` on their way, over loopback. What an SMB server needs for
// an ECHO is held against it (tools/compare). Prints one line of JSON.

#include <arpa/inet.h>
#include <liburing.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <vector>

#include "io/unique_fd.h"
#include "tools/bench/failure.h"
#include "tools/bench/process_cpu.h"

namespace semblance::bench {
namespace {

constexpr size_t kBufferBytes = 64 << 10;

void require(bool held, const char* what) {
  if (!held) throw Failure(what);
}

void set_no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// One receive, one send, and again, each in one system call; ends with the connection.
void serve(int fd) {
  io_uring ring;
  io_uring_params params{};
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  require(::io_uring_queue_init_params(8, &ring, &params) == 0, "no io_uring here");
  std::vector<char> buffer(kBufferBytes);
  const auto complete = [&] {
    io_uring_cqe* completed = nullptr;
    require(::io_uring_submit_and_wait_timeout(&ring, &completed, 1, nullptr, nullptr) >= 0 &&
                completed != nullptr,
            "the ring failed");
    const int result = completed->res;
    ::io_uring_cqe_seen(&ring, completed);
    return result;
  };
  for (;;) {
    ::io_uring_prep_recv(::io_uring_get_sqe(&ring), fd, buffer.data(), buffer.size(), 0);
    const int received = complete();
    if (received <= 0) return;
    ::io_uring_prep_send(::io_uring_get_sqe(&ring), fd, buffer.data(),
                         static_cast<size_t>(received), MSG_WAITALL | MSG_NOSIGNAL);
    if (complete() != received) return;
  }
}

// Sends back whatever comes, so that `depth` messages stay on their way. Returns the bytes.
uint64_t bounce(int fd, double seconds) {
  std::vector<char> buffer(kBufferBytes);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  uint64_t bytes = 0;
  while (std::chrono::steady_clock::now() < end) {
    const ssize_t received = ::recv(fd, buffer.data(), buffer.size(), 0);
    require(received > 0, "the server is gone");
    bytes += static_cast<uint64_t>(received);
    require(::send(fd, buffer.data(), static_cast<size_t>(received), MSG_NOSIGNAL) == received,
            "sending failed");
  }
  return bytes;
}

struct Arguments {
  size_t bytes = 72, depth = 32;  // an ECHO with its frame header
  double warmup_s = 1, seconds = 5;
};

void measure(const Arguments& arguments) {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  require(::bind(listener.get(), generic, size) == 0 && ::listen(listener.get(), 1) == 0 &&
              ::getsockname(listener.get(), generic, &size) == 0,
          "no port on the loopback interface");
  const pid_t server = ::fork();
  require(server >= 0, "fork failed");
  if (server == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const UniqueFd accepted(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    set_no_delay(accepted.get());
    serve(accepted.get());
    ::_exit(0);
  }
  UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  require(::connect(client.get(), generic, size) == 0, "can't connect");
  set_no_delay(client.get());
  const std::vector<char> first(arguments.bytes * arguments.depth, 'e');
  require(::send(client.get(), first.data(), first.size(), 0) == static_cast<ssize_t>(first.size()),
          "sending failed");
  bounce(client.get(), arguments.warmup_s);
  const auto before = cpu_of_tree(server);
  const auto began = std::chrono::steady_clock::now();
  const uint64_t bytes = bounce(client.get(), arguments.seconds);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const auto after = cpu_of_tree(server);
  client.reset();
  ::waitpid(server, nullptr, 0);
  require(before && after, "no /proc here");
  const double operations = static_cast<double>(bytes) / static_cast<double>(arguments.bytes);
  std::printf(
      "{\"operations_per_s\": %.1f, \"server_cpu_us_per_op\": {\"total\": %.4f, \"user\": %.4f, "
      "\"system\": %.4f}}\n",
      operations / took.count(), (*after - *before).total_s() * 1e6 / operations,
      (*after - *before).user_s * 1e6 / operations, (*after - *before).system_s * 1e6 / operations);
}

}  // namespace
}  // namespace semblance::bench

int main(int argc, char** argv) {
  semblance::bench::Arguments arguments;
  CLI::App app("bare_echo: what answering costs at least");
  app.add_option("--bytes", arguments.bytes, "of a message")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--depth", arguments.depth, "messages on their way")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--warmup", arguments.warmup_s, "seconds")->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "seconds")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    semblance::bench::measure(arguments);
  } catch (const semblance::bench::Failure& failure) {
    std::fprintf(stderr, "bare_echo: %s\n", failure.what());
    return 1;
  }
  return 0;
}
