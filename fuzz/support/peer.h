#pragma once
// The client's side of one connection in a fuzzer's World: sets itself up honestly, then sends what
// it is told to, framed, signed or sealed as wanted. What the server answers is learnt: sessions,
// trees, handles, credits.

#include <initializer_list>
#include <optional>
#include <string_view>

#include "engine/client/request.h"
#include "engine/crypto/aead.h"
#include "engine/crypto/preauth.h"
#include "engine/crypto/signing.h"
#include "engine/wire/negotiate.h"
#include "engine/wire/negotiate_contexts.h"
#include "fuzz/support/world.h"

namespace semblance::fuzz {

enum class Identity : uint8_t { kAnna, kGuest, kAnonymous };

enum class Protection : uint8_t {
  kAsFlagged,  // what says SIGNED in its header is signed rightly
  kAsIs,       // signatures stay as they are
  kSealed,     // when the session has a cipher; else as kAsFlagged
};

// What is held of the server's, in order of arrival; what is closed stays, to be used again.
struct Learnt {
  std::vector<uint64_t> sessions;
  std::vector<uint32_t> trees;
  std::vector<wire::FileId> files;
  std::vector<uint64_t> async_ids;
};

class Peer {
 public:
  struct Options {
    wire::Dialect dialect = wire::Dialect::kSmb311;
    wire::Cipher cipher = wire::Cipher::kNone;  // 3.1.1 only
    uint8_t security_mode = wire::kNegotiateSigningEnabled;
  };

  Peer(World& world, const Options& options);

  World& world() { return world_; }
  Wire& wire() { return world_.wire(index_); }
  size_t index() const { return index_; }
  const Options& options() const { return options_; }
  const Learnt& learnt() const { return learnt_; }
  uint64_t next_message_id() const { return next_message_id_; }
  void set_next_message_id(uint64_t id) { next_message_id_ = id; }
  // The next message id; `charge` of them are used up.
  uint64_t take_message_ids(uint16_t charge) {
    uint64_t first = next_message_id_;
    next_message_id_ += charge;
    return first;
  }
  // The flag of a header that the session's key is to sign; 0 without a key.
  uint32_t signed_flag() const { return signer_ ? wire::kFlagSigned : 0; }
  int64_t credits() const { return credits_; }
  // For a message that was sent by send(): its credit is gone.
  void use_credit() { --credits_; }
  bool seals() const { return sealer_.has_value(); }

  // ---- Setting up; each waits for its answer by World::run(). False when it was refused.
  // ---------
  bool negotiate();
  // Leaves the exchange after its first leg when `legs` is 1.
  bool log_in(Identity identity, int legs = 2);
  // Connects to the share and opens what is named, in one compound. All must succeed.
  bool open(std::u16string_view share, std::initializer_list<std::u16string_view> names);
  // An ECHO that asks for this many credits.
  bool echo(uint16_t credits);

  // ---- Sending ----------------------------------------------------------------------------------
  // One honest request with all of its header; its answer is awaited, its status returned.
  std::optional<NtStatus> call(client::Request request);
  // Queues a whole message of any content, elements linked; only signatures are put in.
  void send(MutableBytes message, Protection protection);
  // Queues bytes as they are, frame included.
  void send_raw(Bytes bytes) { world_.send(index_, bytes); }

  // ---- Replies ----------------------------------------------------------------------------------
  struct Seen {
    uint32_t replies = 0;
    uint32_t interims = 0;
    uint32_t errors = 0;
    std::optional<wire::Header> last;
    uint32_t commands = 0;  // a bit each
  };
  // Takes in what has arrived, as seen from `state` (protocol_states.h).
  Seen take_replies(uint8_t state);

 private:
  // Completes the header of an honest request.
  void fill_header(client::Request& request, bool related, bool last);
  void take_message(MutableBytes message, uint8_t state, Seen& seen);
  void learn(const wire::Header& header, Bytes element);
  void derive_keys(const std::array<uint8_t, 16>& session_key);
  void sign(MutableBytes message);
  void send_sealed(Bytes message);
  void send_framed(Bytes message);

  World& world_;
  Options options_;
  size_t index_;
  uint64_t next_message_id_ = 0;
  int64_t credits_ = 1;
  Learnt learnt_;
  crypto::PreauthHash connection_hash_, session_hash_;
  std::optional<crypto::Signer> signer_;
  std::optional<crypto::Sealer> sealer_, opener_;
  uint64_t nonces_ = 0;
  std::vector<uint8_t> last_element_;  // of a reply
};

}  // namespace semblance::fuzz
