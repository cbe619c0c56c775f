#include "engine/rpc/wkssvc.h"

#include <algorithm>
#include <optional>

#include "engine/rpc/info.h"

namespace semblance::rpc {
namespace {

using wire::dcerpc::Fault;

constexpr uint32_t kPlatformNt = 500;
constexpr uint32_t kVersionMajor = 10;
constexpr uint32_t kVersionMinor = 0;

// WKSTA_INFO_100, 101, 102: MS-WKST 2.2.5.1 and following.
std::optional<Info> wksta_info(uint32_t level, const ServiceView& view) {
  if (level < 100 || level > 102) return std::nullopt;
  Info info{kPlatformNt, wide(view.server_name()), wide(view.domain()), kVersionMajor,
            kVersionMinor};
  if (level >= 101) info.push_back(std::u16string());  // lanroot
  if (level >= 102) info.push_back(uint32_t{0});       // users logged on
  return info;
}

// Levels with an arm in WKSTA_INFO, MS-WKST 2.2.4.1.
bool is_arm(uint32_t level) {
  constexpr uint32_t kArms[] = {100, 101, 102, 502, 1013, 1018, 1046};
  return std::ranges::find(kArms, level) != std::end(kArms);
}

}  // namespace

Fault call_wkssvc(uint16_t opnum, Bytes stub, const ServiceView& view, wire::NdrWriter& out) {
  if (opnum >= 1 && opnum <= 4) return Fault::kAccessDenied;
  if (opnum != 0) return Fault::kOperationRange;
  wire::NdrReader in(stub);
  in.unique_string();  // ServerName
  const uint32_t level = in.u32();
  if (!in.ok()) return Fault::kBadStubData;
  const auto info = wksta_info(level, view);
  if (info) {
    put_info_union(out, level, *info);
  } else {
    out.u32(level);
    if (is_arm(level)) out.null();
  }
  out.u32(static_cast<uint32_t>(info ? Werr::kOk : Werr::kInvalidLevel));
  return Fault::kNone;
}

}  // namespace semblance::rpc
