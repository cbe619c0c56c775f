#pragma once
// A message's way through the engine: element by element, each checked, dispatched and answered.
// MS-SMB2 3.3.5.2 Receiving Any Message, 3.3.5.2.7 Handling Compounded Requests.

#include "engine/smb/call.h"

namespace semblance::smb {

// Takes one SMB2 message (without the transport's length) whose reply fits `reply`. The message is
// pinned in `buffer` until its work is done.
void begin_message(EngineState& engine, Connection& connection, BufferId buffer, Bytes message,
                   Region reply, SessionSlot sealed_by);

// Work for which there is no request: what a disconnect leaves behind. False when the pools are
// full.
bool begin_internal(EngineState& engine, Task<Outcome> (*work)(Call, OpenSlot), OpenSlot open);

// A store operation or an account look-up has been answered; a wait has ended.
void resume_operation(EngineState& engine, OperationId id, const StoreResult& result);
void resume_account(EngineState& engine, const AccountFound& found);
void resume_woken(EngineState& engine);

// For command handlers: run a coroutine; nullopt unless it finished at once.
Step spawn(Call call, Task<Outcome> task);

// Upper bound in bytes of the reply to a message, transport length included; 0 for one that is no
// well-formed chain of at most Limits::compound elements.
size_t reply_bound(const EngineState& engine, const Connection& connection, Bytes message);

void release_message(EngineState& engine, Request& request);
void forget_handle(EngineState& engine, StoreHandle handle);

// One of our own invariants does not hold for this connection: engine/base/bug.h. `id` is a literal
// that names the place.
void bug(EngineState& engine, ConnectionId connection, const char* id, uint64_t detail = 0);

// Breaks the connection off: its peer broke the protocol. What is queued is still sent.
void violate(EngineState& engine, Connection& connection, const char* what, uint64_t detail = 0);

}  // namespace semblance::smb
