#include "sim/log/replayer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <spanstream>
#include <vector>

#include "engine/engine.h"
#include "sim/log/archive.h"
#include "sim/log/effects_digest.h"
#include "sim/log/event_log.h"
#include "sim/log/read_targets.h"
#include "sim/log/record_file.h"
#include "sim/log/replay_buffers.h"
#include "sim/log/text.h"

namespace semblance::log {
namespace {

// Ends the replay: what is wrong with the log, or where the engine did otherwise.
struct Stop {
  ReplayOutcome outcome;
  std::string account;
};

class Replayer {
 public:
  Replayer(std::istream& in, std::ostream* trace) : records_(in), trace_(trace) {}

  ReplayReport run() {
    try {
      read_header();
      report_.outcome = ReplayOutcome::kAgrees;
      while (read_step()) {
        engine_->step(now_, events_, effects_);
        after_step();
      }
    } catch (const Stop& stop) {
      report_.outcome = stop.outcome;
      report_.account = stop.account;
    } catch (const cereal::Exception& wrong) {
      report_.outcome = ReplayOutcome::kUnreadable;
      report_.account = "the record at byte " + std::to_string(records_.offset()) +
                        " can't be understood: " + wrong.what() + "\n";
    }
    return std::move(report_);
  }

 private:
  // ---- Reading ----

  // False at the end of the log, or where it is cut off.
  bool next(RecordKind expected) {
    switch (records_.next()) {
      case RecordReader::Status::kEnd:
        return false;
      case RecordReader::Status::kCut:
        report_.account = "the log is cut off within the record at byte " +
                          std::to_string(records_.offset()) + "; replayed up to there\n";
        return false;
      case RecordReader::Status::kDamaged:
        throw Stop{ReplayOutcome::kUnreadable, "the record at byte " +
                                                   std::to_string(records_.offset()) +
                                                   " is damaged" + after_steps() + "\n"};
      case RecordReader::Status::kRecord:
        break;
    }
    head_.emplace(std::span<const char>(records_.head()));
    archive_.emplace(*head_, memory_);
    RecordKind kind{};
    (*archive_)("kind", kind);
    if (kind != expected)
      throw Stop{ReplayOutcome::kUnreadable, "the record at byte " +
                                                 std::to_string(records_.offset()) +
                                                 " is not what follows" + after_steps() + "\n"};
    return true;
  }

  void read_header() {
    if (!records_.read_magic()) throw Stop{ReplayOutcome::kUnreadable, "this is no event log\n"};
    if (!next(RecordKind::kHeader))
      throw Stop{ReplayOutcome::kUnreadable, "the log is cut off in its header\n"};
    uint32_t version = 0;
    (*archive_)("version", version);
    if (version != kLogVersion)
      throw Stop{ReplayOutcome::kUnreadable, "the log has version " + std::to_string(version) +
                                                 ", this build reads " +
                                                 std::to_string(kLogVersion) + "\n"};
    Limits limits;
    (*archive_)("build", report_.build);
    (*archive_)("limits", limits);
    engine_ = std::make_unique<Engine>(limits);
  }

  // False at the end; a step whose events are not all there does not count.
  bool read_step() {
    memory_.clear();
    events_.clear();
    sent_.clear();
    if (!next(RecordKind::kStep)) return false;
    uint32_t count = 0;
    (*archive_)("now", now_);
    (*archive_)("events", count);
    if (report_.steps == 0) began_ = now_;
    report_.steps++;
    if (count > Engine::kEventsPerStep)
      throw Stop{ReplayOutcome::kUnreadable, "step " + std::to_string(report_.steps) + " has " +
                                                 std::to_string(count) + " events\n"};
    for (uint32_t i = 0; i < count; i++)
      if (!next(RecordKind::kEvent)) {
        report_.steps--;
        return false;
      } else {
        read_event();
      }
    report_.events += count;
    if (trace_ != nullptr) {
      *trace_ << step_line() << "\n";
      for (const Event& event : events_) *trace_ << "  < " << text_of(event) << "\n";
      trace_->flush();
    }
    return true;
  }

  void read_event() {
    Event& event = events_.emplace_back();
    (*archive_)("event", event);
    const Bytes tail = records_.tail();
    if (auto* received = std::get_if<BytesReceived>(&event)) {
      uint64_t kept = 0;
      (*archive_)("kept", kept);
      const auto bytes = buffers_.deliver(received->connection, received->buffer, kept, tail);
      if (!bytes) throw difference("the connection has consumed more than in the recording");
      received->bytes = *bytes;
    } else if (const auto* done = std::get_if<StoreDone>(&event)) {
      const MutableBytes into = reads_.take(*done);
      if (tail.size() > into.size())
        throw difference("no read under way has room for " + std::to_string(tail.size()) +
                         " bytes");
      std::ranges::copy(tail, into.data());
    } else if (const auto* sent = std::get_if<BytesSent>(&event)) {
      check_sent(*sent);
    } else if (const auto* closed = std::get_if<ConnectionClosed>(&event)) {
      closed_.push_back(closed->connection);
    }
    report_.bytes += tail.size();
  }

  void check_sent(const BytesSent& sent) {
    Hash128 recorded;
    (*archive_)("low", recorded[0]);
    (*archive_)("high", recorded[1]);
    size_t before = 0;
    for (const BytesSent& other : sent_)
      if (other.connection == sent.connection) before += other.bytes;
    sent_.push_back(sent);
    report_.bytes += sent.bytes;
    const Hash128 now = hash_of_sent(*engine_, sent.connection, before, sent.bytes);
    if (now != recorded)
      throw difference("what was sent differs: recorded " + hex(recorded) + ", now " + hex(now));
  }

  // ---- Comparing ----

  void after_step() {
    const std::span<const Effect> effects = effects_.all();
    if (trace_ != nullptr) {
      for (const Effect& effect : effects) *trace_ << "  > " << text_of(effect) << "\n";
      trace_->flush();
    }
    report_.effects += effects.size();
    if (next(RecordKind::kEffects)) {
      compare(effects);
    } else {
      report_.account += "the effects of step " + std::to_string(report_.steps) +
                         ", the last one, are not recorded\n";
    }
    for (const Effect& effect : effects) {
      if (const auto* run = std::get_if<RunStore>(&effect)) reads_.note(*run);
      if (const auto* progress = std::get_if<ReceiveProgress>(&effect))
        buffers_.progress(*progress);
      if (const auto* release = std::get_if<ReleaseBuffer>(&effect)) buffers_.release(*release);
    }
    for (const ConnectionId connection : closed_) buffers_.closed(connection);
    closed_.clear();
    effects_.clear();
  }

  void compare(std::span<const Effect> effects) {
    EffectsDigest recorded;
    uint32_t count = 0;
    (*archive_)("low", recorded.hash[0]);
    (*archive_)("high", recorded.hash[1]);
    (*archive_)("effects", count);
    if (count > Engine::effects_capacity())
      throw Stop{ReplayOutcome::kUnreadable, "step " + std::to_string(report_.steps) + " has " +
                                                 std::to_string(count) + " effects\n"};
    recorded.marks.resize(count);
    for (EffectMark& mark : recorded.marks) {
      (*archive_)("kind", mark.kind);
      (*archive_)("hash", mark.hash);
    }
    const EffectsDigest now = digest_of(effects);
    if (now == recorded) return;
    const auto [old_at, new_at] = std::ranges::mismatch(recorded.marks, now.marks);
    const auto at = static_cast<size_t>(new_at - now.marks.begin());
    std::string account = "effect " + std::to_string(at + 1) + " differs (" +
                          std::to_string(count) + " recorded, " + std::to_string(effects.size()) +
                          " now)\n";
    account += "  recorded: " +
               (old_at == recorded.marks.end() ? std::string("no more") : mark_text(*old_at)) +
               "\n  now:      " +
               (new_at == now.marks.end() ? std::string("no more")
                                          : mark_text(*new_at) + "  " + text_of(effects[at])) +
               "\nthe step's effects now";
    for (const Effect& effect : effects) account += "\n  > " + text_of(effect);
    throw difference(account);
  }

  Stop difference(const std::string& what) const {
    std::string account = step_line() + ": " + what + "\nthe step's events";
    if (events_.size() > 1) account += " (as far as read)";
    for (size_t i = 0; i < events_.size(); i++)
      account += "\n  " + std::to_string(i + 1) + " < " + text_of(events_[i]);
    return {ReplayOutcome::kDiffers, account + "\n"};
  }

  std::string step_line() const {
    char line[64];
    std::snprintf(line, sizeof line, "step %llu at +%.6f s",
                  static_cast<unsigned long long>(report_.steps),
                  static_cast<double>((now_ - began_).ns) / 1e9);
    return line;
  }
  std::string after_steps() const { return ", after " + std::to_string(report_.steps) + " steps"; }
  static std::string mark_text(const EffectMark& mark) {
    char text[48];
    std::snprintf(text, sizeof text, "%s %08x",
                  mark.kind < std::size(kEffectNames) ? kEffectNames[mark.kind] : "unknown",
                  mark.hash);
    return text;
  }
  static std::string hex(const Hash128& hash) {
    char text[40];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash[1]),
                  static_cast<unsigned long long>(hash[0]));
    return text;
  }

  RecordReader records_;
  std::ostream* trace_;
  ReplayReport report_;
  ArchiveMemory memory_;  // what the step's events point to
  std::optional<std::ispanstream> head_;
  std::optional<ArchiveReader> archive_;

  std::unique_ptr<Engine> engine_;
  EffectQueue effects_{Engine::effects_capacity()};
  Instant began_, now_;
  std::vector<Event> events_;
  std::vector<BytesSent> sent_;       // in this step
  std::vector<ConnectionId> closed_;  // in this step
  ReadTargets reads_;
  ReplayBuffers buffers_;
};

}  // namespace

ReplayReport replay(std::istream& log, std::ostream* trace) { return Replayer(log, trace).run(); }

}  // namespace semblance::log
