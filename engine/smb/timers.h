#pragma once
// What the engine does when nothing happens: interim replies, peers that never log in, the drain's
// end. MS-SMB2 3.3.2.

#include "engine/smb/state.h"

namespace semblance::smb {

// A connection that has no session by then is closed.
void watch_authentication(EngineState& engine, Connection& connection);

// Nothing new begins, what is under way is finished, connections close as they fall idle, all of
// them when the time is over.
void begin_drain(EngineState& engine);

void run_timers(EngineState& engine);
Instant next_deadline(EngineState& engine);

}  // namespace semblance::smb
