#pragma once
// The books that several oracles share: which trees lead to which share, which handles there are,
// what they were opened for, and which object on the disk each is about. Kept from the wire and
// from what the disk did, never from the engine.
//
// A handle certainly exists from the response that brought it to the first request (or event) that
// may end it; it possibly exists from its CREATE's arrival until its end was answered, or some
// seconds after its connection went.

#include <map>
#include <optional>
#include <string>

#include "sim/disk/disk.h"
#include "sim/oracles/oracle.h"

namespace semblance::sim {

// A name as it can be compared without the engine's help: ASCII in lower case, '/' between. None
// for a name that needs more than that (streams, wildcards, dots, other letters than ASCII's that
// have case).
std::optional<std::string> plain_path(Bytes utf16);
// The same of a stored path.
std::optional<std::string> plain_stored(std::string_view path);

// Rights that share modes are about, MS-FSA 2.1.5.1.2.2: FILE_READ_DATA and FILE_EXECUTE,
// FILE_WRITE_DATA and FILE_APPEND_DATA, DELETE.
inline constexpr uint32_t kReads = 0x1 | 0x20, kWrites = 0x2 | 0x4, kDeletes = 0x10000;
// Whether somebody may do more than another's share mode allows.
bool excludes(uint32_t access, uint32_t share);

struct BookedOpen {
  FileRef file;
  ConnectionId connection;
  uint64_t session = 0;
  uint32_t tree = 0;
  ShareId share = ShareId::kNone;                      // none: a pipe, or unknown
  std::optional<std::string> path;                     // as asked for, plain
  Disk::Inode inode = 0;                               // 0: unknown
  uint32_t access = 0, share_access = 0, options = 0;  // of the CREATE; generic rights mapped
  bool access_known = false;                           // not MAXIMUM_ALLOWED
  bool directory = false;
  bool wants_delete = false;  // somebody asked for its deletion through it
  uint64_t opened_by = 0;     // the exchange
  bool ending = false;        // something that may end it has arrived
  bool ended = false;         // and was answered
  uint64_t ended_after = 0;   // the latest exchange that had arrived by then
  Instant possible_until = Instant::never();
};

class Book : public Oracle {
 public:
  Book(Failures& failures, const Scheduler& scheduler, const Disk& disk)
      : Oracle("isolation", failures), scheduler_(scheduler), disk_(disk) {}

  // The handle as last given out; null if it never was.
  const BookedOpen* find(FileRef file) const;
  // Calls `visit` with every handle that may exist at this moment.
  template <typename Visit>
  void for_possible(Visit visit) const {
    for (const auto& [file, open] : opens_)
      if (!open.ended || open.possible_until > scheduler_.now()) visit(open);
  }
  // And with every handle since the server's start.
  template <typename Visit>
  void for_all(Visit visit) const {
    for (const auto& [file, open] : opens_) visit(open);
  }
  // None: unknown, or IPC$.
  std::optional<ShareId> share_of(ConnectionId connection, uint32_t tree) const;
  const Disk& disk() const { return disk_; }
  Instant now() const { return scheduler_.now(); }

  void requested(const ExchangePtr& exchange) override;
  void answered(const ExchangePtr& exchange) override;
  void abandoned(const ExchangePtr& exchange) override;
  void applied(OperationId, const StoreOperation&, const StoreResult&, bool injected) override;
  void closed(ConnectionId connection) override;
  void crashed(CrashKind) override;

 private:
  // A CREATE under way, and what the store opened by that name meanwhile.
  struct Creating {
    ExchangePtr exchange;
    ShareId share = ShareId::kNone;
    std::optional<std::string> path;
    Disk::Inode inode = 0;
    bool ambiguous = false;
    bool ending = false;  // what may end the new handle has arrived already
  };

  void end_where(auto matches);
  // Whether a SESSION_SETUP under way may end the session.
  bool may_end(uint64_t session) const;
  void end(BookedOpen& open, Duration possible_for);
  void created(const Exchange& exchange);
  void judge_use(const Exchange& exchange);

  const Scheduler& scheduler_;
  const Disk& disk_;
  uint64_t latest_ = 0;
  // Sessions that SESSION_SETUPs under way may end: the one renewed, the one before it. By
  // exchange.
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> setups_;
  std::map<FileRef, BookedOpen> opens_;
  std::map<std::pair<uint32_t, uint32_t>, ShareId> trees_;  // by connection's generation and TreeId
  std::map<uint64_t, Creating> creating_;                   // by exchange
};

}  // namespace semblance::sim
