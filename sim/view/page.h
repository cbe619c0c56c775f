#pragma once
// A run as one self-contained HTML page: what happened as data, and the script that draws it. The
// legend stands in SIMULATOR.md, "The page".
//
// The file is written as the run goes: the data first, a line of JSON for each thing that happened,
// flushed at once; what is only known at the end, and the script, come last. So a run that aborts
// in a child process leaves a page too, which its parent finishes.

#include <cstdio>
#include <memory>
#include <string>

#include "sim/world/observer.h"

namespace semblance::sim {

class JsonLine;

// What the page says about the run as a whole.
struct PageFacts {
  uint64_t seed = 0, requests = 0;
  std::string swarm;         // as Swarm::text() has it
  std::string shape;         // as RunResult has it
  std::string oracle, what;  // the failure; empty: every oracle held
  int64_t failed_at_ns = 0;  // 0: at the end
  std::string replay;        // the command line
};

class Page : public Observer {
 public:
  // Writes the beginning. `out` outlives the page.
  explicit Page(FILE* out);
  ~Page() override;
  // Writes the rest. Nothing may happen afterwards.
  void finish(const PageFacts& facts);

  void begins(const Scheduler& clock) override;
  void session(const SessionFacts& facts) override;
  void opened(ConnectionId id) override;
  void called(ConnectionId id, uint32_t client) override;
  void delivered(ConnectionId id, Bytes bytes) override;
  void transmitted(ConnectionId id, Bytes bytes) override;
  void hung_up(ConnectionId id) override;
  void closed(ConnectionId id) override;
  void honest(ConnectionId id) override;
  void started(OperationId id, const StoreOperation& what) override;
  void applied(OperationId id, const StoreOperation& what, const StoreResult& result,
               bool injected) override;
  void changed_outside() override;
  void event(Instant now, const Event& event) override;
  void effect(const Effect& effect) override;
  void stepped(const Engine& engine) override;
  void crashed(CrashKind kind) override;
  void restarted() override;

 private:
  class Reader;

  JsonLine line(std::string_view kind) const;
  void write(const JsonLine& line);
  void bar(std::string_view text);
  // A piece that brought no message to its end is seen on its own.
  template <typename Feed>
  void piece(std::string_view kind, ConnectionId id, Bytes bytes, Feed feed);

  FILE* out_;
  const Scheduler* clock_ = nullptr;
  std::unique_ptr<Reader> reader_;
  bool configured_ = false;  // by the life of the server that is going on
  int64_t wall_ahead_ = 0;   // of the monotonic clock, in ticks; 0: not told yet
};

}  // namespace semblance::sim
