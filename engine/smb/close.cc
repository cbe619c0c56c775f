// MS-SMB2 3.3.5.10 Receiving an SMB2 CLOSE Request.

#include "engine/wire/close.h"

#include "engine/share/attributes.h"
#include "engine/smb/chain.h"
#include "engine/smb/commands.h"
#include "engine/smb/marks.h"
#include "engine/smb/put_facts.h"
#include "engine/smb/teardown.h"

namespace semblance::smb {
namespace {

Outcome answer(Call call, const FileStat* stat, FileTime sticky_write_time) {
  wire::CloseResponse response;
  if (stat != nullptr) {
    share::FileFacts facts = share::facts_of(*stat);
    response.flags = wire::kCloseFlagPostqueryAttrib;
    put_facts(facts, response);
    if (sticky_write_time.ticks != 0) response.last_write_time = sticky_write_time;
  }
  return call.reply(response);
}

void drop(Call call, OpenSlot slot) {
  const Open* open = call.engine().opens.find(slot);
  if (open != nullptr && open->handle != StoreHandle::kNone)
    call.ledger().operations[StoreOperation(StoreClose{}).index()] += 1;
  drop_open(call.engine(), slot);
}

// Deletion, times, or an operation that is still under way. `stat` is what is known already.
Task<Outcome> close_with_work(Call call, OpenSlot slot, bool wants_attributes, StoreResult stat) {
  EngineState& e = call.engine();
  call.shape(Shape::kCloseQuery);
  // Its frame is taken first: later there is no way back, and without the work a handle would be
  // given away that others still use.
  Task<NtStatus> prepared = prepare_close(call, slot);
  if (!prepared) co_return NtStatus::kInsufficientResources;
  e.opens.get(slot).closing = true;  // to everyone from here on
  if (wants_attributes) stat = co_await call.store(StoreStat{e.opens.get(slot).handle});
  co_await std::move(prepared);
  FileTime sticky;
  if (Open* open = e.opens.find(slot)) sticky = open->sticky_write_time;
  drop(call, slot);
  co_return answer(call, std::get_if<FileStat>(&stat.value), sticky);
}

Step close_with_attributes(Call call, const StoreResult& result) {
  OpenSlot slot = open_slot(call.request().chain_file);
  Open* open = call.engine().opens.find(slot);
  if (open == nullptr) return NtStatus::kFileClosed;
  // Meanwhile it may have become the last handle of a file that is to be deleted.
  if (close_takes_work(call.engine(), *open)) {
    open->closing = false;  // until the work has its frames
    return spawn(call, close_with_work(call, slot, false, result));
  }
  FileTime sticky = open->sticky_write_time;
  drop(call, slot);
  return answer(call, std::get_if<FileStat>(&result.value), sticky);
}

}  // namespace

Step close(Call call) {
  auto request = wire::CloseRequest::parse(call.element());
  if (!request) return request.error();
  Open* open = call.open_to_close(request->file_id);
  if (open == nullptr) return call.no_open();
  bool wants_attributes = (request->flags & wire::kCloseFlagPostqueryAttrib) && !open->is_pipe();
  if (close_takes_work(call.engine(), *open))
    return spawn(call, close_with_work(call, open->id, wants_attributes, {}));
  open->closing = true;
  if (wants_attributes) {
    call.shape(Shape::kCloseQuery);
    SOMETIMES(call.engine(), kCloseQueried);
    return call.run(StoreStat{open->handle}, close_with_attributes);
  }
  call.shape(Shape::kClose);
  drop(call, open->id);
  return answer(call, nullptr, {});
}

}  // namespace semblance::smb
