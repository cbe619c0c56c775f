#pragma once
// `semblance status`: what a running daemon holds, read from its --metrics endpoint.

#include <string>

namespace semblance {

// `address` is ADDR:PORT of the daemon's --metrics. Returns the exit code; errors are one line on
// standard error.
int print_status(const std::string& address);

}  // namespace semblance
