#pragma once
// How replies leave: headers, compounding, credits, signatures, framing. MS-SMB2 3.3.4.1.

#include "engine/smb/call.h"

namespace semblance::smb {

// Writes the header (and for a bare status the ERROR body) of the current element's reply, pads it
// if another element follows, and signs it. Returns its bytes.
size_t finish_reply_element(EngineState& engine, Connection& connection, Request& request,
                            const Outcome& outcome);
// Where a request's first reply element stands in its region: behind the transport's length, and
// behind a transform header if the reply is sealed.
size_t reply_base(const Request& request);
// Frames (and seals) the message and queues it.
void send_reply(EngineState& engine, Connection& connection, Request& request);
// Says STATUS_PENDING for the request and sends it; the elements before it leave too. False when
// there is no room for it.
bool send_interim(EngineState& engine, Request& request);
// Queues the used part of a region and tells the driver.
void queue(EngineState& engine, Connection& connection, Region& region, size_t used);

}  // namespace semblance::smb
