#include "tools/cli/effects/driver_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "engine/base/check.h"
#include "tools/cli/effects/counters.h"

namespace semblance::effects {
namespace {

std::unique_ptr<PosixStore> store_in(const std::string& directory) {
  auto store = PosixStore::open({directory}, Limits{}.opens);
  CHECK(store.has_value());
  return std::move(*store);
}

// What the daemon takes when nobody says otherwise.
std::unique_ptr<Backend> backend_for(uint32_t slots) {
  auto backend = make_uring_backend(slots);
  if (!backend) backend = make_epoll_backend(slots);
  CHECK(backend != nullptr);
  return backend;
}

}  // namespace

class DriverServer::Socket : public Wire {
 public:
  Socket(DriverServer& server, const std::string& address)
      : server_(server), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    const bool started =
        ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 ||
        errno == EINPROGRESS;
    CHECK(started);
    const int on = 1;
    ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    server_.iterate({0});  // accepts
    server_.iterate({0});
  }
  ~Socket() override {
    fd_.reset();
    for (int i = 0; i < 3; ++i) server_.iterate({0});  // hears of it
  }

  bool pump(client::Client& client) override {
    // The answer to what came in leaves with the next iteration. After that only workers can be
    // what it waits for: then the loop sleeps, as it does in a daemon.
    constexpr int kAtOnce = 2, kPatience = 500;
    bool moved = false;
    for (int i = 0; i < kPatience && !moved; ++i) {
      moved |= send(client);
      server_.iterate(i < kAtOnce ? Duration{0} : Duration::milliseconds(20));
      moved |= receive(client);
    }
    return moved;
  }

 private:
  bool send(client::Client& client) {
    const Bytes out = client.outgoing();
    if (out.empty()) return false;
    const ssize_t sent = ::send(fd_.get(), out.data(), out.size(), MSG_NOSIGNAL);
    CHECK(sent > 0 || errno == EAGAIN);
    if (sent > 0) client.sent(static_cast<size_t>(sent));
    return sent > 0;
  }
  bool receive(client::Client& client) {
    const ssize_t got = ::recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
    CHECK(got > 0 || (got < 0 && errno == EAGAIN));
    if (got > 0) client.receive(Bytes(buffer_).first(static_cast<size_t>(got)));
    return got > 0;
  }

  DriverServer& server_;
  UniqueFd fd_;
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(256 << 10);
};

DriverServer::DriverServer(const std::string& directory, Meter& meter)
    : meter_(meter),
      accounts_({{kUser, kPassword}}, ""),
      store_(store_in(directory)),
      engine_(config_.limits),
      loop_(engine_, *store_, accounts_, config_.limits, backend_for(config_.limits.connections)) {
  CHECK(accounts_.reload().has_value());
  auto listener = open_listener("127.0.0.1:0");
  CHECK(listener.has_value());
  address_ = listener->address;
  loop_.observe(this);
  loop_.configure(config_);
  loop_.listen(std::move(*listener));
}

std::unique_ptr<Wire> DriverServer::connect() { return std::make_unique<Socket>(*this, address_); }

void DriverServer::iterate(Duration limit) {
  if (measuring_) meter_.on();
  loop_.iterate(limit);
  if (measuring_) meter_.off();
}

void DriverServer::before_step(const Engine&, Instant, std::span<const Event>) {
  if (measuring_) count(true);
}

void DriverServer::after_step(std::span<const Effect> effects) {
  count(false);
  if (!measuring_) return;
  for (const Effect& effect : effects)
    if (const auto* run = std::get_if<RunStore>(&effect)) operations_[run->what.index()] += 1;
}

}  // namespace semblance::effects
