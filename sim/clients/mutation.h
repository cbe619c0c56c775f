#pragma once
// What a client that does not keep the rules does to a message of an honest one: one thing wrong,
// before it is signed or after.

#include "engine/client/request.h"
#include "sim/choice/chooser.h"

namespace semblance::sim {

// One field is wrong, and the message is signed all the same: a hostile user.
void mutate(client::Request& request, Chooser& chooser, uint64_t entity);
// Anything at all: wrong signatures, other people's ids, cut and patched bytes.
void corrupt(client::Request& request, Chooser& chooser, uint64_t entity);
// A message that was never honest: random header, random body, behind a frame or not.
std::vector<uint8_t> garbage(Chooser& chooser, uint64_t entity);

}  // namespace semblance::sim
