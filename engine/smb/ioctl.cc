// MS-SMB2 3.3.5.15 Receiving an SMB2 IOCTL Request. Codes that are not served answer
// INVALID_DEVICE_REQUEST and leave handle and connection as they are.

#include "engine/wire/ioctl.h"

#include "engine/smb/chain.h"
#include "engine/smb/commands.h"
#include "engine/smb/pipes.h"

namespace semblance::smb {
namespace {

// The highest dialect of the list that this server would choose; 0 for none.
uint16_t chosen(const Config& config, const wire::U16List& dialects) {
  uint16_t best = 0;
  for (uint16_t known : {0x0202, 0x0210, 0x0300, 0x0302, 0x0311})
    if (known >= config.dialect_min && known <= config.dialect_max && dialects.contains(known))
      best = known;
  return best;
}

// 3.3.5.15.12: anything that differs from what was negotiated breaks the connection off.
Step validate_negotiate(Call call, const wire::IoctlRequest& request) {
  EngineState& e = call.engine();
  Connection& c = *call.connection();
  auto info = wire::ValidateNegotiateInfoRequest::parse(request.input);
  constexpr uint32_t kResponseSize = 24;
  bool same = info && !c.is_311() && request.max_output_response >= kResponseSize &&
              info->guid == c.client_guid && info->capabilities == c.client_capabilities &&
              info->security_mode == c.client_security_mode &&
              chosen(e.config, info->dialects) == static_cast<uint16_t>(c.dialect);
  if (!same) {
    violate(e, c, "negotiation was tampered with");
    return NtStatus::kAccessDenied;
  }
  wire::IoctlResponse response;
  response.ctl_code = request.ctl_code;
  response.file_id = request.file_id;
  wire::Builder b = call.body();
  response.build(b);
  wire::ValidateNegotiateInfoResponse{c.server_capabilities, e.config.server_guid,
                                      c.server_security_mode, static_cast<uint16_t>(c.dialect)}
      .build(b);
  wire::IoctlResponse::finish_output(b);
  return Call::done(b);
}

// MS-FSCC 2.3.7: an id for life, which here is the file's own: volume and index number. The birth
// ids are what they were then, and no domain is known.
Step object_id(Call call, const Open& open, const wire::IoctlRequest& request) {
  constexpr uint32_t kObjectIdBytes = 64;
  share::FileNode* node = call.engine().files.find(open.node);
  if (node == nullptr) return NtStatus::kInvalidDeviceRequest;
  if (request.max_output_response < kObjectIdBytes) return NtStatus::kInvalidParameter;
  wire::IoctlResponse response;
  response.ctl_code = request.ctl_code;
  response.file_id = wire_file_id(open.id);
  wire::Builder b = call.body();
  response.build(b);
  auto put_id = [&](uint64_t low, uint64_t high) {
    b.u64(low);
    b.u64(high);
  };
  put_id(node->key.inode, node->key.device);
  put_id(node->key.device, node->key.device);
  put_id(node->key.inode, node->key.device);
  put_id(0, 0);
  wire::IoctlResponse::finish_output(b);
  return Call::done(b);
}

// Codes that are not about a file: they carry a FileId of all ones.
bool is_handleless(uint32_t code) {
  return code == wire::kFsctlDfsGetReferrals || code == wire::kFsctlDfsGetReferralsEx ||
         code == wire::kFsctlValidateNegotiateInfo ||
         code == wire::kFsctlQueryNetworkInterfaceInfo || code == wire::kFsctlPipeWait;
}

Step handleless(Call call, const wire::IoctlRequest& request) {
  if (request.file_id != wire::FileId::previous()) return NtStatus::kInvalidParameter;
  switch (request.ctl_code) {
    case wire::kFsctlValidateNegotiateInfo:
      return validate_negotiate(call, request);
    case wire::kFsctlDfsGetReferrals:
    case wire::kFsctlDfsGetReferralsEx:
      return NtStatus::kNotFound;  // no DFS here
    case wire::kFsctlPipeWait:
      return call.tree()->is_ipc() ? NtStatus::kObjectNameNotFound
                                   : NtStatus::kInvalidDeviceRequest;
    default:
      return NtStatus::kInvalidDeviceRequest;
  }
}

}  // namespace

Step ioctl(Call call) {
  auto request = wire::IoctlRequest::parse(call.element());
  if (!request) return request.error();
  const Connection& c = *call.connection();
  if (!(request->flags & wire::kIoctlFlagIsFsctl)) return NtStatus::kNotSupported;
  if (request->input.size() > c.max_transact || request->max_output_response > c.max_transact)
    return NtStatus::kInvalidParameter;
  if (is_handleless(request->ctl_code)) return handleless(call, *request);
  Open* open = call.open(request->file_id);
  if (open == nullptr) return call.no_open();
  switch (request->ctl_code) {
    case wire::kFsctlPipeTransceive:
      if (!open->is_pipe()) return NtStatus::kInvalidDeviceRequest;
      return transceive(call, *open, request->input, request->max_output_response);
    case wire::kFsctlCreateOrGetObjectId:
      return object_id(call, *open, *request);
    case wire::kFsctlGetReparsePoint:
      return open->is_pipe() ? NtStatus::kInvalidDeviceRequest : NtStatus::kNotAReparsePoint;
    default:
      return NtStatus::kInvalidDeviceRequest;
  }
}

}  // namespace semblance::smb
