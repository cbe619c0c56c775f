// Whole sessions: one or two peers, logged in, and a script of what they send and what the world
// does meanwhile (fuzz/support/script.h): store operations held back and reordered, bytes split,
// time, disconnects, changes beside the server. The references of a script's messages are filled in
// with what the server gave, so that they collide with what lives; the harness signs and seals.
//
// The oracle: no CHECK of the engine's or of the world's (its contract), no sanitizer's report, no
// request over its budget; and once all is closed, nothing left.

#include "engine/wire/frame_header.h"
#include "fuzz/support/peer.h"
#include "fuzz/support/protocol_states.h"
#include "fuzz/support/script.h"
#include "fuzz/support/script_mutator.h"

namespace semblance::fuzz {
namespace {

using wire::Command;
using wire::FileId;

// Bits of Script::setting.
constexpr uint8_t kKindMask = 0x07;  // of the first peer, and of the server
constexpr uint8_t kTwoPeers = 0x08;
constexpr uint8_t kHoldAtFirst = 0x10;  // store operations wait for kComplete
constexpr uint8_t kLazy = 0x20;         // messages are delivered by kRun, kDeliver alone

struct Kind {
  Peer::Options peer;
  WorldOptions world;
  Identity identity = Identity::kAnna;
};

Kind kind_of(uint8_t setting) {
  Kind kind;
  switch (setting & kKindMask) {
    case 1:
      kind.peer.cipher = wire::Cipher::kAes128Gcm;
      break;
    case 2:
      kind.peer.dialect = wire::Dialect::kSmb202;
      break;
    case 3:
      kind.peer.dialect = wire::Dialect::kSmb302;
      kind.world.signing = Requirement::kRequired;
      break;
    case 4:
      kind.peer.cipher = wire::Cipher::kAes256Ccm;
      kind.world.encryption = Requirement::kRequired;
      break;
    case 5:
      kind.peer.dialect = wire::Dialect::kSmb210;
      kind.identity = Identity::kAnonymous;
      break;
    case 6:
      // Everything is scarce.
      kind.world.limits.opens = 5;
      kind.world.limits.requests = 4;
      kind.world.limits.requests_per_connection = 3;
      kind.world.limits.async_per_connection = 1;
      kind.world.limits.frames = 3;
      kind.world.limits.locks = 4;
      kind.world.limits.trees = 5;
      kind.world.limits.index_entries = 3;
      kind.world.limits.credits = 24;
      break;
    default:
      break;
  }
  return kind;
}

class Play {
 public:
  explicit Play(uint8_t setting) : setting_(setting), kind_(kind_of(setting)), world_(kind_.world) {
    SmallStore& store = world_.store();
    store.make(kDataShare, "file", OpenWhat::kNewFile, "some bytes");
    store.make(kDataShare, "dir", OpenWhat::kNewDirectory);
    store.make(kDataShare, "dir/one", OpenWhat::kNewFile, "1");
    store.make(kFixedShare, "still", OpenWhat::kNewFile, "fixed");
    peers_[0] = enter();
    if (setting & kTwoPeers) peers_[1] = enter();
  }

  void run(const Script& script) {
    world_.hold(setting_ & kHoldAtFirst);
    for (const Record& record : script.records) {
      std::unique_ptr<Peer>& peer = peers_[record.peer];
      if (peer == nullptr) continue;
      act(record, peer);
      for (auto& each : peers_)
        if (each != nullptr) each->take_replies(state_of(*each));
    }
    world_.settle();
  }

 private:
  // A connection with a session, trees and handles.
  std::unique_ptr<Peer> enter() {
    auto peer = std::make_unique<Peer>(world_, kind_.peer);
    // Where limits are small or the server drains, a peer may be turned away at any point.
    if (peer->negotiate() && peer->log_in(kind_.identity)) {
      peer->open(u"\\\\server\\data", {u"file", u"dir"});
      peer->open(u"\\\\server\\IPC$", {u"srvsvc"});
    }
    return peer;
  }

  // What a reply was seen in, for coverage: who, whether operations wait, whether requests pend.
  uint8_t state_of(const Peer& peer) const {
    return static_cast<uint8_t>((setting_ & kKindMask) | (world_.holds() ? 8 : 0)) % kPeerStates;
  }

  void act(const Record& record, std::unique_ptr<Peer>& peer) {
    FuzzInput payload(record.payload.data(), record.payload.size());
    switch (record.doing) {
      case Doing::kMessage:
      case Doing::kElement:
        return send(*peer, Element::parse(record.payload), record.doing == Doing::kMessage);
      case Doing::kComplete:
        if (world_.held().empty()) return;
        world_.complete(payload.u8() % world_.held().size(), 1 + payload.u8() % 2);
        return run_unless_lazy();
      case Doing::kHold:
        return world_.hold(payload.u8() & 1);
      case Doing::kAdvance:
        return world_.advance(Duration::milliseconds(payload.u16()));
      case Doing::kDisconnect:
        return world_.disconnect(peer->index());
      case Doing::kReconnect:
        return reconnect(peer);
      case Doing::kDeliver:
        world_.deliver(peer->index(), payload.u16());
        return;
      case Doing::kCollect:
        world_.collect(peer->index(), payload.u16());
        return;
      case Doing::kRaw:
        peer->send_raw(payload.rest());
        return run_unless_lazy();
      case Doing::kOutside:
        return change_outside(payload);
      case Doing::kDrain:
        return world_.step(Drain{});
      default:
        return world_.run();
    }
  }

  void run_unless_lazy() {
    if (!(setting_ & kLazy)) world_.run();
  }

  void reconnect(std::unique_ptr<Peer>& peer) {
    constexpr int kEntriesMax = 6;
    if (++entries_ > kEntriesMax) return;
    world_.disconnect(peer->index());
    bool held = world_.holds();
    world_.hold(false);
    peer = enter();
    world_.hold(held);
  }

  void change_outside(FuzzInput& payload) {
    static constexpr std::string_view kNames[] = {"a", "dir/new", "FILE", "dir/one", "file", "dir"};
    uint8_t what = payload.u8();
    std::string_view name = kNames[payload.u8() % std::size(kNames)];
    SmallStore& store = world_.store();
    if (what % 3 == 0)
      store.make(kDataShare, name, OpenWhat::kNewFile, "outside");
    else if (what % 3 == 1)
      store.make(kDataShare, name, OpenWhat::kNewDirectory);
    else
      store.execute(
          StoreUnlink{kDataShare, name, what & 4 ? FileKind::kDirectory : FileKind::kFile});
  }

  template <typename T>
  static T refer(const std::vector<T>& known, uint8_t reference, T all_ones) {
    if (reference == Element::kAllOnes) return all_ones;
    if (reference == Element::kZero || known.empty()) return T{};
    return known[reference % known.size()];
  }

  // Ids that the server chose, in place of the references.
  void send(Peer& peer, const Element& e, bool last) {
    Peer& other = e.flags & Element::kOthersIds && peers_[1] != nullptr
                      ? *peers_[&peer == peers_[0].get() ? 1 : 0]
                      : peer;
    const Learnt& learnt = other.learnt();
    wire::Header header;
    header.credit_charge = e.charge;
    header.command = static_cast<Command>(e.command);
    header.credits = e.credits;
    header.message_id = peer.take_message_ids(header.command == Command::kCancel ? 0 : e.charge) +
                        static_cast<int8_t>(e.message_id);
    header.session_id = refer<uint64_t>(learnt.sessions, e.session, UINT64_MAX);
    header.tree_id = refer<uint32_t>(learnt.trees, e.tree, UINT32_MAX);
    if (e.flags & Element::kRelated) header.flags |= wire::kFlagRelatedOperations;
    if (!(e.flags & Element::kUnsigned)) header.flags |= peer.signed_flag();
    if (e.flags & Element::kAsync) {
      header.flags |= wire::kFlagAsyncCommand;
      header.async_id = refer<uint64_t>(learnt.async_ids, e.tree, UINT64_MAX);
    }
    size_t at = compound_.size();
    size_t size = wire::kHeaderSize + e.body.size();
    if (!last) header.next_command = static_cast<uint32_t>(align_up(size, 8));
    compound_.resize(at + (last ? size : align_up(size, 8)));
    MutableBytes element = MutableBytes(compound_).subspan(at);
    wire::Builder b(element);
    header.build(b);
    for (Element::Patch patch : e.patches) element[patch.offset % wire::kHeaderSize] ^= patch.value;
    std::ranges::copy(e.body, element.begin() + wire::kHeaderSize);
    size_t file_at = wire::kHeaderSize + file_id_offset(e.command);
    if (file_at > wire::kHeaderSize && e.file != Element::kAsWritten && file_at + 16 <= size) {
      wire::Builder id(element.subspan(file_at, 16));
      refer<FileId>(learnt.files, e.file, FileId::previous()).write(id);
    }
    if (!last) return;
    bool sealed = e.flags & Element::kSealed || ((setting_ & kKindMask) == 4);
    Protection protection = e.flags & Element::kWrongSignature ? Protection::kAsIs
                            : sealed                           ? Protection::kSealed
                                                               : Protection::kAsFlagged;
    peer.send(compound_, protection);
    compound_.clear();
    run_unless_lazy();
  }

  uint8_t setting_;
  Kind kind_;
  World world_;
  std::array<std::unique_ptr<Peer>, 2> peers_;
  int entries_ = 0;
  std::vector<uint8_t> compound_;  // elements before the last
};

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance::fuzz;
  Script script = Script::parse({data, size});
  Play play(script.setting);
  forget_coverage();
  play.run(script);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return semblance::fuzz::mutate_script(data, size, max_size, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t one_size,
                                            const uint8_t* other, size_t other_size, uint8_t* out,
                                            size_t out_size, unsigned seed) {
  return semblance::fuzz::cross_scripts({one, one_size}, {other, other_size}, {out, out_size},
                                        seed);
}
