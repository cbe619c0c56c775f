#pragma once
// Well-formed requests of every command, with few names, offsets and lengths, so that they collide.

#include "engine/client/request.h"
#include "fuzz/support/random.h"
#include "fuzz/support/script.h"

namespace semblance::fuzz {

client::Request any_request(Random& random);
inline constexpr size_t kRequestKinds = 30;
// The `kind`-th of the ways to ask; kind < kRequestKinds.
client::Request request_of_kind(size_t kind, Random& random);

// As an element of a script, on a file and a tree of its kind.
Element as_element(const client::Request& request, Random& random);

}  // namespace semblance::fuzz
