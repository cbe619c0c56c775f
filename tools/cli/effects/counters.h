#pragma once
// Counts what code does between count(true) and count(false) on its thread, by standing in for the
// functions that it calls: operator new, memcpy and memmove, and those that begin a MAC, a seal or
// an unseal (the linker's --wrap, see tools/BUILD). What the engine says of itself is not asked.

#include <cstdint>

namespace semblance::effects {

struct Counts {
  uint64_t allocations = 0;   // by operator new; those within OpenSSL are not seen
  uint64_t bytes_copied = 0;  // in calls of memcpy and memmove; small copies are no calls
  uint64_t crypto_calls = 0;  // MACs, seals and unseals begun, key derivations
};

void count(bool on);
// Since the last call.
Counts take_counts();

}  // namespace semblance::effects
