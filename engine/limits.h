#pragma once
// Every bound of the engine, in one place. All pools are sized from it at start; nothing grows with
// a hostile client. The daemon's --limit NAME=N sets any field by its name (tools/daemon/options).

#include <cstddef>
#include <cstdint>

namespace semblance {

// X(type, name, default, meaning)
#define SEMBLANCE_LIMITS(X)                                                                       \
  X(uint32_t, connections, 4096, "open connections")                                              \
  X(uint32_t, sessions, 4096, "sessions, authenticated or on the way")                            \
  X(uint32_t, sessions_per_connection, 64, "sessions on one connection")                          \
  X(uint32_t, trees, 16384, "tree connects")                                                      \
  X(uint32_t, opens, 65536, "open handles")                                                       \
  X(uint32_t, locks, 65536, "byte-range locks held")                                              \
  X(uint32_t, locks_per_open, 4096, "byte-range locks held by one handle")                        \
  X(uint32_t, requests, 8192, "requests being worked on")                                         \
  X(uint32_t, requests_per_connection, 1024, "requests of one connection being worked on")        \
  X(uint32_t, async_per_connection, 512, "requests of one connection that were answered PENDING") \
  X(uint32_t, frames, 4096, "coroutine frames")                                                   \
  X(uint32_t, credits, 8192, "credits one connection can hold")                                   \
  X(uint32_t, compound, 64, "elements of one compound")                                           \
  X(uint32_t, read_max, 8u << 20, "bytes of one READ")                                            \
  X(uint32_t, write_max, 8u << 20, "bytes of one WRITE")                                          \
  X(uint32_t, transact_max, 8u << 20, "bytes of one QUERY, SET, IOCTL or notification")           \
  X(uint32_t, transmit_bytes_per_connection, 16u << 20, "reply bytes waiting on one connection")  \
  X(uint32_t, transmit_bytes, 512u << 20, "reply bytes waiting in all")                           \
  X(uint32_t, index_entries, 1u << 20, "names in the folded-name indexes of directories")         \
  X(uint32_t, authenticate_seconds, 30, "seconds until a connection must have a session")         \
  X(uint32_t, interim_ms, 500, "milliseconds until a slow request is answered PENDING")           \
  X(uint32_t, drain_seconds, 5, "seconds until a drain closes what is left")

struct Limits {
#define X(type, name, value, meaning) type name = value;
  SEMBLANCE_LIMITS(X)
#undef X
};

// Constants of the contract rather than settings.
inline constexpr size_t kPathBytesMax = 4095;    // UTF-8 bytes of one path in a share
inline constexpr size_t kMessagesPerEvent = 64;  // messages taken from one BytesReceived
inline constexpr size_t kTeardownsPerStep = 64;  // opens closed in one step after a disconnect
// The most effects one event can cause: each message at most one operation, one release, one
// transmit notice; then the teardowns and the connection's own.
inline constexpr size_t kEffectsPerEvent = 4 * kMessagesPerEvent + 2 * kTeardownsPerStep + 16;

}  // namespace semblance
