#pragma once
// What a simulated client can do, drawn from the chooser. Every command is total: whatever state
// the client is in, it sends something or nothing, and never fails itself. Names, offsets and
// handles come from small sets, so that clients collide.

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/client/requests.h"
#include "engine/client/sync_client.h"
#include "sim/choice/chooser.h"

namespace semblance::sim {

enum class CommandKind : uint8_t {
  kNothing,
  kCreate,
  kClose,
  kRead,
  kWrite,
  kFlush,
  kQueryInfo,
  kQueryFs,
  kQuerySecurity,
  kSetEndOfFile,
  kSetBasic,
  kSetAllocation,
  kSetSecurity,
  kRename,
  kDisposition,
  kQueryDirectory,
  kLock,
  kUnlock,
  kIoctl,
  kPipe,
  kChangeNotify,
  kCancel,
  kEcho,
  kTreeConnect,
  kTreeDisconnect,
  kLogOff,
  kRenewSession,
  kOplockBreak,
  kOpenQueryClose,  // compounds
  kCreateWriteClose,
  kReadReadRead,
  kBrokenChain,
  kListToEnd,
  kCount,
};
inline constexpr size_t kCommandKinds = static_cast<size_t>(CommandKind::kCount);

// A handle that a client has or had.
struct Held {
  wire::FileId id;
  uint32_t tree_id = 0;
  uint64_t session_id = 0;
  bool directory = false;
  bool pipe = false;
};

// Handles that anyone has been given: for those who use what is not theirs.
struct Commons {
  std::deque<Held> handles;  // the latest, a few
  void add(const Held& held) {
    handles.push_front(held);
    if (handles.size() > 16) handles.pop_back();
  }
};

// What a command is drawn from.
struct CommandContext {
  Chooser& chooser;
  uint64_t entity;  // of this command's decisions
  uint32_t client;
  uint32_t number;  // of the command
  const client::Tree& tree;
  const client::Tree& pipes;  // IPC$; tree_id 0: not connected
  const std::vector<Held>& held;
  const std::vector<Held>& closed;
  const Commons& commons;
  uint32_t bytes_max;    // of one READ or WRITE
  bool foreign_handles;  // may use those of others
};

// A message: one request or a compound. Empty: nothing to do.
struct Draft {
  std::vector<client::Request> requests;
  bool creates = false;  // the first element's reply brings a handle
  bool pipe = false;
};

// `kind` is none of those that the actor carries out itself: kNothing, kCancel, kTreeConnect,
// kTreeDisconnect, kLogOff, kRenewSession.
Draft draw_command(CommandKind kind, const CommandContext& context);

// The share-relative names that commands use, and whether they name directories by custom.
std::u16string draw_name(const CommandContext& context);

}  // namespace semblance::sim
