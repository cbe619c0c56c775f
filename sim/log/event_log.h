#pragma once
// The event log: every step of an engine, in order, so that it can be replayed
// (sim/log/replayer.h).
//
// What is in it: the limits; per step the time, the events with all their bytes, and a hash of each
// effect. Bytes that a BytesReceived hands over again are not repeated; what a read put into its
// destination comes with its StoreDone; of what was sent, BytesSent holds a hash. So a log is about
// as large as what was received and read.
//
// A log is secret: it holds the accounts' NT hashes, every file's content that passed, and the
// random bytes that keys were made of.

#include <cstdint>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "sim/log/content_hash.h"
#include "sim/log/read_targets.h"
#include "sim/log/record_file.h"

namespace semblance::log {

// Raised with every change of the format or of sim/log/fields.h.
inline constexpr uint32_t kLogVersion = 1;

// The first byte of a record's head.
enum class RecordKind : uint8_t {
  kHeader = 1,  // version, build, limits
  kStep,        // time, number of events
  kEvent,       // the event; tail: its bytes
  kEffects,     // what came out of the step
};

// Of the first `bytes` that the engine has to send on a connection, after `skip`: what the driver
// has just sent and is going to report.
Hash128 hash_of_sent(const Engine& engine, ConnectionId connection, size_t skip, size_t bytes);

class EventLogWriter {
 public:
  // `build` says what recorded: a commit. `out` outlives the writer; it is flushed by flush() only.
  EventLogWriter(std::ostream& out, const Limits& limits, std::string_view build);

  // Around every Engine::step, with what is handed to it and what has come out of it; the effects
  // have not been carried out yet.
  void before_step(const Engine& engine, Instant now, std::span<const Event> events);
  void after_step(std::span<const Effect> effects);

  void flush() { records_.flush(); }
  // False once `out` has failed; what is written then is lost, replay goes as far as it was well.
  bool ok() const { return records_.ok(); }

 private:
  template <class Put>
  void record(RecordKind kind, Bytes tail, Put put);
  void write_event(const Engine& engine, const Event& event);
  // How many bytes in front of `event` were handed over before.
  size_t kept(const BytesReceived& event);
  void note_progress(const ReceiveProgress& progress);

  // What a connection's unconsumed bytes were when the engine was done with them.
  struct Received {
    uint32_t generation = 0;
    size_t delivered = 0, rest = 0;
  };
  struct Sent {
    ConnectionId connection;
    size_t bytes;
  };

  RecordWriter records_;
  std::ostringstream head_;
  ReadTargets reads_;
  std::vector<Received> received_;  // by ConnectionId::index
  std::vector<Sent> sent_;          // in this step
};

}  // namespace semblance::log
