#pragma once
// What the loop keeps of one connection. About 200 bytes, plus its receive buffer.
//
//   buffer:  | consumed (maybe pinned) | unconsumed | free      |
//            0                         begin        end         capacity

#include <string>

#include "engine/engine.h"
#include "io/unique_fd.h"

namespace semblance {

struct Connection {
  ConnectionId id;  // its generation changes at each use of the slot
  UniqueFd fd;
  std::string peer;

  BufferId buffer = BufferId::kNone;
  size_t begin = 0, end = 0;
  size_t wanted = 4;  // contiguous bytes that the engine needs next
  // A receive brought much a short time ago, and one of the next may again: how many of them.
  uint8_t hungry = 0;

  bool open = false;        // from ConnectionOpened until ConnectionClosed has been delivered
  bool receiving = false;   // a receive is in flight
  bool sending = false;     // a send is in flight
  bool paused = false;      // the engine takes nothing now
  bool last_words = false;  // CloseConnection: close once nothing is left to send
  bool closing = false;     // shut down; closed when nothing is in flight
  bool closed = false;      // ConnectionClosed is on its way
  Instant close_by = Instant::never();

  // Membership of the loop's lists.
  bool in_receive = false, in_transmit = false, in_deliver = false, in_starved = false;

  size_t unconsumed() const { return end - begin; }
};

}  // namespace semblance
