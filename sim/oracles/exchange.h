#pragma once
// What oracles know of one request and of its response, read from the wire by a reader of our own:
// nothing here comes from engine/wire, so that an error there is not repeated here. Layouts:
// MS-SMB2 2.2.1 and the request's own section.

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/world/observer.h"

namespace semblance::sim {

// Commands by their numbers, MS-SMB2 2.2.1.
enum Cmd : uint16_t {
  kCmdNegotiate = 0,
  kCmdSessionSetup = 1,
  kCmdLogoff = 2,
  kCmdTreeConnect = 3,
  kCmdTreeDisconnect = 4,
  kCmdCreate = 5,
  kCmdClose = 6,
  kCmdFlush = 7,
  kCmdRead = 8,
  kCmdWrite = 9,
  kCmdLock = 10,
  kCmdIoctl = 11,
  kCmdCancel = 12,
  kCmdEcho = 13,
  kCmdQueryDirectory = 14,
  kCmdChangeNotify = 15,
  kCmdQueryInfo = 16,
  kCmdSetInfo = 17,
  kCmdOplockBreak = 18,
};

// Statuses that oracles tell apart.
enum Status : uint32_t {
  kOk = 0,
  kStatusPending = 0x00000103,
  kStatusNoMoreFiles = 0x80000006,
  kStatusNoSuchFile = 0xC000000F,
  kStatusEndOfFile = 0xC0000011,
  kStatusMoreProcessing = 0xC0000016,
  kStatusObjectNameNotFound = 0xC0000034,
  kStatusObjectNameCollision = 0xC0000035,
  kStatusObjectPathNotFound = 0xC000003A,
  kStatusSharingViolation = 0xC0000043,
  kStatusFileLockConflict = 0xC0000054,
  kStatusLockNotGranted = 0xC0000055,
  kStatusRangeNotLocked = 0xC000007E,
  kStatusFileIsADirectory = 0xC00000BA,
  kStatusNotADirectory = 0xC0000103,
  kStatusUserSessionDeleted = 0xC0000203,
};

// Where an element's body begins: behind the header.
inline constexpr size_t kBody = 64;

// A number of `size` bytes at `at`, little-endian; 0 where the bytes end before.
uint64_t number_at(Bytes bytes, size_t at, size_t size);

struct Element {
  uint16_t command = 0;
  uint32_t status = 0;  // of a response
  uint32_t flags = 0;
  uint16_t charge = 0, credits = 0;
  uint64_t message_id = 0, session_id = 0, async_id = 0;
  uint32_t tree_id = 0;
  uint32_t next = 0;
  bool sealed = false;
  std::vector<uint8_t> bytes;  // header included, up to the next element

  bool is_async() const { return (flags & 2) != 0; }
  bool is_related() const { return (flags & 4) != 0; }
  bool is_signed() const { return (flags & 8) != 0; }
  uint64_t at(size_t position, size_t size) const { return number_at(bytes, position, size); }
  // None when the element is shorter than that.
  std::optional<Bytes> range(size_t position, size_t size) const {
    if (position > bytes.size() || size > bytes.size() - position) return std::nullopt;
    return Bytes(bytes).subspan(position, size);
  }
};

struct FileRef {
  uint64_t persistent = UINT64_MAX, volatile_id = UINT64_MAX;
  auto operator<=>(const FileRef&) const = default;
  bool is_previous() const { return persistent == UINT64_MAX && volatile_id == UINT64_MAX; }
};

// One request from its arrival to its final response.
struct Exchange {
  uint64_t number = 0;  // in the order of arrival
  ConnectionId connection;
  Element request;
  Instant received;
  bool honest = false;
  bool authentic = true;  // false: its signature is wrong, or it had to have one
  // The elements before it in the same message, for related ones.
  std::shared_ptr<Exchange> previous;
  // What a related element inherits: MS-SMB2 3.3.5.2.7.2.
  uint64_t session_id = 0;
  uint32_t tree_id = 0;
  // The handle it is about; for a related one with FileId -1 known once the element that made it
  // was answered.
  FileRef file;
  bool has_file = false;
  bool doubled = false;  // another one under way has its MessageId: which is answered can't be seen
  bool odd = false;      // the chain before it may hand on another one

  uint32_t interims = 0;
  uint64_t async_id = 0;
  bool answered = false;
  Element response;
};
using ExchangePtr = std::shared_ptr<Exchange>;

// The name that a CREATE gives, UTF-16 as it stands; none when it lies outside the request.
std::optional<Bytes> create_name(const Element& create);

// Where the FileId stands in a request; none for those that have none.
std::optional<size_t> file_id_position(uint16_t command);

}  // namespace semblance::sim
