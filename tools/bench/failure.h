#pragma once

#include <stdexcept>

namespace semblance::bench {

// Why the load can't go on, in words for who started it.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace semblance::bench
