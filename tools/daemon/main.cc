// semblanced: options, store, loop and engine put together, and the signals that end or reload it.

#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "engine/engine.h"
#include "engine/smb/report.h"
#include "io/accounts.h"
#include "io/loop/loop.h"
#include "io/store/posix_store.h"
#include "tools/daemon/identity.h"
#include "tools/daemon/metrics.h"
#include "tools/daemon/options.h"
#include "tools/daemon/recording.h"

namespace semblance {
namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "semblanced: %s\n", message.c_str());
  return 2;
}

// Every open file, connection and share needs a descriptor; the soft limit is often 1024.
void raise_descriptor_limit() {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Null when the driver that was asked for is not to be had; otherwise epoll is the way out.
std::unique_ptr<Backend> make_backend(Driver driver, uint32_t slots) {
  if (driver != Driver::kEpoll) {
    if (auto backend = make_uring_backend(slots)) return backend;
    const char* why = std::strerror(errno);
    if (driver == Driver::kUring) {
      fail(std::string("driver uring: the kernel refuses a ring: ") + why);
      return nullptr;
    }
    spdlog::info("the kernel refuses io_uring ({}); using epoll", why);
  }
  auto backend = make_epoll_backend(slots);
  if (!backend) fail(std::string("driver epoll: ") + std::strerror(errno));
  return backend;
}

Config config_of(const Options& options, const std::string& address) {
  const Identity identity = identity_of(address);
  Config config;
  config.server_name = identity.server_name;
  config.dns_name = identity.dns_name;
  config.server_guid = identity.guid;
  for (const ShareOption& share : options.shares) config.shares.push_back(share.config);
  config.signing = options.signing;
  config.encryption = options.encryption;
  config.dialect_min = options.dialect_min;
  config.dialect_max = options.dialect_max;
  config.limits = options.limits;
  return config;
}

bool report_bad_lines(const std::expected<std::vector<size_t>, std::string>& loaded,
                      const std::string& file) {
  if (!loaded) return false;
  for (const size_t line : *loaded) spdlog::warn("{}:{}: no account; skipped", file, line);
  return true;
}

// SIGHUP: accounts, and the options of shares that stay where they are. Whatever is wrong with the
// new configuration leaves the old one in force.
void reload(const std::vector<std::string>& arguments, const Options& started,
            AccountDatabase& accounts, Loop& loop, Config& config) {
  auto options = parse_options(arguments);
  if (!options) {
    spdlog::error("reload: {}", options.error().message);
    return;
  }
  AccountDatabase fresh(options->users, options->users_file);
  const auto loaded = fresh.reload();
  if (!report_bad_lines(loaded, options->users_file)) {
    spdlog::error("reload: {}", loaded.error());
    return;
  }
  accounts = std::move(fresh);
  const auto place = [](const ShareOption& share) { return share.config.name + "=" + share.path; };
  if (std::ranges::equal(options->shares, started.shares, {}, place, place)) {
    for (size_t i = 0; i < config.shares.size(); i++) config.shares[i] = options->shares[i].config;
    loop.configure(config);
  } else {
    spdlog::warn("reload: other shares or paths take effect after a restart");
  }
  spdlog::info("reloaded: {} accounts", accounts.size());
}

int serve(const std::vector<std::string>& arguments, const Options& options) {
  AccountDatabase accounts(options.users, options.users_file);
  const auto loaded = accounts.reload();
  if (!report_bad_lines(loaded, options.users_file)) return fail("users: " + loaded.error());

  // Blocked before any thread exists, so that only the descriptor ever sees them.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const UniqueFd signal_fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signal_fd) return fail(std::string("signalfd: ") + std::strerror(errno));

  raise_descriptor_limit();
  std::vector<std::string> roots;
  roots.reserve(options.shares.size());
  for (const ShareOption& share : options.shares) roots.push_back(share.path);
  auto store = PosixStore::open(roots, options.limits.opens);
  if (!store) return fail("share: " + store.error());
  std::vector<Listener> listeners;
  listeners.reserve(options.listen.size());
  for (const std::string& address : options.listen) {
    auto listener = open_listener(address);
    if (!listener) return fail("listen: " + listener.error());
    listeners.push_back(std::move(*listener));
  }
  std::unique_ptr<Recording> recording;
  if (!options.record.empty()) {
    auto opened = Recording::open(options.record, options.limits);
    if (!opened) return fail("record: " + opened.error());
    recording = std::move(*opened);
    spdlog::warn("recording to {}: it holds secrets", options.record);
  }
  MetricsServer metrics;
  if (!options.metrics.empty()) {
    const auto bound = metrics.start(options.metrics);
    if (!bound) return fail(bound.error());
    spdlog::info("metrics on http://{}/metrics", *bound);
  }
  auto backend = make_backend(options.driver, options.limits.connections);
  if (!backend) return 2;
  spdlog::info("driver {}", backend->name());

  Engine engine(options.limits);
  Loop loop(engine, **store, accounts, options.limits, std::move(backend));
  loop.observe(recording.get());
  Config config = config_of(options, options.listen.front());
  loop.configure(config);
  loop.watch(signal_fd.get(), [&] {
    signalfd_siginfo info;
    while (::read(signal_fd.get(), &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGHUP)
        reload(arguments, options, accounts, loop, config);
      else
        loop.drain();
    }
  });
  loop.on_quiet([&](const LoopCounters& counters) {
    if (!options.metrics.empty())
      metrics.publish(metrics_text(engine.report(), counters, (*store)->open_count()));
    if (recording) recording->flush();
  });
  for (Listener& listener : listeners) {
    const std::string address = listener.address;
    loop.listen(std::move(listener));
    std::printf("ready %s\n", address.c_str());
  }
  std::fflush(stdout);
  loop.run();
  spdlog::info("drained");
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const auto options = parse_options(arguments);
  if (!options) {
    if (options.error().code != 0) return fail(options.error().message);
    std::printf("%s", options.error().message.c_str());
    return 0;
  }
  // Standard output belongs to the "ready" lines.
  spdlog::set_default_logger(spdlog::stderr_logger_st("semblanced"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  spdlog::set_level(spdlog::level::from_str(options->log_level));
  return serve(arguments, *options);
}

}  // namespace
}  // namespace semblance

int main(int argc, char** argv) {
  return semblance::run(std::vector<std::string>(argv + 1, argv + argc));
}
