// The working half of ClientActor: which command comes next, and how it goes out.

#include <algorithm>

#include "sim/clients/actor.h"
#include "sim/clients/mutation.h"

namespace semblance::sim {

namespace {
// The header, and the fixed part of any body.
constexpr ptrdiff_t kRequestStart = 128;
constexpr uint32_t kLooksInVainMax = 2000;
}  // namespace

void ClientActor::work() {
  if (winding_down_) return;
  uint32_t depth = options_.workload->depth;
  while (next_command_ < options_.commands && waiting_.size() < depth && connected_ &&
         phase_ == Phase::kWorking) {
    issue(next_command_++);
    // Usually one at a time; sometimes a burst.
    if (!w_.chooser.chance(Site::kDepth, options_.number, 400'000)) break;
  }
  if (!connected_ || phase_ != Phase::kWorking) return;
  if (next_command_ < options_.commands) {
    // A queue that stays full: from here on only a reply wakes us. Where every choice is 0 we would
    // look 10 000 times a second until the run is over.
    looks_in_vain_ = waiting_.size() >= depth ? looks_in_vain_ + 1 : 0;
    if (looks_in_vain_ > kLooksInVainMax) return;
    uint32_t most = options_.workload->think_ms * 1000;
    uint32_t us = 100 + w_.chooser.log_uniform(Site::kThink, options_.number, most);
    schedule({int64_t{us} * 1000});
  } else if (waiting_.empty()) {
    finished_ = true;
  }
}

void ClientActor::issue(uint32_t number) {
  uint64_t entity = command_entity(options_.number, number);
  if (options_.script)
    return send(options_.script(number, tree_, held_), CommandKind::kNothing, entity);
  uint32_t leaves = options_.workload->hang_up_ppm + w_.swarm.ppm(FaultClass::kHangUp, 50'000);
  if (w_.chooser.chance(Site::kHangUp, entity, leaves)) return hang_up();
  auto kind = static_cast<CommandKind>(
      w_.chooser.weighted(Site::kCommand, entity, options_.workload->weights));
  if (kind == CommandKind::kNothing || carry_out(kind, entity)) return;
  // Never more than the credits allow, but for those who do not care.
  CommandContext context{
      .chooser = w_.chooser,
      .entity = entity,
      .client = options_.number,
      .number = number,
      .tree = tree_,
      .pipes = pipes_,
      .held = held_,
      .closed = closed_,
      .commons = w_.commons,
      .bytes_max = options_.workload->bytes_max,
      .foreign_handles = options_.foreign_handles && (!honest() || number % 8 == 7)};
  send(draw_command(kind, context), kind, entity);
}

// Requests are under way that only the session knows of.
bool ClientActor::is_renewing() const {
  return client_->pending() >
         waiting_.size() + (tree_wanted_ != UINT64_MAX) + (pipes_wanted_ != UINT64_MAX);
}

bool ClientActor::carry_out(CommandKind kind, uint64_t entity) {
  constexpr int64_t kCreditsForThese = 3;
  if (honest() && client_->credits() < kCreditsForThese)
    return kind == CommandKind::kCancel || kind == CommandKind::kTreeConnect ||
           kind == CommandKind::kTreeDisconnect || kind == CommandKind::kLogOff ||
           kind == CommandKind::kRenewSession;
  switch (kind) {
    case CommandKind::kCancel:
      cancel_one(entity);
      return true;
    case CommandKind::kTreeConnect: {
      if (tree_wanted_ != UINT64_MAX) return true;
      client::Request request = client::tree_connect_request(u"\\\\server\\" + options_.share);
      request.session_id = session_->id();
      tree_wanted_ = client_->send(std::move(request));
      ++requests_;
      return true;
    }
    case CommandKind::kTreeDisconnect: {
      client::Request request = client::simple_request(wire::Command::kTreeDisconnect);
      request = client::on(tree_, std::move(request));
      uint64_t id = client_->send(std::move(request));
      waiting_[id] = {kind};
      ++requests_;
      lose_handles();
      // And a new one, so that there is something to do.
      return carry_out(CommandKind::kTreeConnect, entity);
    }
    case CommandKind::kLogOff: {
      client::Request request = client::simple_request(wire::Command::kLogoff);
      request.session_id = session_->id();
      waiting_[client_->send(std::move(request))] = {kind};
      ++requests_;
      lose_handles();
      phase_ = Phase::kLoggingIn;
      log_in();
      schedule(Duration::seconds(90));
      return true;
    }
    case CommandKind::kRenewSession:
      if (is_renewing()) return true;  // one at a time
      if (session_->valid()) client_->log_in_again(*session_, session_->login());
      requests_ += 2;
      return true;
    default:
      return false;
  }
}

void ClientActor::send(Draft draft, CommandKind kind, uint64_t entity) {
  if (draft.requests.empty()) return;
  uint32_t charge = 0;
  for (const client::Request& request : draft.requests)
    charge += std::max<uint16_t>(1, client_->charge_for(request.payload));
  if (is_renewing()) ++charge;  // for its second leg
  if (honest() && client_->credits() < static_cast<int64_t>(charge)) return;
  if (options_.manners == Manners::kByzantine &&
      w_.chooser.chance(Site::kMutation, entity, 100'000)) {
    std::vector<uint8_t> bytes = garbage(w_.chooser, entity);
    if (w_.chooser.chance(Site::kMutation, entity, 800'000))
      client_->send_message(bytes);
    else
      client_->send_raw(bytes);
  }
  for (client::Request& request : draft.requests) {
    if (request.session_id == 0) request.session_id = session_->id();
    // One message speaks for one session.
    if (honest()) request.session_id = draft.requests.front().session_id;
    if (options_.manners == Manners::kMutating &&
        w_.chooser.chance(Site::kMutation, entity, 150'000))
      mutate(request, w_.chooser, entity);
    if (options_.manners == Manners::kByzantine &&
        w_.chooser.chance(Site::kMutation, entity, 300'000))
      corrupt(request, w_.chooser, entity);
  }
  requests_ += draft.requests.size();
  bool close = draft.requests.front().command == wire::Command::kClose;
  wire::FileId closes{};
  if (close) {
    const std::vector<uint8_t>& element = draft.requests.front().element;
    closes = {load<uint64_t>(element.data() + 72), load<uint64_t>(element.data() + 80)};
  }
  std::vector<std::vector<uint8_t>> starts;
  for (client::Request& request : draft.requests) {
    if (options_.unsigned_requests) request.signing = client::Signing::kNever;
    const std::vector<uint8_t>& element = request.element;
    starts.emplace_back(element.begin(),
                        element.begin() + std::min(std::ssize(element), kRequestStart));
  }
  std::vector<uint64_t> ids = client_->send(std::move(draft.requests));
  for (size_t i = 0; i < ids.size(); ++i)
    waiting_[ids[i]] = {.kind = kind, .request = std::move(starts[i])};
  Waiting& first = waiting_[ids.front()];
  first.creates = draft.creates;
  first.pipe = draft.pipe;
  first.is_close = close;
  first.closes = closes;
}

void ClientActor::cancel_one(uint64_t entity) {
  if (waiting_.empty()) return;
  uint32_t which = w_.chooser.pick(Site::kArgument, entity, static_cast<uint32_t>(waiting_.size()));
  client_->cancel(std::next(waiting_.begin(), which)->first);
  ++requests_;
}

void ClientActor::wind_down() {
  winding_down_ = true;
  if (!connected_) return;
  if (phase_ != Phase::kWorking) return hang_up();
  if (lenient_) schedule(Duration::seconds(10));
  for (const auto& [id, waiting] : waiting_)
    if (waiting.kind == CommandKind::kChangeNotify) client_->cancel(id);
  take_replies();
  flush();
}

}  // namespace semblance::sim
