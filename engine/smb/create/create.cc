// MS-SMB2 3.3.5.9 Receiving an SMB2 CREATE Request: the sequence of its steps.
//
//   read_create     create/request     what is asked for
//   hold            create/open_file   open or create it in the store (resolve: other spellings)
//   admit           create/open_file   share modes, the Open
//   overwrite                          truncate, attributes
//   answer                             the reply and its contexts

#include "engine/wire/create.h"
#include "engine/share/attributes.h"
#include "engine/share/names.h"
#include "engine/smb/chain.h"
#include "engine/smb/commands.h"
#include "engine/smb/create/open_file.h"
#include "engine/smb/create/open_pipe.h"
#include "engine/smb/marks.h"
#include "engine/smb/put_facts.h"
#include "engine/smb/teardown.h"
#include "engine/wire/open_contexts.h"

namespace semblance::smb {
namespace {

using wire::CreateAction;
using wire::CreateDisposition;

CreateAction action_of(const CreateWish& wish, const Held& held) {
  if (held.created) return CreateAction::kCreated;
  if (wish.disposition == CreateDisposition::kSupersede) return CreateAction::kSuperseded;
  return wish.overwrites() ? CreateAction::kOverwritten : CreateAction::kOpened;
}

// MS-FSA 2.1.5.1.2.1: an existing file loses its data and takes the new attributes.
Task<NtStatus> overwrite(Call call, OpenSlot slot, StoreHandle handle, uint32_t attributes,
                         uint64_t allocation) {
  StoreResult cut = co_await call.store(StoreTruncate{handle, 0});
  if (!cut.ok()) co_return share::status_of(cut.error);
  StoreSetAttributes set{handle};
  set.set_dos = true;
  set.dos.present = true;
  set.dos.attributes = attributes | share::default_attributes(FileKind::kFile);
  co_await call.store(set);
  if (allocation > 0) co_await call.store(StoreAllocate{handle, allocation});
  co_return NtStatus::kSuccess;
}

Outcome answer(Call call, OpenSlot slot, const CreateWish& wish, const Held& held) {
  share::FileFacts facts = share::facts_of(held.stat);
  wire::CreateResponse response;
  response.create_action = action_of(wish, held);
  put_facts(facts, response);
  response.file_id = wire_file_id(slot);
  call.request().chain_file = response.file_id;
  wire::Builder b = call.body();
  response.build(b);
  if (wish.wants_maximal_access || wish.wants_disk_id) {
    wire::CreateContextWriter contexts(b);
    if (wish.wants_maximal_access)
      contexts.add(wire::MaximalAccessResponse{NtStatus::kSuccess, held.maximal});
    if (wish.wants_disk_id)
      contexts.add(wire::QueryOnDiskIdResponse{facts.index_number, facts.volume});
    wire::CreateResponse::finish_contexts(b);
  }
  return Call::done(b);
}

Task<Outcome> create_file(Call call, CreateWish wish) {
  EngineState& e = call.engine();
  ShareId share = call.tree()->share;
  call.request().components = share::component_count(wish.path);
  Held held = co_await hold(call, share, wish);
  if (held.status == NtStatus::kObjectNameCollision) SOMETIMES(e, kCreateCollision);
  if (held.status != NtStatus::kSuccess) co_return held.status;
  if (held.created) SOMETIMES(e, kCreateNew);
  if (held.created && held.stat.kind == FileKind::kDirectory) SOMETIMES(e, kCreateDirectory);
  auto slot = admit(call, share, wish, held);
  if (!slot) co_return slot.error();
  call.use(*slot);
  if (wish.overwrites() && !held.created) {
    call.shape(Shape::kOverwrite);
    SOMETIMES(e, kCreateOverwrote);
    NtStatus status =
        co_await overwrite(call, *slot, held.handle, wish.file_attributes, wish.allocation_size);
    if (status == NtStatus::kSuccess) {
      StoreResult stat = co_await call.store(StoreStat{held.handle});
      if (stat.ok()) held.stat = std::get<FileStat>(stat.value);
    } else {
      drop_open(e, *slot);
      co_return status;
    }
  }
  if (e.opens.find(*slot) == nullptr) co_return NtStatus::kFileClosed;
  co_return answer(call, *slot, wish, held);
}

}  // namespace

Step create(Call call) {
  if (call.tree()->is_ipc()) return open_pipe(call);
  auto wish = read_create(call);
  if (!wish) return wish.error();
  return spawn(call, create_file(call, std::move(*wish)));
}

}  // namespace semblance::smb
