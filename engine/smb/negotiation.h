#pragma once
// What follows from the dialect, shared by SMB2 NEGOTIATE and the multi-protocol greeting.

#include "engine/smb/state.h"

namespace semblance::smb {

// Sets what the dialect decides on the connection: sizes, capabilities, security mode, multi-credit.
void settle_dialect(EngineState& engine, Connection& connection, wire::Dialect dialect);

// The fixed part and the server's SPNEGO hint, which is written to `token` and referred to.
wire::NegotiateResponse negotiate_response(EngineState& engine, const Connection& connection,
                                           MutableBytes token);

}  // namespace semblance::smb
