#include "io/loop/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace semblance {
namespace {

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  if (address.storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address.storage);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address.storage);
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  return "[" + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
}

bool parse(std::string_view text, Address& into) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view digits = text.substr(colon + 1);
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) return false;
  std::string host(text.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(into.storage);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    into.size = sizeof v6;
    return ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6.sin6_addr) == 1;
  }
  auto& v4 = reinterpret_cast<sockaddr_in&>(into.storage);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  into.size = sizeof v4;
  return ::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1;
}

}  // namespace

std::expected<Listener, std::string> open_listener(std::string_view text) {
  const std::string name(text);
  Address address;
  if (!parse(text, address))
    return std::unexpected(name + " is no ADDR:PORT (127.0.0.1:445, 0.0.0.0:445, [::1]:445)");
  Listener listener;
  listener.fd.reset(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!listener.fd) return std::unexpected(name + ": " + std::strerror(errno));
  const int fd = listener.fd.get(), on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // Both are inherited by accepted sockets. Replies leave when they are ready; a model-based
  // congestion control paces even loopback and costs reads three quarters of their throughput.
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
  // Peers that vanished without a word are noticed after two minutes or so.
  const int idle_s = 60, between_s = 10, probes = 6;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between_s, sizeof between_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  if (address.storage.ss_family == AF_INET6)  // so that 0.0.0.0 and [::] can listen together
    ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(fd, address.get(), address.size) != 0 || ::listen(fd, 512) != 0)
    return std::unexpected(name + ": " + std::strerror(errno));
  address.size = sizeof address.storage;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size);
  listener.address = text_of(address);
  return listener;
}

std::expected<Accepted, int> accept_next(int listener) {
  for (;;) {
    Address peer;
    peer.size = sizeof peer.storage;
    UniqueFd fd(::accept4(listener, reinterpret_cast<sockaddr*>(&peer.storage), &peer.size,
                          SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd) return Accepted{std::move(fd), text_of(peer)};
    // The peer gave up between its SYN and now.
    if (errno != EINTR && errno != ECONNABORTED) return std::unexpected(errno);
  }
}

}  // namespace semblance
