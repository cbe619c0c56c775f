#pragma once
// MS-SMB2 3.3.1.8 Per Session, 3.3.1.9 Per Tree Connect, 3.3.1.10 Per Open.

#include <memory>
#include <optional>
#include <string>

#include "engine/auth/acceptor.h"
#include "engine/base/slot_list.h"
#include "engine/crypto/aead.h"
#include "engine/crypto/preauth.h"
#include "engine/crypto/signing.h"
#include "engine/engine.h"
#include "engine/rpc/pipe.h"
#include "engine/share/file_table.h"
#include "engine/smb/ids.h"

namespace semblance::smb {

// ---- Open ---------------------------------------------------------------------------------------

// Where an enumeration stands: MS-SMB2 3.3.5.18. The position is the first entry not yet returned.
struct Enumeration {
  enum class At : uint8_t { kDot, kDotDot, kStore, kEnd };
  bool begun = false;
  bool answered = false;  // once: from then on its end is NO_MORE_FILES
  At at = At::kDot;
  uint64_t position = 0;   // of the store, when at == kStore
  std::u16string pattern;  // as given; empty until begun
};

struct Open {
  OpenSlot id;
  TreeSlot tree;
  SessionSlot session;
  SlotLink<OpenSlot> in_tree;

  uint32_t granted_access = 0;
  uint32_t share_access = 0;
  uint32_t create_options = 0;

  // Files and directories.
  StoreHandle handle = StoreHandle::kNone;
  share::NodeId node;
  ShareId share = ShareId::kNone;
  std::string path;  // UTF-8 in the share; follows renames
  bool is_directory = false;
  bool delete_on_close = false;
  uint64_t position = 0;  // FilePositionInformation
  uint32_t mode = 0;      // FileModeInformation
  // Set by the client through this handle; kept against later writes (MS-FSA 2.1.4.17).
  FileTime sticky_write_time;
  bool wrote = false;  // since the sticky time was set
  uint32_t locks = 0;  // byte-range locks held
  std::unique_ptr<Enumeration> enumeration;

  // Named pipes.
  std::unique_ptr<rpc::Pipe> pipe;

  uint32_t users = 0;    // requests at work on it; a CLOSE waits for them
  uint32_t waiters = 0;  // requests that its close wakes
  bool closing = false;
  RequestId closer;  // the CLOSE that waits for users to become 0

  bool is_pipe() const { return pipe != nullptr; }
};
using OpenPool = Pool<Open, OpenSlot>;
using OpenList = SlotList<Open, OpenSlot, &Open::in_tree>;

// ---- TreeConnect --------------------------------------------------------------------------------

struct TreeConnect {
  TreeSlot id;
  SessionSlot session;
  SlotLink<TreeSlot> in_session;
  ShareId share = ShareId::kNone;  // kNone: IPC$
  uint32_t maximal_access = 0;
  bool read_only = false;
  bool encrypt_data = false;  // plaintext is refused
  OpenList opens;

  bool is_ipc() const { return share == ShareId::kNone; }
};
using TreePool = Pool<TreeConnect, TreeSlot>;
using TreeList = SlotList<TreeConnect, TreeSlot, &TreeConnect::in_session>;

// ---- Session ------------------------------------------------------------------------------------

//   kInProgress --SESSION_SETUP succeeds--> kValid --LOGOFF, failed re-authentication--> kEnding
//        \------------ fails -------------------------------------------------------------^
//   kEnding lasts until the reply that says so is signed or sealed, and those of all requests at
//   work by then.
enum class SessionState : uint8_t { kInProgress, kValid, kEnding };

struct Session {
  SessionSlot id;
  ConnectionId connection;
  SlotLink<SessionSlot> in_connection;
  SessionState state = SessionState::kInProgress;
  bool busy = false;     // a SESSION_SETUP of it is being worked on
  bool retired = false;  // goes with the last request that is at work on it

  std::unique_ptr<auth::Acceptor> acceptor;      // while an authentication is under way
  std::unique_ptr<crypto::PreauthHash> preauth;  // 3.1.1, while an authentication is under way

  std::string user, domain;  // UTF-8
  uint32_t uid = 0;
  bool is_guest = false;
  bool is_anonymous = false;
  bool signing_required = false;
  std::unique_ptr<crypto::Signer> signer;  // none: nothing to sign with (guest, anonymous)
  // None unless a cipher was negotiated.
  std::unique_ptr<crypto::Sealer> opener, sealer;
  uint64_t nonces = 0;        // used with `sealer`
  bool encrypt_data = false;  // Session.EncryptData: plaintext is refused
  std::array<uint8_t, 16> session_key{};

  TreeList trees;
};
using SessionPool = Pool<Session, SessionSlot>;
using SessionList = SlotList<Session, SessionSlot, &Session::in_connection>;

}  // namespace semblance::smb
