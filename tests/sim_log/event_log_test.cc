// The event log and its replay: nothing is lost on the way to the file and back, a run of the
// engine comes out the same again, and whatever is different in it is found and told.

#include "sim/log/event_log.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sim/log/archive.h"
#include "sim/log/replayer.h"
#include "sim/log/text.h"
#include "sim/log/trace_hash.h"
#include "tests/engine/harness/world.h"
#include "tests/sim_log/samples.h"

namespace semblance::log {
namespace {

Hash128 digest_of(const Event& event) {
  TraceHash hash;
  hash.event({1}, event);
  return hash.digest();
}
Hash128 digest_of(const Effect& effect) {
  TraceHash hash;
  hash.effect(effect);
  return hash.digest();
}

template <class Sample>
void expect_round_trip(const std::vector<Sample>& samples) {
  std::stringstream stream;
  {
    ArchiveWriter archive(stream);
    for (const Sample& sample : samples) archive("sample", sample);
  }
  ArchiveMemory memory;
  ArchiveReader archive(stream, memory);
  for (const Sample& sample : samples) {
    Sample copy;
    archive("sample", copy);
    EXPECT_EQ(digest_of(sample), digest_of(copy)) << text_of(sample) << "\n" << text_of(copy);
    EXPECT_EQ(text_of(sample), text_of(copy));
  }
  EXPECT_EQ(stream.peek(), std::stringstream::traits_type::eof());
}

TEST(Archive, EveryEventComesBack) {
  Arena arena;
  expect_round_trip(sample_events(arena));
}

TEST(Archive, EveryEffectComesBack) {
  Arena arena;
  expect_round_trip(sample_effects(arena));
}

TEST(Archive, EndingEarlyThrowsWhereverItEnds) {
  Arena arena;
  for (const Event& sample : sample_events(arena)) {
    std::stringstream stream;
    ArchiveWriter writer(stream);
    writer("sample", sample);
    const std::string whole = stream.str();
    for (size_t size = 1; size < whole.size(); size++) {
      std::stringstream part(whole.substr(0, size));
      ArchiveMemory memory;
      ArchiveReader archive(part, memory);
      Event copy;
      EXPECT_THROW(archive("sample", copy), cereal::Exception) << text_of(sample);
    }
  }
}

TEST(Text, NoSecretShows) {
  AccountFound found{{1, 2}, AccountState::kActive, {1, 2, 3}, 4};
  EXPECT_EQ(text_of(Event(found)),
            "AccountFound{operation{index=1 generation=2} state=1 nt_hash=secret uid=4}");
}

// ---- A recorded run -----------------------------------------------------------------------------

class Recorder : public StepObserver {
 public:
  void before_step(const Engine& engine, Instant now, std::span<const Event> events) override {
    writer_.before_step(engine, now, events);
  }
  void after_step(std::span<const Effect> effects) override { writer_.after_step(effects); }
  std::string log() const { return out_.str(); }

 private:
  std::ostringstream out_;
  EventLogWriter writer_{out_, Limits{}, "a test"};
};

ReplayReport replay_text(const std::string& log) {
  std::istringstream in(log);
  return replay(in);
}

// A file written, read, listed and renamed; split deliveries, operations that end late, in another
// order and twice, and a connection that goes away in the middle of it all.
std::string recorded_run() {
  Recorder recorder;
  test::WorldOptions options;
  options.observer = &recorder;
  test::World world(options);
  test::Peer& anna = world.add_peer();
  test::Tree tree = anna.connect();
  const test::FileId file = anna.file(tree, u"file", "what is in it");
  EXPECT_TRUE(anna.sync().read(tree, file, 0, 100).ok());
  const std::vector<uint8_t> large(200'000, 7);
  EXPECT_TRUE(anna.sync().write(tree, file, 0, large).has_value());
  EXPECT_TRUE(anna.sync().read(tree, file, 5, 150'000).ok());
  const test::FileId root = anna.directory(tree, u"dir");
  EXPECT_TRUE(anna.sync().close(tree, root).has_value());

  test::Peer& bert = world.add_peer();
  test::Tree other = bert.connect();
  const test::FileId theirs = bert.file(other, u"theirs", "x");
  world.hold_all();
  for (int i = 0; i < 3; i++) {
    bert.client().send(on(other, client::read_request(theirs, 0, 50)));
    bert.client().send(on(other, client::write_request(theirs, 3, as_bytes("held"))));
  }
  while (world.deliver(bert, 37)) world.run();
  world.complete(2, 2);
  world.complete(0);
  world.disconnect(bert);
  world.complete_all();
  world.hold_nothing();
  world.advance(Duration::seconds(2));
  EXPECT_TRUE(anna.sync().close(tree, file).has_value());
  world.settle();
  return recorder.log();
}

TEST(Replay, ARunComesOutTheSame) {
  const ReplayReport report = replay_text(recorded_run());
  EXPECT_EQ(report.outcome, ReplayOutcome::kAgrees) << report.account;
  EXPECT_EQ(report.account, "");
  EXPECT_EQ(report.build, "a test");
  EXPECT_GT(report.steps, 50u);
  EXPECT_GT(report.effects, 50u);
  // Written and read, received and sent.
  EXPECT_GT(report.bytes, 200'000u + 2 * 150'000u);
}

struct LoggedRecord {
  std::string head;
  std::vector<uint8_t> tail;
  RecordKind kind() const { return static_cast<RecordKind>(head[1]); }  // behind cereal's own byte
};

std::vector<LoggedRecord> records_of(const std::string& log) {
  std::istringstream in(log);
  RecordReader reader(in);
  EXPECT_TRUE(reader.read_magic());
  std::vector<LoggedRecord> records;
  while (reader.next() == RecordReader::Status::kRecord)
    records.push_back({std::string(reader.head()), {reader.tail().begin(), reader.tail().end()}});
  return records;
}

std::string log_of(const std::vector<LoggedRecord>& records) {
  std::ostringstream out;
  RecordWriter writer(out);
  for (const LoggedRecord& record : records) writer.write(record.head, record.tail);
  return out.str();
}

// Checksums are right and the content is another: only the engine's own answers tell.
TEST(Replay, OtherBytesReceivedOrReadAreFound) {
  const std::vector<LoggedRecord> records = records_of(recorded_run());
  size_t found = 0, changed = 0;
  for (size_t i = 0; i < records.size(); i++) {
    if (records[i].tail.empty()) continue;
    std::vector<LoggedRecord> other = records;
    other[i].tail[other[i].tail.size() / 2] ^= 1;
    changed++;
    const ReplayReport report = replay_text(log_of(other));
    EXPECT_NE(report.outcome, ReplayOutcome::kUnreadable) << report.account;
    if (report.outcome != ReplayOutcome::kDiffers) continue;
    found++;
    EXPECT_NE(report.account.find("step "), std::string::npos) << report.account;
    EXPECT_NE(report.account.find("differs"), std::string::npos) << report.account;
  }
  // All but those of fields that nobody looks at.
  EXPECT_GT(changed, 20u);
  EXPECT_GT(found, changed * 4 / 5);
}

TEST(Replay, OtherEffectsAreFoundWhereTheyAre) {
  const std::vector<LoggedRecord> records = records_of(recorded_run());
  size_t step = 0;
  for (size_t i = 0; i < records.size(); i++) {
    if (records[i].kind() == RecordKind::kStep) step++;
    // Steps with an effect at least: the hash of the last one stands at the end.
    if (records[i].kind() != RecordKind::kEffects || records[i].head.size() < 27) continue;
    std::vector<LoggedRecord> other = records;
    other[i].head.back() ^= 1;
    const ReplayReport report = replay_text(log_of(other));
    EXPECT_EQ(report.outcome, ReplayOutcome::kDiffers);
    EXPECT_EQ(report.steps, step);
    EXPECT_NE(report.account.find("step " + std::to_string(step) + " "), std::string::npos)
        << report.account;
    EXPECT_NE(report.account.find("  recorded: "), std::string::npos) << report.account;
  }
  EXPECT_GT(step, 50u);
}

TEST(Replay, AMissingEventIsFoundOrUnreadable) {
  const std::vector<LoggedRecord> records = records_of(recorded_run());
  for (size_t i = 1; i < records.size(); i += 7) {
    std::vector<LoggedRecord> other = records;
    other.erase(other.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_NE(replay_text(log_of(other)).outcome, ReplayOutcome::kAgrees) << i;
  }
}

TEST(Replay, AnotherVersionIsRefused) {
  std::vector<LoggedRecord> records = records_of(recorded_run());
  records[0].head[2] ^= 0x40;
  const ReplayReport report = replay_text(log_of(records));
  EXPECT_EQ(report.outcome, ReplayOutcome::kUnreadable);
  EXPECT_NE(report.account.find("version"), std::string::npos) << report.account;
}

}  // namespace
}  // namespace semblance::log
