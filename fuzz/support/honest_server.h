#pragma once
// The engine as the server of a Client.

#include <utility>

#include "engine/client/client.h"
#include "fuzz/support/world.h"

namespace semblance::fuzz {

class HonestServer {
 public:
  HonestServer() : world_(WorldOptions{}), index_(world_.connect()) {}

  World& world() { return world_; }
  client::Login login() const {
    client::Login login;
    login.credentials = {"anna", "WORKGROUP", "CLIENT", auth::NtHash{1, 2, 3}};
    login.entropy = {{8, 7, 6, 5}, {1, 2, 3, 4}};
    login.now = world_.wall();
    return login;
  }

  // The engine hears all that the client has to send. False if there was nothing.
  bool deliver(client::Client& client) {
    Bytes sent = client.outgoing();
    if (sent.empty()) return false;
    world_.send(index_, sent);
    client.sent(sent.size());
    world_.run();
    return true;
  }
  // What the engine has said since.
  std::vector<uint8_t> take() { return std::exchange(world_.wire(index_).received, {}); }

 private:
  World world_;
  size_t index_;
};

}  // namespace semblance::fuzz
