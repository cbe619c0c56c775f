#include "tools/daemon/recording.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tools/commit.h"

namespace semblance {

std::expected<std::unique_ptr<Recording>, std::string> Recording::open(const std::string& path,
                                                                       const Limits& limits) {
  struct stat there;
  if (::lstat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode) && there.st_size > 0 &&
      std::rename(path.c_str(), (path + ".old").c_str()) != 0)
    return std::unexpected(path + ": can't be renamed: " + std::strerror(errno));
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  // An empty file that was there may have been anybody's to read.
  if (!fd ||
      (::fstat(fd.get(), &there) == 0 && S_ISREG(there.st_mode) && ::fchmod(fd.get(), 0600) != 0))
    return std::unexpected(path + ": " + std::strerror(errno));
  return std::unique_ptr<Recording>(new Recording(path, std::move(fd), limits));
}

Recording::Recording(const std::string& path, UniqueFd fd, const Limits& limits)
    : path_(path),
      buffer_(std::move(fd)),
      stream_(&buffer_),
      log_(stream_, limits, build_commit()) {}

Recording::~Recording() { flush(); }

void Recording::before_step(const Engine& engine, Instant now, std::span<const Event> events) {
  if (!failed_) log_.before_step(engine, now, events);
}

void Recording::after_step(std::span<const Effect> effects) {
  if (failed_) return;
  log_.after_step(effects);
  tell_if_failed();
}

void Recording::flush() {
  if (failed_) return;
  log_.flush();
  tell_if_failed();
}

// A full disk ends the recording, never the service.
void Recording::tell_if_failed() {
  if (log_.ok()) return;
  failed_ = true;
  spdlog::error("recording to {} ends here: {}", path_, std::strerror(errno));
}

}  // namespace semblance
