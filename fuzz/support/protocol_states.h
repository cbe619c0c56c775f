#pragma once
// What counts as coverage. Beyond edges, that is which replies were seen in which state of a peer:
// libFuzzer counts these like edges (its extra counters), so an input that brings about a new pair
// is kept.

#include "engine/wire/header.h"

namespace semblance::fuzz {

inline constexpr uint8_t kPeerStates = 16;

// A reply's element was seen; `state` is the peer's, below kPeerStates.
void note_reply(const wire::Header& reply, uint8_t state);

// What was covered so far in this input does not count: it was the making of a world, which is the
// same for all. Of no effect outside a fuzzer.
void forget_coverage();

}  // namespace semblance::fuzz
