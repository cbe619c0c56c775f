#pragma once
// The table of commands: what each needs, how large its reply can be, who handles it.

#include "engine/smb/call.h"

namespace semblance::smb {

struct CommandRule {
  bool needs_session;  // a valid one: MS-SMB2 3.3.5.2.9
  bool needs_tree;     // 3.3.5.2.11
  Step (*handle)(Call);
  // Bytes of payload that the credit charge must cover (3.3.5.2.5); null: none.
  uint64_t (*payload)(Bytes element);
  // Upper bound of the reply element, header included, padding not.
  size_t (*reply_bound)(const Connection&, Bytes element);
};
// An unknown command has a rule too: it is answered INVALID_PARAMETER.
const CommandRule& command_rule(wire::Command command);

// One file each. A plain command returns its Outcome, or nullopt after Call::run.
Step negotiate(Call call);
Step session_setup(Call call);
Step logoff(Call call);
Step tree_connect(Call call);
Step tree_disconnect(Call call);
Step create(Call call);
Step close(Call call);
Step flush(Call call);
Step read(Call call);
Step write(Call call);
Step lock(Call call);
Step ioctl(Call call);
Step echo(Call call);
Step query_directory(Call call);
Step change_notify(Call call);
Step query_info(Call call);
Step set_info(Call call);
Step oplock_break(Call call);
void cancel(Call call);  // has no reply

// Once the reply element is final: the preauthentication hashes of 3.1.1 take it in.
void after_reply(Call call, NtStatus status, Bytes element);

}  // namespace semblance::smb
