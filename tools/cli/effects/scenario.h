#pragma once
// Canned requests: one scenario for every shape of a request, played the same way on any server.

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/client/sync_client.h"
#include "tools/cli/effects/server.h"

namespace semblance::effects {

enum class Protection : uint8_t {
  kNone,  // a user's session whose requests are not signed: what Windows does where it may
  kCmac,
  kGmac,
  kSealed,
};

// A client on a connection of its own.
class Peer {
 public:
  Peer(Server& server, Protection protection);

  client::SyncClient& smb() { return smb_; }
  // NEGOTIATE and SESSION_SETUP; CHECKed like all that a scenario does.
  client::Session& log_in();
  client::Tree connect(client::Session& session, std::u16string_view share);

 private:
  Protection protection_;
  std::unique_ptr<Wire> wire_;
  client::Client client_;
  client::SyncClient smb_;
};

// A logged-in client and what it works on.
struct Stage {
  Stage(Server& server, Protection protection);

  Server& server;
  Protection protection;
  Peer peer;
  client::Session& session;
  client::Tree tree, ipc;

  client::SyncClient& smb() { return peer.smb(); }
  // Sends a request, or waits for its reply too, protected as the scenario has it.
  uint64_t send(const client::Tree& tree, client::Request request);
  client::Reply call(const client::Tree& tree, client::Request request);
  client::Signing signing() const;
  // These succeed.
  client::FileId open(std::u16string name, wire::CreateDisposition disposition);
  client::FileId make(std::u16string name, size_t bytes);
  client::FileId directory(std::u16string name);
  void close(client::FileId file);
  // All of them sent before the first is answered; each must succeed.
  void together(std::vector<client::Request> requests);
};

// Measured is what happens in `act`; the others, if any, set it up and clean up after it.
struct Round {
  std::function<void()> act;
  std::function<void()> before, after;
};

struct Scenario {
  std::string_view name;
  std::function<Round(Stage&)> prepare;
  unsigned requests = 1;  // that a round's costs are divided by
  Protection protection = Protection::kNone;
  uint32_t components = 1;  // of the path
  uint32_t entries = 0;     // that a directory listing returns
};
const std::vector<Scenario>& scenarios();

// Plays `warm` rounds, then `rounds` that are measured.
void play(Server& server, const Scenario& scenario, unsigned warm, unsigned rounds);

}  // namespace semblance::effects
