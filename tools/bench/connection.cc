#include "tools/bench/connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "engine/base/utf16.h"

namespace semblance::bench {
namespace {

constexpr size_t kReceiveBytes = 256 << 10;

client::Options options_for(const Target& target) {
  client::Options options;
  std::erase_if(options.dialects, [&](uint16_t dialect) {
    return dialect > static_cast<uint16_t>(target.dialect_max);
  });
  if (target.sign) options.security_mode |= wire::kNegotiateSigningRequired;
  // The cheap one first; the server chooses.
  options.ciphers = {static_cast<uint16_t>(crypto::Cipher::kAes128Gcm),
                     static_cast<uint16_t>(crypto::Cipher::kAes128Ccm)};
  return options;
}

std::string named(NtStatus status) {
  if (status == client::kDisconnected) return "the server closed the connection";
  if (status == client::kNoAnswer) return "the server does not answer";
  return std::string(status_name(status));
}

template <size_t kSize>
void fill_randomly(std::array<uint8_t, kSize>& bytes) {
  if (::getrandom(bytes.data(), kSize, 0) != static_cast<ssize_t>(kSize))
    throw Failure("the kernel gives no random bytes");
}

}  // namespace

Connection::Connection(const Target& target)
    : client_(options_for(target)), sync_(client_, [this] { return pump(); }) {
  dial(target);
  const client::Reply negotiated = sync_.wait(client_.negotiate());
  const auto response = negotiated.as<wire::NegotiateResponse>();
  if (!response) throw Failure("NEGOTIATE: " + named(response.error()));
  read_size_max_ = response->max_read_size;
  write_size_max_ = response->max_write_size;
  transact_size_max_ = response->max_transact_size;
  signs_ = target.sign || (response->security_mode & wire::kNegotiateSigningRequired) != 0;
  log_in(target);
  const auto host = utf16_from_utf8(target.host), share = utf16_from_utf8(target.share);
  if (!host || !share) throw Failure("the share's name is not valid UTF-8");
  const auto tree = sync_.tree_connect(*session_, u"\\\\" + *host + u"\\" + *share);
  if (!tree) throw Failure("share \"" + target.share + "\": " + named(tree.error()));
  tree_ = *tree;
  if (target.seal && !seals())
    throw Failure("--seal: no encryption was agreed on, or the session has no key (guest?)");
}

void Connection::dial(const Target& target) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (int error = ::getaddrinfo(target.host.c_str(), target.port.c_str(), &hints, &found))
    throw Failure(target.host + ": " + ::gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
  int error = 0;
  for (const addrinfo* at = found; at != nullptr && !fd_; at = at->ai_next) {
    UniqueFd fd(::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol));
    if (fd && ::connect(fd.get(), at->ai_addr, at->ai_addrlen) == 0)
      fd_ = std::move(fd);
    else
      error = errno;
  }
  if (!fd_) throw Failure(target.host + ":" + target.port + ": " + std::strerror(error));
  const int on = 1;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(fd_.get(), F_SETFL, O_NONBLOCK);
  buffer_.resize(kReceiveBytes);
}

void Connection::log_in(const Target& target) {
  const auto hash = auth::nt_hash_of(target.password);
  if (!hash || !utf16_from_utf8(target.user)) throw Failure("--user: not valid UTF-8");
  client::Login login;
  login.credentials = {.user = target.user, .workstation = "BENCH", .nt_hash = *hash};
  login.options.anonymous = target.user.empty();
  fill_randomly(login.entropy.challenge);
  fill_randomly(login.entropy.exported_key);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  login.now = FileTime::from_unix(std::chrono::floor<std::chrono::seconds>(now).count(), 0);
  if (target.sign) login.security_mode |= wire::kNegotiateSigningRequired;
  login.seal = target.seal;
  session_ = &sync_.log_in(std::move(login));
  if (!session_->valid())
    throw Failure("logon of \"" + target.user + "\": " + named(session_->status()));
  if (target.sign && !session_->must_sign())
    throw Failure("--sign: the session has no key (guest or anonymous)");
  signs_ = signs_ && session_->must_sign();
}

bool Connection::pump() {
  while (!client_.outgoing().empty()) {
    const Bytes bytes = client_.outgoing();
    const ssize_t put = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put > 0) client_.sent(static_cast<size_t>(put));
    if (put < 0 && errno == EAGAIN) break;
    if (put < 0 && errno != EINTR) return sync_.disconnected(), false;
  }
  const bool more = !client_.outgoing().empty();
  pollfd ready{fd_.get(), static_cast<short>(more ? POLLIN | POLLOUT : POLLIN), 0};
  const int polled = ::poll(&ready, 1, kSilenceMaxMs);
  if (polled < 0 && errno == EINTR) return true;
  if (polled <= 0) return false;
  if ((ready.revents & ~POLLOUT) == 0) return true;
  const ssize_t got = ::recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return sync_.disconnected(), false;
  client_.receive(Bytes(buffer_).first(static_cast<size_t>(got)));
  return true;
}

}  // namespace semblance::bench
