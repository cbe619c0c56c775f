#pragma once
// The daemon's counters as Prometheus text, served over HTTP by a thread of its own.
//
// The engine's thread publishes a whole text now and then; the server's thread only ever hands out
// the last one, so neither waits for the other.

#include <atomic>
#include <expected>
#include <memory>
#include <string>

#include "engine/smb/report.h"
#include "io/loop/loop.h"

namespace semblance {

std::string metrics_text(const EngineReport& report, const LoopCounters& loop, size_t open_files);

class MetricsServer {
 public:
  MetricsServer();
  ~MetricsServer();

  // Listens on ADDR:PORT and starts the thread; the error is one line. Returns the address as
  // bound.
  std::expected<std::string, std::string> start(const std::string& address);
  void publish(std::string text);

 private:
  struct Server;
  std::atomic<std::shared_ptr<const std::string>> text_;
  std::unique_ptr<Server> server_;
};

}  // namespace semblance
