#include "fuzz/support/scene.h"

namespace semblance::fuzz {

using wire::Command;

namespace {

// As many as the window takes.
constexpr uint16_t kCredits = 128;

Peer::Options options_of(State state) {
  Peer::Options options;
  if (state == State::kSealed) options.cipher = wire::Cipher::kAes128Gcm;
  if (state == State::kUser202) options.dialect = wire::Dialect::kSmb202;
  if (state == State::kGuest) options.dialect = wire::Dialect::kSmb302;
  if (state == State::kAnonymous) options.dialect = wire::Dialect::kSmb210;
  return options;
}

constexpr size_t kMessageIdAt = 24;

constexpr uint32_t bit(Command command) { return 1u << static_cast<uint32_t>(command); }

}  // namespace

Scene::Scene(State state)
    : state_(state), world_(WorldOptions{}), peer_(std::in_place, world_, options_of(state)) {
  SmallStore& store = world_.store();
  store.make(kDataShare, "file", OpenWhat::kNewFile, "a hundred bytes would be more than enough");
  store.make(kDataShare, "dir", OpenWhat::kNewDirectory);
  store.make(kDataShare, "dir/one", OpenWhat::kNewFile, "1");
  store.make(kDataShare, "dir/two", OpenWhat::kNewFile, "2");
  store.make(kFixedShare, "still", OpenWhat::kNewFile, "fixed");
  set_up();
  store.forget_changes();
  baseline_ = world_.engine().report();
}

namespace {

// What chain.cc looks at before the command: 3.3.5.2.
void mend(MutableBytes message) {
  constexpr uint16_t kChargeMask = 0x0F;
  for (uint64_t id = 0; message.size() >= wire::kHeaderSize; ++id) {
    uint8_t* at = message.data();
    store<uint32_t>(at, wire::kProtocolIdSmb2);
    store<uint64_t>(at + kMessageIdAt, id);
    store<uint16_t>(at + 4, wire::kHeaderSize);
    store<uint16_t>(at + 6, load<uint16_t>(at + 6) & kChargeMask);
    at[wire::kHeaderFlagsAt] &= static_cast<uint8_t>(~wire::kFlagServerToRedir);
    size_t next = load<uint32_t>(at + wire::kHeaderNextCommandAt) & ~uint32_t{7};
    if (next != 0 && (next < wire::kHeaderSize || next + wire::kHeaderSize > message.size()))
      next = 0;
    store<uint32_t>(at + wire::kHeaderNextCommandAt, static_cast<uint32_t>(next));
    if (next == 0) return;
    message = message.subspan(next);
  }
}

}  // namespace

bool Scene::run(FuzzInput& input, Sending sending, bool repair) {
  std::vector<uint8_t> message = exactly(input.rest());
  size_t elements = 0;
  if (sending == Sending::kRaw) {
    peer_->send_raw(message);
  } else {
    if (repair && state_ < State::kHalfWay) {
      message.resize(std::max(message.size(), wire::kHeaderSize));
      mend(message);
    }
    elements = place_ids(message);
    peer_->send(message, static_cast<Protection>(sending));
  }
  world_.run();
  Peer::Seen seen = peer_->take_replies(static_cast<uint8_t>(state_));
  if (state_ >= State::kNegotiated) return reopen(seen);
  return sending != Sending::kRaw && is_unchanged(seen, elements);
}

// Without a session there is nothing but the connection, and the next one is its like.
bool Scene::reopen(const Peer::Seen& seen) {
  if (seen.commands & bit(Command::kSessionSetup)) return false;
  world_.disconnect(peer_->index());
  EngineReport r = world_.engine().report();
  if (r.requests != 0 || r.sessions != 0) return false;
  world_.forget_closed();
  peer_.emplace(world_, options_of(state_));
  set_up();
  return true;
}

void Scene::set_up() {
  if (state_ == State::kFresh) return;
  CHECK(peer_->negotiate());
  if (state_ == State::kNegotiated) return;
  Identity identity = state_ == State::kGuest       ? Identity::kGuest
                      : state_ == State::kAnonymous ? Identity::kAnonymous
                                                    : Identity::kAnna;
  CHECK(peer_->log_in(identity, state_ == State::kHalfWay ? 1 : 2));
  if (state_ != State::kHalfWay) CHECK(peer_->open(u"\\\\server\\data", {u"file", u"dir"}));
  if (state_ == State::kUser311 || state_ == State::kSealed)
    CHECK(peer_->open(u"\\\\server\\IPC$", {u"srvsvc"}));
  if (state_ == State::kUser311) CHECK(peer_->open(u"\\\\server\\fixed", {u"still"}));
  if (peer_->credits() != kCredits) CHECK(peer_->echo(kCredits));
  CHECK(peer_->credits() == kCredits);
}

// Message ids below 8 count from the next; returns how many elements there are.
size_t Scene::place_ids(MutableBytes message) {
  size_t elements = 0;
  while (message.size() >= wire::kHeaderSize) {
    uint8_t* at = message.data() + kMessageIdAt;
    uint64_t id = load<uint64_t>(at);
    in_order_ &= id == elements;
    store<uint64_t>(at, id < 8 ? peer_->next_message_id() + id : id | uint64_t{1} << 63);
    ++elements;
    size_t next = load<uint32_t>(message.data() + wire::kHeaderNextCommandAt);
    if (next < wire::kHeaderSize || next >= message.size()) break;
    message = message.subspan(next);
  }
  return elements;
}

bool Scene::is_unchanged(const Peer::Seen& seen, size_t elements) {
  // Commands that leave their session and handles as they are, and those that do when they fail.
  // (The pipe is one that nothing was written to.)
  constexpr uint32_t kLooking =
      bit(Command::kEcho) | bit(Command::kQueryInfo) | bit(Command::kFlush) | bit(Command::kRead);
  constexpr uint32_t kFailing = ~(bit(Command::kSessionSetup) | bit(Command::kQueryDirectory));
  bool all_failed = seen.errors == seen.replies && seen.replies > 0 &&
                    seen.last->nt_status() != NtStatus::kPipeDisconnected;
  uint32_t harmless = all_failed ? kFailing : kLooking;
  if ((seen.commands & ~harmless) != 0 || seen.interims != 0 || seen.replies != elements ||
      !in_order_ || !peer_->wire().open || world_.store().changed())
    return false;
  if (elements != 1) return false;
  // What was charged are ids and credits alike; 2.0.2 knows no charge.
  uint16_t charge = std::max<uint16_t>(1, seen.last->credit_charge);
  if (charge > 1 && state_ == State::kUser202) return false;
  peer_->take_message_ids(charge);
  for (uint16_t i = 0; i < charge; ++i) peer_->use_credit();
  if (peer_->credits() < kCredits && !peer_->echo(kCredits)) return false;
  EngineReport r = world_.engine().report();
  return peer_->credits() == kCredits && r.sessions == baseline_.sessions &&
         r.trees == baseline_.trees && r.opens == baseline_.opens && r.requests == 0 &&
         r.files == baseline_.files && r.indexed_names == baseline_.indexed_names &&
         r.transmit_bytes == baseline_.transmit_bytes;
}

}  // namespace semblance::fuzz
