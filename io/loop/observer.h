#pragma once
// Who watches what passes between the loop and the engine: everything, in order. A recording of a
// run is made here.

#include <span>

#include "engine/engine.h"

namespace semblance {

class StepObserver {
 public:
  virtual ~StepObserver() = default;

  // What the engine is about to be told; it may decipher messages in place while it is. For every
  // BytesSent `engine` still yields what was sent.
  virtual void before_step(const Engine& engine, Instant now, std::span<const Event> events) = 0;
  // What came out of it, before any of it is carried out.
  virtual void after_step(std::span<const Effect> effects) = 0;
};

}  // namespace semblance
