#pragma once
// A well-formed request of every command and of every path through the larger ones, for tests that
// do the same thing to all of them.

#include "tests/engine/harness/world.h"

namespace semblance::test {

// A logged-in connection with everything open that the samples need.
struct Stage {
  Peer* peer = nullptr;
  Tree tree, ipc;
  FileId file, directory, pipe;
};
// File "file" with 100 bytes, directory "dir" with two files in it, pipe "srvsvc".
Stage set_stage(World& world, client::Options options = {},
                uint8_t security_mode = wire::kNegotiateSigningEnabled);

struct Sample {
  const char* name;
  std::function<Request(const Stage&)> make;
};
// Everything that needs a session; NEGOTIATE, SESSION_SETUP and CANCEL are not among them.
const std::vector<Sample>& every_command();

}  // namespace semblance::test
