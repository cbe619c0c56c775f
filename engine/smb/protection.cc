#include "engine/smb/protection.h"

#include "engine/share/names.h"
#include "engine/wire/access_mask.h"

namespace semblance::smb {
namespace {

// Most descriptors are a few entries; only a larger one costs a second read.
constexpr size_t kUsualBytes = 2048;

}  // namespace

Result<share::Token> token_of(Call call) {
  const Session* session = call.session();
  if (session == nullptr) return fail(NtStatus::kUserSessionDeleted);
  const Config& config = call.engine().config;
  if (session->is_anonymous) return share::Token::anonymous();
  if (session->is_guest) return share::Token::guest(config.server_guid);
  return share::Token::user(config.server_guid, session->uid, session->user);
}

Task<Protection> read_protection(Call call, Protected object) {
  Protection protection;
  std::vector<uint8_t> blob(kUsualBytes);
  auto read = [&] {
    call.ledger().descriptors += 1;
    return call.store(StoreReadDescriptor{object.handle, object.share, object.path, blob});
  };
  StoreResult result = co_await read();
  if (result.error == StoreError::kTooLarge) {
    blob.resize(wire::kDescriptorBytesMax);
    result = co_await read();
  }
  protection.status = share::status_of(result.error);
  if (!result.ok()) co_return protection;
  auto parsed =
      wire::SecurityDescriptor::parse(Bytes(blob).first(std::get<StoreCount>(result.value).count));
  // What nobody understands protects all the same.
  protection.status = parsed ? NtStatus::kSuccess : NtStatus::kAccessDenied;
  if (parsed)
    protection.descriptor = std::make_unique<share::SecurityDescriptor>(std::move(*parsed));
  co_return protection;
}

Task<Protection> find_protection(Call call, Protected object) {
  call.ledger().descriptors += 1;
  StoreOperation ask = StoreStatPath{object.share, object.path, true};
  if (object.handle != StoreHandle::kNone) ask = StoreStat{object.handle};
  StoreResult stat = co_await call.store(ask);
  if (!stat.ok()) co_return Protection{share::status_of(stat.error), {}};
  if (!std::get<FileStat>(stat.value).has_descriptor) co_return Protection{NtStatus::kSuccess, {}};
  co_return co_await read_protection(call, object);
}

Task<Rights> rights_on(Call call, Protected object, uint32_t wanted) {
  Protection own = co_await read_protection(call, object);
  if (own.status != NtStatus::kSuccess) co_return Rights{own.status, 0};
  auto token = token_of(call);
  if (!token) co_return Rights{token.error(), 0};
  Rights rights{NtStatus::kSuccess, share::granted(*own.descriptor, *token)};
  uint32_t open = wanted & ~rights.granted & share::granted_by_parent(wire::kFileAllAccess);
  if (open == 0 || object.path.empty()) co_return rights;
  std::string parent(share::parent_path(object.path));
  Protection above = co_await find_protection(call, {StoreHandle::kNone, object.share, parent});
  if (above.status != NtStatus::kSuccess) co_return Rights{above.status, 0};
  uint32_t on_parent =
      above.descriptor ? share::granted(*above.descriptor, *token) : wire::kFileAllAccess;
  rights.granted |= share::granted_by_parent(on_parent);
  co_return rights;
}

NtStatus check_addition(const Protection& directory, FileKind kind, const share::Token& token) {
  if (directory.status != NtStatus::kSuccess) return directory.status;
  if (!directory.descriptor) return NtStatus::kSuccess;
  uint32_t needed = kind == FileKind::kDirectory ? wire::kFileAddSubdirectory : wire::kFileAddFile;
  return share::granted(*directory.descriptor, token) & needed ? NtStatus::kSuccess
                                                               : NtStatus::kAccessDenied;
}

std::optional<std::vector<uint8_t>> encoded(const share::SecurityDescriptor& descriptor) {
  size_t size = descriptor.size();
  if (size > wire::kDescriptorBytesMax) return std::nullopt;
  std::vector<uint8_t> blob(size);
  wire::Builder b(blob);
  descriptor.build(b);
  return blob;
}

}  // namespace semblance::smb
