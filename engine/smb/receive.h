#pragma once
// From the bytes of a connection to messages: framing, back-pressure, what kind of message it is.
// MS-SMB2 2.1, 3.3.5.1, 3.3.5.2.

#include "engine/smb/state.h"

namespace semblance::smb {

// Takes as many whole messages as one event may, and reports with ReceiveProgress.
void receive(EngineState& engine, const BytesReceived& event);

// Connections that stopped for lack of room and could go on now: ResumeReceiving.
void resume_paused(EngineState& engine);

}  // namespace semblance::smb
