#pragma once
// One message being worked on: a request, or a compound of them taken element by element.

#include <coroutine>
#include <optional>
#include <string>

#include "engine/smb/ids.h"
#include "engine/smb/ledger.h"
#include "engine/smb/task.h"
#include "engine/smb/transmit.h"
#include "engine/wire/header.h"

namespace semblance::smb {

// What a command says when it is done. `size` is the element with its header and the body that the
// command wrote; 0 asks for an ERROR response.
struct Outcome {
  NtStatus status = NtStatus::kSuccess;
  size_t size = 0;

  Outcome() = default;
  Outcome(NtStatus status) : status(status) {}  // NOLINT: a status alone is an ERROR response
  Outcome(NtStatus status, size_t size) : status(status), size(size) {}
};
// Why a request that waited without a store operation goes on.
enum class Wake : uint8_t { kNone, kReady, kCancelled, kClosed, kDisconnected };

struct Request {
  RequestId id;
  ConnectionId connection;  // may be gone; then the work is finished and the reply dropped

  // The message, in the driver's buffer, for as long as `buffer` is pinned.
  BufferId buffer = BufferId::kNone;
  Bytes message;
  size_t element_at = 0;  // the element being worked on
  size_t element_size = 0;
  wire::Header header;  // of that element, with the chain's ids filled in
  bool is_compound = false;
  bool last_element = true;

  // What related elements inherit: 3.3.5.2.7.2.
  uint64_t chain_session = 0;
  uint32_t chain_tree = 0;
  bool chain_broken = false;  // the element before had no session or tree to inherit
  wire::FileId chain_file = wire::FileId::previous();
  NtStatus chain_status = NtStatus::kSuccess;  // of the element before

  SessionSlot session;
  TreeSlot tree;
  OpenSlot uses;  // the open of the element being worked on

  // The reply so far: `reply_at` is where the current element's header goes, `previous_at` where
  // the one before it stands.
  Region reply;
  size_t reply_at = 0;
  size_t previous_at = 0;
  bool no_reply = false;       // CANCEL, or the connection is to be closed
  SessionSlot remove_session;  // once the reply is signed: LOGOFF, failed authentication

  bool was_signed = false;
  bool was_sealed = false;  // then the replies are, under the same session
  SessionSlot sealed_by;
  bool async = false;  // answered PENDING; the final reply carries the AsyncId
  uint64_t async_id = 0;
  Instant started;
  bool in_store = false;  // a store operation is under way

  std::optional<Task<Outcome>> task;
  std::coroutine_handle<> waiter;  // where to go on after Wake
  Wake wake = Wake::kNone;
  OpenSlot waits_on;             // the open whose close wakes it
  std::u16string claimed_name;   // engine/smb/name_claims.h
  bool on_paths = false;         // as a CREATE
  bool waits_for_claim = false;  // until another one's is released

  Ledger ledger;
  Shape shape = Shape::kNone;
  uint32_t components = 0;
};

}  // namespace semblance::smb
