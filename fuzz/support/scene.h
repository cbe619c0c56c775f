#pragma once
// What engine_message sends its one message into: a world with one connection in a certain state,
// and what the requests are about: "file", "dir" with two files; for kUser311 and kSealed the pipe
// "srvsvc" too, for kUser311 "still" on the read-only share. The ids that the server chose are the
// same in every scene of a state.

#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/peer.h"

namespace semblance::fuzz {

enum class State : uint8_t {
  kUser311,
  kUser202,
  kSealed,
  kGuest,
  kAnonymous,
  kHalfWay,  // of an authentication
  kNegotiated,
  kFresh,
};
inline constexpr size_t kStates = 8;
// The first three are those of Protection.
enum class Sending : uint8_t { kAsFlagged, kAsIs, kSealed, kRaw };
inline constexpr size_t kSendings = 4;

class Scene {
 public:
  explicit Scene(State state);

  const Learnt& learnt() const { return peer_->learnt(); }

  // Sends the message that the rest of the input is; where a session is, `repair` mends what any
  // receiver checks first, so that the message gets as far as its command. True if the scene is as
  // it was before, ids included, so that the next message finds the same.
  bool run(FuzzInput& input, Sending sending, bool repair);
  // The end of a scene: see World::settle.
  void settle() { world_.settle(); }

 private:
  void set_up();
  size_t place_ids(MutableBytes message);
  bool is_unchanged(const Peer::Seen& seen, size_t elements);
  bool reopen(const Peer::Seen& seen);

  State state_;
  World world_;
  std::optional<Peer> peer_;
  bool in_order_ = true;
  EngineReport baseline_;
};

}  // namespace semblance::fuzz
