#pragma once
// One simulated user at one connection at a time: connects, logs in, works, loses the connection,
// comes back; keeps its own books of handles.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/client/client.h"
#include "sim/clients/commands.h"
#include "sim/clients/workload.h"
#include "sim/world/failure.h"
#include "sim/world/network.h"
#include "sim/world/observers.h"
#include "sim/world/server.h"

namespace semblance::sim {

enum class Manners : uint8_t {
  kHonest,
  kMutating,   // one field wrong now and then
  kByzantine,  // keeps no rule
};

// What an actor sends as its n-th command instead of a drawn one; empty: nothing. `held` are its
// handles, the newest last.
using Script =
    std::function<Draft(uint32_t number, const client::Tree& tree, const std::vector<Held>& held)>;

struct ActorOptions {
  uint32_t number = 0;
  Manners manners = Manners::kHonest;
  uint32_t commands = 50;  // to be sent
  const Workload* workload = nullptr;
  Script script;  // empty: draws from the workload
  client::Options client;
  bool signing_required = false;
  bool seal = false;  // everything, where there is a cipher
  std::string user, password;
  bool anonymous = false;
  std::u16string share = u"data";
  bool foreign_handles = true;     // now and then uses what was given to others
  bool unsigned_requests = false;  // where its sessions have keys all the same
};

// What an actor lives in; everything outlives it.
struct Surroundings {
  Scheduler& scheduler;
  Chooser& chooser;
  const Swarm& swarm;
  Network& network;
  Server& server;
  Observers& observers;
  Failures& failures;
  Commons& commons;
};

class ClientActor : public Actor, public NetworkEnd {
 public:
  ClientActor(ActorOptions options, Surroundings world);

  void start();
  // No further commands: what is under way is waited for, what could wait for ever is cancelled,
  // then the connection is closed.
  void wind_down();
  // Has sent all its commands and been answered, or can't work here at all.
  bool finished() const { return finished_; }
  // Winding down is over.
  bool gone() const { return winding_down_ && !connected_; }
  uint64_t requests() const { return requests_; }
  // For messages about what does not come to rest.
  std::string state() const;

  void arrived(ConnectionId connection, Bytes bytes) override;
  void left(ConnectionId, size_t) override {}
  void broke(ConnectionId connection) override;
  void woken(uint64_t token) override;

 private:
  enum class Phase : uint8_t { kAway, kNegotiating, kLoggingIn, kConnecting, kWorking };
  struct Waiting {
    CommandKind kind{};
    bool creates = false, pipe = false;
    wire::FileId closes{};
    bool is_close = false;
    std::vector<uint8_t> request = {};  // its start: see Observer::answered
  };

  bool honest() const;
  bool is_renewing() const;
  void connect();
  void hang_up();
  void schedule(Duration after);
  void flush();
  void move_on();
  void log_in();
  void connect_trees();
  void take_replies();
  void take(const Waiting& waiting, const client::Reply& reply);
  void work();
  void issue(uint32_t number);
  bool carry_out(CommandKind kind, uint64_t entity);
  void send(Draft draft, CommandKind kind, uint64_t entity);
  void cancel_one(uint64_t entity);
  void tell_session();
  void lose_handles();
  void check_books();

  ActorOptions options_;
  Surroundings w_;
  Phase phase_ = Phase::kAway;
  bool connected_ = false;
  bool lenient_ = false;  // this connection has seen something that is not honest
  ConnectionId connection_;
  std::unique_ptr<client::Client> client_;
  client::Session* session_ = nullptr;
  bool session_told_ = false;
  uint64_t last_session_ = 0;  // of this connection or an earlier one
  client::Tree tree_, pipes_;
  uint64_t tree_wanted_ = UINT64_MAX, pipes_wanted_ = UINT64_MAX;  // message ids
  std::vector<Held> held_, closed_;
  std::map<uint64_t, Waiting> waiting_;  // by message id
  uint32_t next_command_ = 0;
  uint32_t failed_starts_ = 0;
  uint32_t looks_in_vain_ = 0;  // at a full queue, in a row
  uint32_t connections_ = 0;
  uint64_t requests_ = 0;
  uint64_t wake_ = 0;  // the latest wake-up; earlier ones are void
  bool winding_down_ = false, finished_ = false;
};

}  // namespace semblance::sim
