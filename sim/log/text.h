#pragma once
// Events and effects as one line each, for people:
//
//   RunStore{operation{index=3 generation=9} what=read{handle=5 offset=0 into=[512 bytes]}}
//
// Long or binary bytes show as their size and 32 bits of their hash. Secrets do not show.

#include <string>

#include "engine/engine.h"

namespace semblance::log {

std::string text_of(const Event& event);
std::string text_of(const Effect& effect);

}  // namespace semblance::log
