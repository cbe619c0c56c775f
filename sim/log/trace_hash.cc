#include "sim/log/trace_hash.h"

#include "sim/log/fingerprint.h"

namespace semblance::log {
namespace {

// What a fingerprint in the stream is of.
enum class Entry : uint8_t { kEvent, kEffect, kSent };

}  // namespace

void TraceHash::event(Instant now, const Event& event) {
  Fingerprint print;
  print("entry", Entry::kEvent);
  print("now", now);
  print("event", event);
  if (const auto* done = std::get_if<StoreDone>(&event))
    print("read", Bytes(reads_.take_filled(*done)));
  hash_.add(print.all());
}

void TraceHash::effect(const Effect& effect) {
  Fingerprint print;
  print("entry", Entry::kEffect);
  print("effect", effect);
  hash_.add(print.all());
  if (const auto* run = std::get_if<RunStore>(&effect)) reads_.note(*run);
}

void TraceHash::sent(ConnectionId connection, Bytes bytes) {
  Fingerprint print;
  print("entry", Entry::kSent);
  print("connection", connection);
  print("bytes", bytes);
  hash_.add(print.all());
}

}  // namespace semblance::log
