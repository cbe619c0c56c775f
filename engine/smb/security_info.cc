#include "engine/smb/security_info.h"

#include "engine/smb/chain.h"
#include "engine/smb/protection.h"
#include "engine/wire/access_mask.h"
#include "engine/wire/error_response.h"

namespace semblance::smb {
namespace {

constexpr uint32_t kSaclParts = wire::kSaclSecurityInformation |
                                wire::kAttributeSecurityInformation |
                                wire::kScopeSecurityInformation | wire::kBackupSecurityInformation;

// MS-FSA 2.1.5.14, 2.1.5.17: what the handle must be allowed for each part.
uint32_t access_to_query(uint32_t parts) {
  uint32_t needed = 0;
  if (parts & ~kSaclParts) needed |= wire::kReadControl;
  if (parts & kSaclParts) needed |= wire::kAccessSystemSecurity;
  return needed;
}

uint32_t access_to_set(uint32_t parts) {
  constexpr uint32_t kOwnership = wire::kOwnerSecurityInformation |
                                  wire::kGroupSecurityInformation | wire::kLabelSecurityInformation;
  uint32_t needed = 0;
  if (parts & kOwnership) needed |= wire::kWriteOwner;
  if (parts & wire::kDaclSecurityInformation) needed |= wire::kWriteDac;
  if (parts & kSaclParts) needed |= wire::kAccessSystemSecurity;
  return needed;
}

// On the heap: frames are small.
using Descriptor = std::unique_ptr<const share::SecurityDescriptor>;

struct Current {
  NtStatus status = NtStatus::kInternalError;
  Descriptor descriptor;

  static Current out_of_frames() { return {NtStatus::kInsufficientResources, {}}; }
};

// The descriptor of an open object, kept or synthetic.
Task<Current> current(Call call, OpenSlot slot) {
  Open* open = &call.engine().opens.get(slot);
  Protected object{open->handle, open->share, open->path};
  StoreResult stat = co_await call.store(StoreStat{object.handle});
  if (!stat.ok()) co_return Current{share::status_of(stat.error), {}};
  const FileStat facts = std::get<FileStat>(stat.value);
  if (facts.has_descriptor) {
    Protection kept = co_await read_protection(call, object);
    if (kept.status != NtStatus::kSuccess) co_return Current{kept.status, {}};
    co_return Current{NtStatus::kSuccess, std::move(kept.descriptor)};
  }
  auto token = token_of(call);
  if (!token) co_return Current{token.error(), {}};
  co_return Current{NtStatus::kSuccess,
                    std::make_unique<share::SecurityDescriptor>(share::synthetic(facts, *token))};
}

// 3.3.5.20.3: how much room it takes, in an error context since 3.1.1 (2.2.2.1).
Outcome too_small(Call call, size_t needed) {
  std::array<uint8_t, 12> data;
  wire::Builder b(data);
  const Connection* c = call.connection();
  bool in_context = c != nullptr && c->is_311();
  if (in_context) {
    b.u32(sizeof(uint32_t));
    b.u32(wire::kErrorIdDefault);
  }
  b.u32(static_cast<uint32_t>(needed));
  wire::ErrorResponse response;
  response.error_context_count = in_context ? 1 : 0;
  response.error_data = b.written();
  return call.reply(response, NtStatus::kBufferTooSmall);
}

std::optional<std::vector<uint8_t>> encoded_part(const share::SecurityDescriptor& whole,
                                                 uint32_t parts) {
  return encoded(share::part_of(whole, parts));
}

Result<std::vector<uint8_t>> encoded_change(const share::SecurityDescriptor& now,
                                            const share::SecurityDescriptor& given, uint32_t parts,
                                            const share::Token& token) {
  auto wanted = share::changed(now, given, parts, token);
  if (!wanted) return fail(wanted.error());
  auto blob = encoded(*wanted);
  if (!blob) return fail(NtStatus::kInvalidParameter);
  return std::move(*blob);
}

Task<Outcome> query(Call call, OpenSlot slot, uint32_t parts, uint32_t output_length) {
  call.shape(Shape::kQueryInfo);
  Current now = co_await current(call, slot);
  if (now.status != NtStatus::kSuccess) co_return now.status;
  auto blob = encoded_part(*now.descriptor, parts);
  if (!blob) co_return NtStatus::kInternalError;
  if (blob->size() > output_length) co_return too_small(call, blob->size());
  co_return call.reply(wire::QueryInfoResponse{*blob});
}

Task<Outcome> set(Call call, OpenSlot slot, Descriptor given, uint32_t parts) {
  call.shape(Shape::kSetInfo);
  Current now = co_await current(call, slot);
  if (now.status != NtStatus::kSuccess) co_return now.status;
  auto token = token_of(call);
  if (!token) co_return token.error();
  auto blob = encoded_change(*now.descriptor, *given, parts, *token);
  if (!blob) co_return blob.error();
  Open* open = call.open(slot);
  if (open == nullptr) co_return NtStatus::kFileClosed;
  call.ledger().descriptors += 1;
  StoreResult done = co_await call.store(StoreWriteDescriptor{open->handle, *blob});
  if (!done.ok()) co_return share::status_of(done.error);
  co_return call.reply(wire::SetInfoResponse{});
}

}  // namespace

Step query_security(Call call, Open& open, const wire::QueryInfoRequest& request) {
  if (open.is_pipe()) return NtStatus::kNotSupported;
  uint32_t parts = request.additional_information;
  uint32_t needed = access_to_query(parts);
  if ((open.granted_access & needed) != needed) return NtStatus::kAccessDenied;
  return spawn(call, query(call, open.id, parts, request.output_buffer_length));
}

Step set_security(Call call, Open& open, const wire::SetInfoRequest& request) {
  uint32_t parts = request.additional_information;
  uint32_t needed = access_to_set(parts);
  if ((open.granted_access & needed) != needed) return NtStatus::kAccessDenied;
  if (parts & wire::kLabelSecurityInformation) return NtStatus::kNotSupported;  // none are kept
  auto given = share::SecurityDescriptor::parse(request.buffer);
  if (!given) return given.error();
  return spawn(call, set(call, open.id,
                         std::make_unique<share::SecurityDescriptor>(std::move(*given)), parts));
}

}  // namespace semblance::smb
