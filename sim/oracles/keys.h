#pragma once
// Key derivation as MS-SMB2 3.1.4.2 has it, written here once more for the oracles: SP800-108 in
// counter mode with HMAC-SHA256, one round.

#include <array>
#include <string_view>
#include <vector>

#include "engine/base/bytes.h"

namespace semblance::sim {

// `size` is 16 or 32 bytes; `label` and `context` as the section has them, terminating zero of the
// label left out.
std::vector<uint8_t> derive_key(Bytes from, std::string_view label, Bytes context, size_t size);

}  // namespace semblance::sim
