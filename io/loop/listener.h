#pragma once
// Listening sockets and addresses in the form ADDR:PORT.

#include <expected>
#include <string>
#include <string_view>

#include "io/unique_fd.h"

namespace semblance {

struct Listener {
  UniqueFd fd;
  std::string address;  // as bound: "127.0.0.1:4445", "[::1]:4445"
};

// Opens a non-blocking listener. IPv6 addresses stand in brackets; port 0 takes a free one. The
// error is one line for the operator.
std::expected<Listener, std::string> open_listener(std::string_view address);

// The next connection, non-blocking, and its peer's address; or errno (EAGAIN: none).
struct Accepted {
  UniqueFd fd;
  std::string peer;
};
std::expected<Accepted, int> accept_next(int listener);

}  // namespace semblance
