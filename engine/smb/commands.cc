#include "engine/smb/commands.h"

#include <algorithm>

#include "engine/auth/acceptor.h"

namespace semblance::smb {
namespace {

// Offsets within an element of the lengths that bound a reply or must be paid for. They are read
// before the command is parsed; a message too short yields 0 and fails later.
uint64_t u32_at(Bytes element, size_t at) {
  wire::Reader r(element);
  r.seek(at);
  return r.u32();
}

constexpr size_t kBody = wire::kHeaderSize;
uint64_t read_length(Bytes e) { return u32_at(e, kBody + 4); }
uint64_t write_length(Bytes e) { return u32_at(e, kBody + 4); }
uint64_t directory_length(Bytes e) { return u32_at(e, kBody + 28); }
uint64_t notify_length(Bytes e) { return u32_at(e, kBody + 4); }
uint64_t set_info_length(Bytes e) { return u32_at(e, kBody + 4); }
uint64_t query_output(Bytes e) { return u32_at(e, kBody + 4); }
uint64_t query_length(Bytes e) { return std::max(query_output(e), u32_at(e, kBody + 12)); }
uint64_t ioctl_output(Bytes e) { return u32_at(e, kBody + 44); }
uint64_t ioctl_length(Bytes e) {
  return std::max(u32_at(e, kBody + 28) + u32_at(e, kBody + 40),
                  u32_at(e, kBody + 32) + ioctl_output(e));
}

constexpr size_t kFixedPart = 128;  // the largest fixed body (CREATE has 88) and an ERROR body

size_t fixed_bound(const Connection&, Bytes) { return kBody + kFixedPart; }
size_t token_bound(const Connection&, Bytes) {
  return kBody + kFixedPart + auth::Acceptor::kReplySizeMax;
}
size_t create_bound(const Connection&, Bytes) { return kBody + kFixedPart + 512; }
size_t capped(uint64_t wanted, uint32_t max) {
  return kBody + kFixedPart + static_cast<size_t>(std::min<uint64_t>(wanted, max));
}
size_t read_bound(const Connection& c, Bytes e) { return capped(read_length(e), c.max_read); }
size_t directory_bound(const Connection& c, Bytes e) {
  return capped(directory_length(e), c.max_transact);
}
size_t query_bound(const Connection& c, Bytes e) { return capped(query_output(e), c.max_transact); }
size_t ioctl_bound(const Connection& c, Bytes e) { return capped(ioctl_output(e), c.max_transact); }

Step no_handler(Call) { return NtStatus::kInvalidParameter; }

}  // namespace

const CommandRule& command_rule(wire::Command command) {
  static constexpr CommandRule kRules[wire::kCommandCount + 1] = {
      // needs_session, needs_tree, handle, payload, reply_bound
      {false, false, negotiate, nullptr, token_bound},
      {false, false, session_setup, nullptr, token_bound},
      {true, false, logoff, nullptr, fixed_bound},
      {true, false, tree_connect, nullptr, fixed_bound},
      {true, true, tree_disconnect, nullptr, fixed_bound},
      {true, true, create, nullptr, create_bound},
      {true, true, close, nullptr, fixed_bound},
      {true, true, flush, nullptr, fixed_bound},
      {true, true, read, read_length, read_bound},
      {true, true, write, write_length, fixed_bound},
      {true, true, lock, nullptr, fixed_bound},
      {true, true, ioctl, ioctl_length, ioctl_bound},
      {false, false, no_handler, nullptr, fixed_bound},  // CANCEL is taken out before
      {false, false, echo, nullptr, fixed_bound},
      {true, true, query_directory, directory_length, directory_bound},
      {true, true, change_notify, notify_length, fixed_bound},
      {true, true, query_info, query_length, query_bound},
      {true, true, set_info, set_info_length, fixed_bound},
      {true, true, oplock_break, nullptr, fixed_bound},
      {false, false, no_handler, nullptr, fixed_bound},  // unknown
  };
  return kRules[std::min(static_cast<size_t>(command), wire::kCommandCount)];
}

}  // namespace semblance::smb
