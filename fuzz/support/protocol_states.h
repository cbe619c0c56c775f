#pragma once
// Coverage beyond edges: which replies were seen in which state of a peer. libFuzzer counts these
// like edges (its extra counters), so an input that brings about a new pair is kept.

#include "engine/wire/header.h"

namespace semblance::fuzz {

inline constexpr uint8_t kPeerStates = 16;

// A reply's element was seen; `state` is the peer's, below kPeerStates.
void note_reply(const wire::Header& reply, uint8_t state);

}  // namespace semblance::fuzz
