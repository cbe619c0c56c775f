#include "engine/rpc/srvsvc.h"

#include <algorithm>
#include <optional>

#include "engine/base/upcase.h"
#include "engine/rpc/info.h"

namespace semblance::rpc {
namespace {

using wire::NdrReader;
using wire::NdrWriter;
using wire::dcerpc::Fault;

constexpr uint32_t kUnlimitedUses = 0xFFFFFFFF;
constexpr uint32_t kPlatformNt = 500;
constexpr uint32_t kVersionMajor = 10;
constexpr uint32_t kVersionMinor = 0;
// SV_TYPE_WORKSTATION, _SERVER, _NT, _SERVER_NT: MS-SRVS 2.2.2.7.
constexpr uint32_t kServerType = 0x00000001 | 0x00000002 | 0x00001000 | 0x00008000;
// Part of a reply stub that is not array: what surrounds the entries of an enumeration.
constexpr size_t kEnumOverhead = 64;

constexpr ShareView kIpcShare{
    .name = "IPC$", .comment = "Remote IPC", .type = ShareType::kIpcSpecial};

size_t count_with_ipc(const ServiceView& view) { return view.share_count() + 1; }
ShareView share_or_ipc(const ServiceView& view, size_t index) {
  return index < view.share_count() ? view.share(index) : kIpcShare;
}

// SHARE_INFO_*, MS-SRVS 2.2.4.22 and following. None: not a level of ours.
std::optional<Info> share_info(uint32_t level, const ShareView& share) {
  const std::u16string name = wide(share.name);
  const std::u16string comment = wide(share.comment);
  const uint32_t type = static_cast<uint32_t>(share.type);
  // Where a share lies on the server is nobody's business; clients want something with a drive.
  const std::u16string path = share.type == ShareType::kDisk ? u"C:\\" + name : std::u16string();
  switch (level) {
    case 0:
      return Info{name};
    case 1:
      return Info{name, type, comment};
    case 2:
      return Info{name, type,         comment, uint32_t{0}, kUnlimitedUses, share.current_uses,
                  path, NullPointer{}};
    case 501:
      return Info{name, type, comment, share.flags};
    case 502:  // the last two: size of the security descriptor, and the pointer to it
      return Info{
          name, type,          comment,     uint32_t{0},  kUnlimitedUses, share.current_uses,
          path, NullPointer{}, uint32_t{0}, NullPointer{}};
    case 1005:
      return Info{share.flags};
    default:
      return std::nullopt;
  }
}

// SERVER_INFO_*, MS-SRVS 2.2.4.40 and following.
std::optional<Info> server_info(uint32_t level, const ServiceView& view) {
  if (level < 100 || level > 102) return std::nullopt;
  Info info{kPlatformNt, wide(view.server_name())};
  if (level == 100) return info;
  info.insert(info.end(), {kVersionMajor, kVersionMinor, kServerType, wide(view.server_comment())});
  if (level == 101) return info;
  constexpr uint32_t kUsers = 0xFFFFFFFF, kDisconnect = 15, kVisible = 0, kAnnounce = 240,
                     kAnnounceDelta = 3000, kLicenses = 0;
  info.insert(info.end(), {kUsers, kDisconnect, kVisible, kAnnounce, kAnnounceDelta, kLicenses,
                           std::u16string(u"C:\\")});
  return info;
}

// Levels for which the unions of MS-SRVS have an arm. It is a pointer, sent as null with an error;
// a level without an arm has nothing to send.
bool is_enum_arm(uint32_t level) {
  constexpr uint32_t kArms[] = {0, 1, 2, 501, 502, 503};
  return std::ranges::find(kArms, level) != std::end(kArms);
}
bool is_share_arm(uint32_t level) {
  constexpr uint32_t kArms[] = {1004, 1005, 1006, 1501};
  return is_enum_arm(level) || std::ranges::find(kArms, level) != std::end(kArms);
}
bool is_server_arm(uint32_t level) { return level >= 100; }

void put_failed_union(NdrWriter& out, uint32_t level, bool is_arm) {
  out.u32(level);
  if (is_arm) out.null();
}

void put_status(NdrWriter& out, Werr status) { out.u32(static_cast<uint32_t>(status)); }

// MS-SRVS 3.1.4.8 "NetrShareEnum (Opnum 15)".
Fault share_enum(Bytes stub, const ServiceView& view, NdrWriter& out, size_t room) {
  NdrReader in(stub);
  in.unique_string();  // ServerName
  const uint32_t level = in.u32();
  const uint32_t discriminant = in.u32();
  if (level != discriminant) return Fault::kBadStubData;
  if (is_enum_arm(level) && in.pointer()) {
    in.u32();  // EntriesRead
    // A client that sends entries in an enumeration's empty container is not understood.
    if (in.pointer() && in.u32() != 0) return Fault::kBadStubData;
  }
  const uint32_t preferred_size = in.u32();
  const bool has_resume = in.pointer();
  const uint32_t resume = has_resume ? in.u32() : 0;
  if (!in.ok()) return Fault::kBadStubData;

  const bool supported = is_enum_arm(level) && level != 503;
  std::vector<Info> entries;
  uint32_t total = 0;
  uint32_t next = 0;  // position to resume at, among the shares that are not hidden
  size_t budget = std::min<size_t>(preferred_size, room > kEnumOverhead ? room - kEnumOverhead : 0);
  bool full = false;
  for (size_t i = 0; supported && i < count_with_ipc(view); ++i) {
    const ShareView share = share_or_ipc(view, i);
    if (share.hidden) continue;
    if (total++ < resume || full) continue;
    Info info = *share_info(level, share);
    const size_t size = info_size(info);
    // At least one goes out, so that a client with a tiny buffer gets on.
    full = size > budget && !entries.empty();
    if (full) continue;
    budget -= std::min(size, budget);
    entries.push_back(std::move(info));
    next = total;
  }

  out.u32(level);
  if (!supported) {
    put_failed_union(out, level, is_enum_arm(level));
  } else {
    out.u32(level);
    out.pointer();  // the container
    out.u32(static_cast<uint32_t>(entries.size()));
    if (entries.empty()) {
      out.null();
    } else {
      out.pointer();
      put_info_array(out, entries);
    }
  }
  out.u32(total - std::min(resume, total));  // counted from where this call began
  if (has_resume) {
    out.pointer();
    out.u32(full ? next : 0);
  } else {
    out.null();
  }
  put_status(out, !supported ? Werr::kInvalidLevel : full ? Werr::kMoreData : Werr::kOk);
  return Fault::kNone;
}

// MS-SRVS 3.1.4.10 "NetrShareGetInfo (Opnum 16)".
Fault share_get_info(Bytes stub, const ServiceView& view, NdrWriter& out) {
  NdrReader in(stub);
  in.unique_string();  // ServerName
  const std::u16string name = in.wide_string();
  const uint32_t level = in.u32();
  if (!in.ok()) return Fault::kBadStubData;

  Werr status = Werr::kNetNameNotFound;
  std::optional<Info> info;
  for (size_t i = 0; i < count_with_ipc(view); ++i) {
    const ShareView share = share_or_ipc(view, i);
    if (!equal_without_case(wide(share.name), name)) continue;
    info = share_info(level, share);
    status = info ? Werr::kOk : Werr::kInvalidLevel;
    break;
  }
  if (info) {
    put_info_union(out, level, *info);
  } else {
    put_failed_union(out, level, is_share_arm(level));
  }
  put_status(out, status);
  return Fault::kNone;
}

// MS-SRVS 3.1.4.17 "NetrServerGetInfo (Opnum 21)".
Fault server_get_info(Bytes stub, const ServiceView& view, NdrWriter& out) {
  NdrReader in(stub);
  in.unique_string();  // ServerName
  const uint32_t level = in.u32();
  if (!in.ok()) return Fault::kBadStubData;
  const auto info = server_info(level, view);
  if (info) {
    put_info_union(out, level, *info);
  } else {
    put_failed_union(out, level, is_server_arm(level));
  }
  put_status(out, info ? Werr::kOk : Werr::kInvalidLevel);
  return Fault::kNone;
}

}  // namespace

Fault call_srvsvc(uint16_t opnum, Bytes stub, const ServiceView& view, NdrWriter& out) {
  if (opnum == 15) return share_enum(stub, view, out, out.room());
  if (opnum == 16) return share_get_info(stub, view, out);
  if (opnum == 21) return server_get_info(stub, view, out);
  if (opnum >= 8 && opnum <= 22) return Fault::kAccessDenied;
  return Fault::kOperationRange;
}

}  // namespace semblance::rpc
