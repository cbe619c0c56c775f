#pragma once
// A connection to the server that is measured: its socket, and the client that logs in over it.

#include <memory>
#include <string>

#include "engine/client/sync_client.h"
#include "io/unique_fd.h"
#include "tools/bench/failure.h"

namespace semblance::bench {

struct Target {
  std::string host, port;
  std::string share;
  std::string user, password;  // no user: anonymous
  wire::Dialect dialect_max = wire::Dialect::kSmb311;
  bool sign = false, seal = false;
};

class Connection {
 public:
  // Connects, logs in and connects to the share. Throws Failure.
  explicit Connection(const Target& target);

  int fd() const { return fd_.get(); }
  client::Client& client() { return client_; }
  const client::Client& client() const { return client_; }
  client::SyncClient& sync() { return sync_; }
  client::Session& session() { return *session_; }
  const client::Tree& tree() const { return tree_; }

  // What its requests need: what was asked for, or what the server demands.
  bool signs() const { return signs_ && !seals(); }
  bool seals() const { return session_->must_seal(tree_.tree_id); }
  uint32_t read_size_max() const { return read_size_max_; }
  uint32_t write_size_max() const { return write_size_max_; }
  uint32_t transact_size_max() const { return transact_size_max_; }

 private:
  void dial(const Target& target);
  void log_in(const Target& target);
  // Sends all there is to send, and waits for bytes; false once it is closed or silent too long.
  bool pump();

  UniqueFd fd_;
  client::Client client_;
  client::SyncClient sync_;
  client::Session* session_ = nullptr;
  client::Tree tree_;
  std::vector<uint8_t> buffer_;
  bool signs_ = false;
  uint32_t read_size_max_ = 0, write_size_max_ = 0, transact_size_max_ = 0;
};

// How long a server may say nothing.
inline constexpr int kSilenceMaxMs = 30'000;

}  // namespace semblance::bench
