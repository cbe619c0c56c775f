#pragma once
// MS-SMB2 3.3.5.3 Receiving an SMB_COM_NEGOTIATE: how an SMB1 greeting leads to SMB2.

#include "engine/smb/state.h"

namespace semblance::smb {

void multi_protocol_negotiate(EngineState& engine, Connection& connection, Bytes message);

}  // namespace semblance::smb
