#include "sim/clients/actor.h"

#include <algorithm>

#include "engine/auth/ntlmv2.h"
#include "sim/choice/sources.h"
#include "sim/clients/mutation.h"

namespace semblance::sim {

namespace {

constexpr uint32_t kFailedStartsMax = 6;
constexpr Duration kStartTimeout = Duration::seconds(90);
constexpr Duration kRetry = Duration::milliseconds(40);

}  // namespace

ClientActor::ClientActor(ActorOptions options, Surroundings world)
    : options_(std::move(options)), w_(world) {}

std::string ClientActor::state() const {
  std::string text = std::to_string(options_.number) + " in phase " +
                     std::to_string(static_cast<int>(phase_)) + " waits for " +
                     std::to_string(client_ ? client_->pending() : 0) + " replies";
  for (const auto& [id, waiting] : waiting_)
    text += " [MessageId " + std::to_string(id) + " kind " +
            std::to_string(static_cast<int>(waiting.kind)) + "]";
  return text;
}

bool ClientActor::honest() const { return options_.manners == Manners::kHonest; }

void ClientActor::start() { schedule(Duration::milliseconds(options_.number)); }

void ClientActor::schedule(Duration after) {
  // Only the latest wake-up counts.
  w_.scheduler.wake(*this, after, ++wake_);
}

void ClientActor::woken(uint64_t token) {
  if (token != wake_) return;
  if (!connected_) {
    if (winding_down_ || finished_) return;
    return connect();
  }
  if (winding_down_) return hang_up();  // what was garbled on its way is never answered
  if (phase_ != Phase::kWorking) {      // the server takes too long
    ++failed_starts_;
    return hang_up();
  }
  work();
  flush();
}

// ---- The connection -----------------------------------------------------------------------------

void ClientActor::connect() {
  connection_ = w_.server.connect(*this);
  if (!connection_) {
    schedule(kRetry);
    return;
  }
  w_.observers.tell(&Observer::called, connection_, options_.number);
  connected_ = true;
  ++connections_;
  client_ = std::make_unique<client::Client>(options_.client);
  lenient_ = !honest() || w_.swarm.has(FaultClass::kCorrupt);
  if (lenient_)
    client_->expect_anything();
  else
    w_.observers.tell(&Observer::honest, connection_);
  session_ = nullptr;
  session_told_ = false;
  tree_ = pipes_ = {};
  tree_wanted_ = pipes_wanted_ = UINT64_MAX;
  held_.clear();
  waiting_.clear();
  phase_ = Phase::kNegotiating;
  client_->negotiate();
  ++requests_;
  schedule(kStartTimeout);
  flush();
}

void ClientActor::hang_up() {
  w_.observers.tell(&Observer::hung_up, connection_);
  w_.network.close(connection_, Network::Side::kClient);
  broke(connection_);
}

void ClientActor::broke(ConnectionId connection) {
  if (!connected_ || connection != connection_) return;
  check_books();
  connected_ = false;
  phase_ = Phase::kAway;
  lose_handles();
  waiting_.clear();
  bool tired = failed_starts_ > kFailedStartsMax || next_command_ >= options_.commands;
  if (tired) finished_ = true;
  if (!winding_down_ && !finished_) schedule(kRetry);
}

void ClientActor::lose_handles() {
  closed_.insert(closed_.end(), held_.begin(), held_.end());
  if (closed_.size() > 8) closed_.erase(closed_.begin(), closed_.end() - 8);
  held_.clear();
}

void ClientActor::check_books() {
  if (lenient_) return;
  for (const std::string& fault : client_->faults())
    w_.failures.add("client", "client " + std::to_string(options_.number) + ": " + fault);
}

void ClientActor::flush() {
  if (!connected_) return;
  Bytes out = client_->outgoing();
  if (out.empty()) return;
  w_.network.send(connection_, Network::Side::kClient, out);
  client_->sent(out.size());
}

void ClientActor::arrived(ConnectionId connection, Bytes bytes) {
  if (!connected_ || connection != connection_) return;
  client_->receive(bytes);
  take_replies();
  if (!connected_) return;
  move_on();
  flush();
  if (connected_ && !lenient_ && !client_->faults().empty()) check_books();
}

// ---- From the connection to the share -----------------------------------------------------------

void ClientActor::move_on() {
  if (phase_ == Phase::kNegotiating && client_->negotiated()) log_in();
  if (phase_ == Phase::kLoggingIn && session_->state() != client::Session::State::kAuthenticating) {
    if (!session_->valid()) {
      ++failed_starts_;
      return hang_up();
    }
    tell_session();
    connect_trees();
  }
}

void ClientActor::log_in() {
  phase_ = Phase::kLoggingIn;
  uint64_t entity = command_entity(options_.number, connections_);
  client::Login login;
  login.credentials.user = options_.user;
  login.credentials.domain = "WORKGROUP";
  login.credentials.workstation = "CLIENT";
  bool wrong = w_.chooser.chance(Site::kLogin, entity, 30'000);
  login.credentials.nt_hash = *auth::nt_hash_of(wrong ? "wrong" : options_.password);
  login.options.anonymous = options_.anonymous;
  constexpr uint32_t kForms[] = {700'000, 100'000, 100'000, 100'000};
  switch (w_.chooser.weighted(Site::kLogin, entity, kForms)) {
    case 1:
      login.options.spnego = false;
      break;
    case 2:
      login.options.kerberos_first = true;
      break;
    case 3:
      login.options.mech_list_mic = false;
      break;
    default:
      break;
  }
  uint64_t random = scramble(entity * 77 + 5);
  for (size_t i = 0; i < 8; ++i)
    login.entropy.challenge[i] = static_cast<uint8_t>(random >> (8 * i));
  for (size_t i = 0; i < 16; ++i)
    login.entropy.exported_key[i] = static_cast<uint8_t>(scramble(random + i));
  login.now = w_.server.wall();
  login.seal = options_.seal;
  // The session that a lost connection left behind.
  if (w_.chooser.chance(Site::kLogin, entity, 150'000)) login.previous_session_id = last_session_;
  if (options_.signing_required)
    login.security_mode = wire::kNegotiateSigningEnabled | wire::kNegotiateSigningRequired;
  session_ = &client_->log_in(login);
  session_told_ = false;
  requests_ += 2;
}

void ClientActor::tell_session() {
  SessionFacts facts;
  facts.connection = connection_;
  facts.session = session_->id();
  last_session_ = session_->id();
  facts.dialect = static_cast<uint16_t>(client_->dialect());
  facts.signing_algorithm = static_cast<uint16_t>(client_->signing_algorithm());
  facts.cipher = client_->cipher() ? static_cast<uint16_t>(*client_->cipher()) : uint16_t{0};
  facts.keyed = session_->must_sign();
  facts.must_sign = options_.signing_required || w_.server.requires_signing();
  std::ranges::copy(session_->login().entropy.exported_key, facts.key.begin());
  facts.renewal = session_told_;
  session_told_ = true;
  w_.observers.tell(&Observer::session, facts);
}

void ClientActor::connect_trees() {
  phase_ = Phase::kConnecting;
  client::Request request = client::tree_connect_request(u"\\\\server\\" + options_.share);
  request.session_id = session_->id();
  tree_wanted_ = client_->send(std::move(request));
  request = client::tree_connect_request(u"\\\\server\\IPC$");
  request.session_id = session_->id();
  pipes_wanted_ = client_->send(std::move(request));
  requests_ += 2;
}

// ---- Replies ------------------------------------------------------------------------------------

void ClientActor::take_replies() {
  for (auto [wanted, tree] : {std::pair{&tree_wanted_, &tree_}, {&pipes_wanted_, &pipes_}}) {
    if (*wanted == UINT64_MAX) continue;
    std::optional<client::Reply> reply = client_->take(*wanted);
    if (!reply) continue;
    *wanted = UINT64_MAX;
    auto info = reply->as<wire::TreeConnectResponse>();
    if (info) *tree = {session_->id(), reply->header.tree_id, *info};
    if (tree != &tree_ || phase_ != Phase::kConnecting) continue;
    if (!info) {
      ++failed_starts_;
      return hang_up();
    }
    phase_ = Phase::kWorking;
    schedule({0});
  }
  std::vector<uint64_t> done;
  for (const auto& [id, waiting] : waiting_)
    if (!client_->is_pending(id)) done.push_back(id);
  for (uint64_t id : done) {
    Waiting waiting = waiting_.at(id);
    waiting_.erase(id);
    if (std::optional<client::Reply> reply = client_->take(id)) take(waiting, *reply);
  }
  if (phase_ != Phase::kWorking) return;
  bool sent_all = next_command_ >= options_.commands;
  if (sent_all && waiting_.empty()) finished_ = true;
  if (winding_down_ && client_->pending() == 0) {
    if (!lenient_ && client_->credits() < 1)
      w_.failures.add("liveness", "a client at rest without a credit");
    return hang_up();
  }
  if (!done.empty() && !sent_all && !winding_down_) {
    uint32_t most = options_.workload->think_ms * 1000;
    uint32_t us = w_.chooser.log_uniform(Site::kThink, options_.number, most);
    schedule({int64_t{us} * 1000});
  }
}

void ClientActor::take(const Waiting& waiting, const client::Reply& reply) {
  w_.observers.tell(&Observer::answered, options_.number, Bytes(waiting.request),
                    Bytes(reply.element));
  if (waiting.creates) {
    auto opened = reply.as<wire::CreateResponse>();
    if (!opened) return;
    const client::Tree& tree = waiting.pipe ? pipes_ : tree_;
    bool directory = (opened->file_attributes & wire::kFileAttributeDirectory) != 0;
    Held held{opened->file_id, tree.tree_id, tree.session_id, directory, waiting.pipe};
    held_.push_back(held);
    w_.commons.add(held);
  }
  if (waiting.is_close && reply.ok()) {
    auto closed = std::ranges::find(held_, waiting.closes, &Held::id);
    if (closed == held_.end()) return;
    closed_.push_back(*closed);
    if (closed_.size() > 8) closed_.erase(closed_.begin());
    held_.erase(closed);
  }
}

}  // namespace semblance::sim
