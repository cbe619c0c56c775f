#include "engine/base/check.h"
#include "engine/engine.h"

namespace semblance {

void EffectQueue::push(Effect effect) {
  CHECK(effects_.size() < effects_.capacity());
  effects_.push_back(effect);
}

}  // namespace semblance
