#include "sim/log/event_log.h"

#include <algorithm>
#include <array>

#include "sim/log/archive.h"
#include "sim/log/effects_digest.h"

namespace semblance::log {

Hash128 hash_of_sent(const Engine& engine, ConnectionId connection, size_t skip, size_t bytes) {
  // Drivers send at most this many segments at a time, and report no more than that.
  std::array<Segment, 256> segments;
  const size_t count = engine.transmit(connection, segments);
  ContentHash hash;
  for (const Segment& segment : std::span(segments).first(count)) {
    const size_t from = std::min(skip, segment.size());
    const size_t take = std::min(bytes, segment.size() - from);
    hash.add(segment.subspan(from, take));
    skip -= from;
    bytes -= take;
  }
  return hash.digest();
}

EventLogWriter::EventLogWriter(std::ostream& out, const Limits& limits, std::string_view build)
    : records_(out), received_(limits.connections) {
  record(RecordKind::kHeader, {}, [&](ArchiveWriter& archive) {
    archive("version", kLogVersion);
    archive("build", build);
    archive("limits", limits);
  });
}

template <class Put>
void EventLogWriter::record(RecordKind kind, Bytes tail, Put put) {
  head_.str({});
  ArchiveWriter archive(head_);
  archive("kind", kind);
  put(archive);
  records_.write(head_.view(), tail);
}

void EventLogWriter::before_step(const Engine& engine, Instant now, std::span<const Event> events) {
  record(RecordKind::kStep, {}, [&](ArchiveWriter& archive) {
    archive("now", now);
    archive("events", static_cast<uint32_t>(events.size()));
  });
  sent_.clear();
  for (const Event& event : events) write_event(engine, event);
}

void EventLogWriter::write_event(const Engine& engine, const Event& event) {
  if (const auto* received = std::get_if<BytesReceived>(&event)) {
    const size_t again = kept(*received);
    record(RecordKind::kEvent, received->bytes.subspan(again), [&](ArchiveWriter& archive) {
      archive("event", Event(BytesReceived{received->connection, received->buffer, {}}));
      archive("kept", static_cast<uint64_t>(again));
    });
  } else if (const auto* done = std::get_if<StoreDone>(&event)) {
    record(RecordKind::kEvent, reads_.take_filled(*done),
           [&](ArchiveWriter& archive) { archive("event", event); });
  } else if (const auto* sent = std::get_if<BytesSent>(&event)) {
    size_t before = 0;
    for (const Sent& other : sent_)
      if (other.connection == sent->connection) before += other.bytes;
    sent_.push_back({sent->connection, sent->bytes});
    const Hash128 hash = hash_of_sent(engine, sent->connection, before, sent->bytes);
    record(RecordKind::kEvent, {}, [&](ArchiveWriter& archive) {
      archive("event", event);
      archive("low", hash[0]);
      archive("high", hash[1]);
    });
  } else {
    record(RecordKind::kEvent, {}, [&](ArchiveWriter& archive) { archive("event", event); });
  }
}

size_t EventLogWriter::kept(const BytesReceived& event) {
  const uint32_t index = event.connection.index;
  if (index >= received_.size()) return 0;  // no connection that the engine knows
  Received& received = received_[index];
  const bool same = received.generation == event.connection.generation;
  const size_t kept = same ? std::min(received.rest, event.bytes.size()) : 0;
  received = {event.connection.generation, event.bytes.size(), 0};
  return kept;
}

void EventLogWriter::after_step(std::span<const Effect> effects) {
  for (const Effect& effect : effects) {
    if (const auto* run = std::get_if<RunStore>(&effect)) reads_.note(*run);
    if (const auto* progress = std::get_if<ReceiveProgress>(&effect)) note_progress(*progress);
  }
  const EffectsDigest digest = digest_of(effects);
  record(RecordKind::kEffects, {}, [&](ArchiveWriter& archive) {
    archive("low", digest.hash[0]);
    archive("high", digest.hash[1]);
    archive("effects", static_cast<uint32_t>(digest.marks.size()));
    for (const EffectMark& mark : digest.marks) {
      archive("kind", mark.kind);
      archive("hash", mark.hash);
    }
  });
}

void EventLogWriter::note_progress(const ReceiveProgress& progress) {
  const uint32_t index = progress.connection.index;
  if (index >= received_.size()) return;
  Received& received = received_[index];
  if (received.generation != progress.connection.generation) return;
  received.rest = received.delivered - std::min<size_t>(received.delivered, progress.consumed);
}

}  // namespace semblance::log
