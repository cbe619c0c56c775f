#pragma once
// What client_receive does with a client: an honest beginning, as the engine itself answers it, up
// to a stage; then every kind of question, answered by pieces of the input, or honestly while the
// answers are recorded.

#include "engine/client/sync_client.h"
#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/honest_server.h"

namespace semblance::fuzz {

enum class Stage : uint8_t { kFresh, kNegotiated, kHalfWay, kLoggedIn };
inline constexpr size_t kStages = 4;

class Conversation {
 public:
  // Bits of `choice` above the stage.
  static constexpr uint8_t kAsIs = 0x04;     // pieces are bytes as they are, not to be framed
  static constexpr uint8_t kPending = 0x08;  // requests wait before the first piece comes

  explicit Conversation(uint8_t choice);

  // The server's side is the input's.
  void run(FuzzInput& input);
  // The input that would have said the same as the engine does.
  std::vector<uint8_t> record();

 private:
  void begin();
  bool pump();
  void hear(Bytes piece);
  void send_some();
  void ask();

  uint8_t choice_;
  Stage stage_;
  FuzzInput* input_ = nullptr;  // null: honest
  bool recording_ = false;
  std::vector<uint8_t> recorded_;
  HonestServer server_;
  client::Client client_;
  client::SyncClient sync_;
  client::Tree tree_;
  std::vector<uint64_t> sent_;
};

}  // namespace semblance::fuzz
