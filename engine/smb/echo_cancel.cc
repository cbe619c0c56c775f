// MS-SMB2 3.3.5.17 Receiving an SMB2 ECHO Request, 3.3.5.16 Receiving a CANCEL, and the commands
// that wait for oplocks.

#include "engine/smb/commands.h"
#include "engine/smb/marks.h"
#include "engine/wire/oplock_break.h"
#include "engine/wire/simple_body.h"

namespace semblance::smb {

Step echo(Call call) {
  auto request = wire::EchoRequest::parse(call.element());
  if (!request) return request.error();
  return call.reply(wire::EchoResponse{});
}

// No oplock or lease is granted, so none can be broken: 3.3.5.22.
Step oplock_break(Call call) {
  switch (wire::oplock_break_structure_size(call.element())) {
    case wire::OplockBreak::kStructureSize: {
      auto ack = wire::OplockBreakAcknowledgment::parse(call.element());
      if (!ack) return ack.error();
      if (call.open(ack->file_id) == nullptr) return NtStatus::kFileClosed;
      return NtStatus::kInvalidDeviceRequest;
    }
    case wire::LeaseBreak::kStructureSize:
      return NtStatus::kObjectNameNotFound;
    default:
      return NtStatus::kInvalidParameter;
  }
}

// Finds the request by AsyncId, or by MessageId when it has none yet, on the same connection and
// ends its wait. One that is not waiting, or that is not there, is left alone.
void cancel(Call call) {
  EngineState& e = call.engine();
  const Request& self = call.request();
  const wire::Header& h = self.header;
  if (h.is_async()) {
    Request* r = e.requests.find(RequestId::unpack(h.async_id));
    if (r != nullptr && r->connection == self.connection && r->async) {
      SOMETIMES(e, kCancelled);
      wake(e, r->id, Wake::kCancelled);
    } else {
      SOMETIMES(e, kCancelledNothing);
    }
    return;
  }
  bool found = false;
  e.requests.for_each([&](RequestId id, Request& r) {
    if (id == self.id || r.connection != self.connection || r.header.message_id != h.message_id)
      return;
    found = true;
    wake(e, id, Wake::kCancelled);
  });
  if (!found) SOMETIMES(e, kCancelledNothing);
}

}  // namespace semblance::smb
