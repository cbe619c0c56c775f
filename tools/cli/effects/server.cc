#include "tools/cli/effects/server.h"

namespace semblance::effects {

bool is_plain_build() {
#if !defined(__OPTIMIZE__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
  return false;
#else
  return true;
#endif
}

Config small_config() {
  Config config;
  ShareConfig share;
  share.name = "data";
  config.shares = {share};
  config.bugs = BugPolicy::kAbort;
  return config;
}

void Server::measure(bool on) {
  if (on == measuring_) return;
  measuring_ = on;
  // What was counted before it began is taken away (modulo 2^64) and what is counted when it ends
  // added: the difference remains.
  const EngineReport counted = report();
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (on)
      requests_[i] -= counted.ledgers[i].requests;
    else
      requests_[i] += counted.ledgers[i].requests;
  }
}

}  // namespace semblance::effects
