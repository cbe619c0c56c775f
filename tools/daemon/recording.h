#pragma once
// --record: everything the engine is told goes into a file that `semblance replay` reads.

#include <expected>
#include <memory>
#include <ostream>
#include <string>

#include "engine/limits.h"
#include "io/loop/observer.h"
#include "sim/log/event_log.h"
#include "tools/daemon/file_buffer.h"

namespace semblance {

class Recording : public StepObserver {
 public:
  // Makes the file, readable by its owner alone: it will hold secrets (sim/log/event_log.h). A file
  // that is there becomes PATH.old, so that a restart does not destroy what led to it. The error is
  // one line.
  static std::expected<std::unique_ptr<Recording>, std::string> open(const std::string& path,
                                                                     const Limits& limits);
  ~Recording() override;

  void before_step(const Engine& engine, Instant now, std::span<const Event> events) override;
  void after_step(std::span<const Effect> effects) override;
  // What is recorded so far survives the end of the process.
  void flush();

 private:
  Recording(const std::string& path, UniqueFd fd, const Limits& limits);
  void tell_if_failed();

  std::string path_;
  FileBuffer buffer_;
  std::ostream stream_;
  log::EventLogWriter log_;
  bool failed_ = false;
};

}  // namespace semblance
