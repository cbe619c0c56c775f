#include "engine/smb/create/open_pipe.h"

#include "engine/base/utf16.h"
#include "engine/share/access.h"
#include "engine/wire/create.h"
#include "engine/wire/file_attributes.h"

namespace semblance::smb {

Step open_pipe(Call call) {
  EngineState& e = call.engine();
  auto request = wire::CreateRequest::parse(call.element());
  if (!request) return request.error();
  std::u16string text = utf16_from_wire(request->name);
  auto name = rpc::pipe_by_name(text);
  if (!name) return NtStatus::kObjectNameNotFound;
  auto granted = share::grant(request->desired_access, wire::kFileAllAccess);
  if (!granted) return granted.error();
  OpenSlot slot = e.opens.acquire();
  if (!slot) return NtStatus::kTooManyOpenedFiles;
  TreeConnect& tree = *call.tree();
  Open& open = e.opens.get(slot);
  open.id = slot;
  open.tree = tree.id;
  open.session = tree.session;
  open.granted_access = *granted;
  open.share_access = request->share_access;
  open.pipe = std::make_unique<rpc::Pipe>(*name);
  tree.opens.add(e.opens, slot);
  wire::CreateResponse response;
  response.create_action = wire::CreateAction::kOpened;
  response.file_attributes = wire::kFileAttributeNormal;
  response.allocation_size = 4096;
  response.file_id = wire_file_id(slot);
  call.request().chain_file = response.file_id;
  return call.reply(response);
}

}  // namespace semblance::smb
