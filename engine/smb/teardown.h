#pragma once
// How opens, trees, sessions and connections end: MS-SMB2 3.3.4.8, 3.3.5.6, 3.3.5.8, 3.3.7.1.
//
// Ending a tree makes its opens unreachable at once and leaves them as orphans; they are closed a
// bounded number per step, so that a disconnect with many opens does not hold up anyone.

#include "engine/smb/call.h"

namespace semblance::smb {

// Whether closing the open takes more than giving its handle back: it is to be deleted, times are
// to be set, or an operation on it is under way.
bool close_takes_work(EngineState& engine, const Open& open);

// Does that work. The open is unreachable from here on and still exists afterwards.
Task<NtStatus> prepare_close(Call call, OpenSlot slot);

// Forgets the open: share mode, locks, handle. Waiting requests on it are woken with kClosed.
void drop_open(EngineState& engine, OpenSlot slot);

// Ends the session as soon as no request but `self` is at work on it, so that each of them is
// answered under its key. It takes no new ones from here on, and what waits without a bound on its
// opens (CHANGE_NOTIFY) ends.
void retire_session(EngineState& engine, SessionSlot slot, RequestId self = {});
// To be called whenever a request of the session is over.
void end_retired_session(EngineState& engine, SessionSlot slot);

void end_tree(EngineState& engine, TreeSlot slot);
void end_session(EngineState& engine, SessionSlot slot);
void end_connection(EngineState& engine, Connection& connection);

// Closes up to kTeardownsPerStep orphans.
void close_orphans(EngineState& engine);

}  // namespace semblance::smb
