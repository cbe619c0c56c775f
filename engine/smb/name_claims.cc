#include "engine/smb/name_claims.h"

#include <utility>

#include "engine/share/names.h"
#include "engine/smb/marks.h"

namespace semblance::smb {

namespace {

void wait_no_more(EngineState& e, Request& r) {
  if (std::exchange(r.waits_for_claim, false)) --e.claim_waiters;
}

void wake_all(EngineState& e) {
  if (e.claim_waiters == 0) return;
  e.requests.for_each([&](RequestId id, Request& other) {
    if (!other.waits_for_claim) return;
    wait_no_more(e, other);
    wake(e, id, Wake::kReady);
  });
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

bool enter_paths(Call call) {
  EngineState& e = call.engine();
  if (e.path_owner) return false;
  if (!std::exchange(call.request().on_paths, true)) ++e.on_paths;
  return true;
}

bool claim_paths(Call call) {
  EngineState& e = call.engine();
  if (!e.path_owner) e.path_owner = call.id();
  return e.path_owner == call.id() && e.on_paths == 0;
}

void release_name(Call call) {
  EngineState& e = call.engine();
  Request& r = call.request();
  if (r.claimed_name.empty()) return;
  e.claimed_names.erase(r.claimed_name);
  r.claimed_name.clear();
  wake_all(e);
}

void release_claims(Call call) {
  EngineState& e = call.engine();
  Request& r = call.request();
  wait_no_more(e, r);
  release_name(call);
  bool entered = std::exchange(r.on_paths, false);
  bool owned = e.path_owner == r.id;
  if (entered) --e.on_paths;
  if (owned) e.path_owner = {};
  if (entered || owned) wake_all(e);
}

Call::WaitAwaiter claims_released(Call call) {
  SOMETIMES(call.engine(), kClaimWaits);
  if (!std::exchange(call.request().waits_for_claim, true)) ++call.engine().claim_waiters;
  return call.wait({});
}

}  // namespace semblance::smb
