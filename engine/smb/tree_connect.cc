// MS-SMB2 3.3.5.7 Receiving an SMB2 TREE_CONNECT Request, 3.3.5.8 Receiving a TREE_DISCONNECT.

#include "engine/wire/tree_connect.h"
#include "engine/base/planted.h"

#include "engine/base/upcase.h"
#include "engine/base/utf16.h"
#include "engine/smb/chain.h"
#include "engine/smb/commands.h"
#include "engine/smb/marks.h"
#include "engine/smb/teardown.h"
#include "engine/wire/access_mask.h"
#include "engine/wire/simple_body.h"

namespace semblance::smb {
namespace {

// FILE_ALL_ACCESS without what changes anything.
constexpr uint32_t kReadOnlyAccess = wire::kFileGenericRead | wire::kFileGenericExecute;
constexpr size_t kShareNameUnitsMax = 80;  // MS-SMB2 2.2.9: longer ones do not exist

// The share's name within "\\server\share": what follows the last backslash.
Result<std::u16string> share_name(Bytes path) {
  std::u16string text = utf16_from_wire(path);
  if (!text.starts_with(u"\\\\")) return fail(NtStatus::kBadNetworkName);
  size_t server_end = text.find(u'\\', 2);
  if (server_end == std::u16string::npos) return fail(NtStatus::kBadNetworkName);
  std::u16string name = text.substr(server_end + 1);
  if (name.empty() || name.size() > kShareNameUnitsMax || name.find(u'\\') != std::u16string::npos)
    return fail(NtStatus::kBadNetworkName);
  return name;
}

std::optional<ShareId> find_share(const Config& config, std::u16string_view name) {
  for (size_t i = 0; i < config.shares.size(); ++i) {
    auto share = utf16_from_utf8(config.shares[i].name);
    if (share && equal_without_case(*share, name)) return static_cast<ShareId>(i);
  }
  return std::nullopt;
}

// Guests and anonymous sessions reach IPC$ and the shares that are meant for them.
bool admits(const Session& session, const ShareConfig& share) {
  return share.guest || (!session.is_guest && !session.is_anonymous);
}

}  // namespace

Step tree_connect(Call call) {
  EngineState& e = call.engine();
  Connection& c = *call.connection();
  Session& session = *call.session();
  auto request = wire::TreeConnectRequest::parse(call.element());
  if (!request) return request.error();
  // 3.1.1 protects the tree connect of everyone who has a key.
  if (c.is_311() && session.signer != nullptr && !call.request().was_signed &&
      !call.request().was_sealed) {
    violate(e, c, "unsigned tree connect");
    return NtStatus::kAccessDenied;
  }
  auto name = share_name(request->path);
  if (!name) return name.error();
  bool ipc = equal_without_case(*name, u"IPC$");
  std::optional<ShareId> share = ipc ? std::nullopt : find_share(e.config, *name);
  if (!ipc && !share) {
    SOMETIMES(e, kTreeRefused);
    return NtStatus::kBadNetworkName;
  }
  const ShareConfig* config = share ? &e.config.shares[static_cast<size_t>(*share)] : nullptr;
  if (config != nullptr && !admits(session, *config)) {
    SOMETIMES(e, kGuestShareRefused);
    return NtStatus::kAccessDenied;
  }
  if (config != nullptr && config->encrypt && session.sealer == nullptr &&
      e.config.encryption != Requirement::kOff)
    return NtStatus::kAccessDenied;
  if (e.draining) return NtStatus::kInsufficientResources;
  TreeSlot slot = e.trees.acquire();
  if (!slot) return NtStatus::kInsufficientResources;
  TreeConnect& tree = e.trees.get(slot);
  tree.id = slot;
  tree.session = session.id;
  tree.share = share.value_or(ShareId::kNone);
  tree.read_only = config != nullptr && config->read_only;
  bool seals = config != nullptr && config->encrypt && e.config.encryption != Requirement::kOff;
  tree.encrypt_data = seals;
  tree.maximal_access = tree.read_only ? kReadOnlyAccess : wire::kFileAllAccess;
  session.trees.add(e.trees, slot);
  Request& r = call.request();
  r.tree = slot;
  r.header.tree_id = wire_tree_id(slot);
  r.chain_tree = r.header.tree_id;
  wire::TreeConnectResponse response;
  response.share_type = ipc ? wire::ShareType::kPipe : wire::ShareType::kDisk;
  response.share_flags = ipc ? wire::kShareFlagNoCaching : wire::kShareFlagManualCaching;
  if (seals) response.share_flags |= wire::kShareFlagEncryptData;
  response.maximal_access = tree.maximal_access;
  return call.reply(response);
}

Step tree_disconnect(Call call) {
  auto request = wire::TreeDisconnectRequest::parse(call.element());
  if (!request) return request.error();
  if (!PLANTED(kOpensAfterDisconnect)) end_tree(call.engine(), call.request().tree);
  return call.reply(wire::TreeDisconnectResponse{});
}

}  // namespace semblance::smb
