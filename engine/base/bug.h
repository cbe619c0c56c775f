#pragma once
// BUG: one of our own invariants is broken, within one connection.
//
// Neither a CHECK (what cannot be, abort) nor a peer's error (a status). In tests it aborts, so
// that it is found; in production it costs that connection, is counted and logged, and everyone
// else goes on.

#include "engine/base/check.h"

namespace semblance {

enum class BugPolicy : unsigned char {
  kCloseConnection,  // production
  kAbort,            // tests, fuzzers, the simulator
};

}  // namespace semblance
