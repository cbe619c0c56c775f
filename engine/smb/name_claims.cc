#include "engine/smb/name_claims.h"

#include <utility>

#include "engine/share/names.h"
#include "engine/smb/marks.h"

namespace semblance::smb {

namespace {

void wait_no_more(EngineState& e, Request& r) {
  if (std::exchange(r.waits_for_name, false)) --e.name_waiters;
}

}  // namespace

bool claim_name(Call call, ShareId share, const std::string& path) {
  EngineState& e = call.engine();
  Request& r = call.request();
  release_name(call);
  std::u16string name(1, static_cast<char16_t>(share));
  name += share::folded(share::wire_path(path));
  if (!e.claimed_names.insert(name).second) return false;
  r.claimed_name = std::move(name);
  return true;
}

void release_name(Call call) {
  EngineState& e = call.engine();
  Request& r = call.request();
  wait_no_more(e, r);
  if (r.claimed_name.empty()) return;
  e.claimed_names.erase(r.claimed_name);
  r.claimed_name.clear();
  if (e.name_waiters == 0) return;
  e.requests.for_each([&](RequestId id, Request& other) {
    if (!other.waits_for_name) return;
    wait_no_more(e, other);
    wake(e, id, Wake::kReady);
  });
}

Call::WaitAwaiter name_released(Call call) {
  SOMETIMES(call.engine(), kNameWaits);
  if (!std::exchange(call.request().waits_for_name, true)) ++call.engine().name_waiters;
  return call.wait({});
}

}  // namespace semblance::smb
