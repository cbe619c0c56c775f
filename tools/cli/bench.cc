#include "tools/cli/bench.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>

#include "tools/bench/load.h"
#include "tools/bench/report.h"
#include "tools/bench/stage.h"

namespace semblance {
namespace {

using bench::Connection;
using bench::Failure;
using bench::Stage;
using bench::Work;

const std::map<std::string, wire::Dialect> kDialects = {{"2.0.2", wire::Dialect::kSmb202},
                                                        {"2.1", wire::Dialect::kSmb210},
                                                        {"3.0", wire::Dialect::kSmb300},
                                                        {"3.0.2", wire::Dialect::kSmb302},
                                                        {"3.1.1", wire::Dialect::kSmb311}};
constexpr uint32_t kListBytes = 65536;     // asked for at once, as most clients do
constexpr uint32_t kFillBytes = 64 << 10;  // of one WRITE that makes a file

std::string_view name_of(wire::Dialect dialect) {
  for (const auto& [name, known] : kDialects)
    if (known == dialect) return name;
  return "?";
}

int refuse(const std::string& what) {
  std::fprintf(stderr, "semblance: bench: %s\n", what.c_str());
  return 2;
}

bool moves_data(const std::string& mode) { return mode == "read" || mode == "write"; }

// HOST, HOST:PORT, [V6] or [V6]:PORT.
std::optional<std::pair<std::string, std::string>> split_address(const std::string& address) {
  std::string host = address, port = "445";
  if (address.starts_with('[')) {
    const size_t end = address.find(']');
    if (end == std::string::npos) return std::nullopt;
    host = address.substr(1, end - 1);
    if (end + 1 < address.size()) {
      if (address[end + 1] != ':') return std::nullopt;
      port = address.substr(end + 2);
    }
  } else if (const size_t colon = address.rfind(':'); colon != std::string::npos) {
    host = address.substr(0, colon);
    port = address.substr(colon + 1);
  }
  const bool number = !port.empty() && port.size() <= 5 &&
                      port.find_first_not_of("0123456789") == std::string::npos &&
                      std::stoi(port) <= 65535 && std::stoi(port) > 0;
  if (host.empty() || !number) return std::nullopt;
  return std::pair(host, port);
}

client::FileId open_or_fail(Connection& connection, const client::CreateArgs& args) {
  const auto opened = connection.sync().create(connection.tree(), args);
  if (!opened) throw Failure("opening: " + std::string(status_name(opened.error())));
  return opened->id;
}

// What one run needs, from its stage to its report.
class Run {
 public:
  Run(const BenchArguments& arguments, bench::Target target)
      : arguments_(arguments), target_(std::move(target)) {
    size_ = arguments.size.value_or(arguments.mode == "create" ? 1024 : 512);
    if (!moves_data(arguments.mode) && arguments.mode != "create") size_ = 0;
    // A listing is many requests already.
    depth_ = arguments.depth.value_or(arguments.mode == "ls" ? 1 : 32);
  }

  int go();

 private:
  void check_sizes(const Connection& connection) const;
  std::unique_ptr<Work> work_for(Connection& connection, size_t number, Stage& stage);
  client::FileId make_file(Connection& connection, const std::u16string& path);
  int report(const bench::Measured& measured, const Connection& first) const;

  const BenchArguments& arguments_;
  bench::Target target_;
  uint32_t size_;
  size_t depth_;
  std::vector<std::pair<Connection*, client::FileId>> opens_;  // to be closed before the stage goes
};

void Run::check_sizes(const Connection& connection) const {
  const uint32_t most =
      arguments_.mode == "read" ? connection.read_size_max() : connection.write_size_max();
  if (size_ > most)
    throw Failure("--size " + std::to_string(size_) + ": the server takes at most " +
                  std::to_string(most));
}

client::FileId Run::make_file(Connection& connection, const std::u16string& path) {
  const client::FileId file =
      open_or_fail(connection, {.name = path, .disposition = wire::CreateDisposition::kCreate});
  opens_.emplace_back(&connection, file);
  const std::vector<uint8_t> data(kFillBytes, 'f');
  const uint64_t end = uint64_t{arguments_.file_mb} << 20;
  for (uint64_t offset = 0; offset < end; offset += data.size()) {
    const auto wrote = connection.sync().write(connection.tree(), file, offset, data);
    if (!wrote) throw Failure("filling a file: " + std::string(status_name(wrote.error())));
  }
  return file;
}

std::unique_ptr<Work> Run::work_for(Connection& connection, size_t number, Stage& stage) {
  const std::string& mode = arguments_.mode;
  const std::u16string own = u"connection-" + bench::entry_name(number);
  if (moves_data(mode)) {
    const bench::Extent extent{
        .file = make_file(connection, stage.path(own)),
        .size = size_,
        .file_bytes = uint64_t{arguments_.file_mb} << 20,
        .order = arguments_.random ? bench::Order::kRandom : bench::Order::kSequential,
        .seed = number + 1};
    return mode == "read" ? bench::read_work(extent) : bench::write_work(extent);
  }
  if (mode == "echo") return bench::echo_work();
  if (mode == "create") {
    stage.make_directory(own);
    return bench::create_work(stage.path(own), size_);
  }
  if (number == 0) stage.make_entries(arguments_.entries);
  if (mode == "open") return bench::open_work(stage.directory(), arguments_.entries);
  if (mode == "stat") return bench::stat_work(stage.directory(), arguments_.entries);
  std::vector<client::FileId> directories;
  for (size_t i = 0; i < depth_; ++i) {
    directories.push_back(open_or_fail(connection, {.name = stage.directory(),
                                                    .access = wire::kFileGenericRead,
                                                    .disposition = wire::CreateDisposition::kOpen,
                                                    .options = wire::kFileDirectoryFile}));
    opens_.emplace_back(&connection, directories.back());
  }
  return bench::list_work(std::move(directories), arguments_.entries, kListBytes);
}

int Run::go() {
  // Connections go before the stage does: what they have open would keep it there.
  std::optional<Stage> stage;
  if (arguments_.mode != "echo") stage.emplace(target_);
  std::vector<std::unique_ptr<Connection>> connections;
  bench::Measured measured;
  {
    bench::Load load(std::max(size_, arguments_.mode == "ls" ? kListBytes : 0));
    for (size_t i = 0; i < arguments_.connections; ++i) {
      connections.push_back(std::make_unique<Connection>(target_));
      check_sizes(*connections.back());
    }
    for (size_t i = 0; i < connections.size(); ++i)
      load.add(*connections[i], work_for(*connections[i], i, *stage), depth_);
    measured = load.run({.warmup_s = arguments_.warmup_s,
                         .seconds = arguments_.seconds,
                         .server_pid = arguments_.server_pid,
                         .progress = arguments_.progress || ::isatty(STDERR_FILENO) != 0});
  }
  const int code = report(measured, *connections.front());
  for (const auto& [connection, file] : opens_) {
    const auto closed = connection->sync().close(connection->tree(), file);
    if (!closed) throw Failure("closing: " + std::string(status_name(closed.error())));
  }
  if (stage) stage->clear();
  return code;
}

int Run::report(const bench::Measured& measured, const Connection& first) const {
  const bench::Setting setting{.mode = arguments_.mode,
                               .address = arguments_.address,
                               .share = arguments_.share,
                               .dialect = std::string(name_of(first.client().dialect())),
                               .size = size_,
                               .depth = depth_,
                               .connections = arguments_.connections,
                               .random = arguments_.random && moves_data(arguments_.mode),
                               .sign = first.signs(),
                               .seal = first.seals()};
  std::fputs(bench::table_of(setting, measured).c_str(), stdout);
  if (!arguments_.json.empty()) {
    std::ofstream file(arguments_.json);
    file << bench::json_of(setting, measured) << std::flush;
    if (!file) throw Failure(arguments_.json + ": can't be written");
  }
  return measured.tally.failed + measured.failed_outside == 0 ? 0 : 1;
}

}  // namespace

void add_bench_options(CLI::App& bench, BenchArguments& a) {
  bench.add_option("ADDR", a.address, "HOST[:PORT] of the server; port 445 when none is said")
      ->required();
  bench.add_option("--mode", a.mode, "what an operation is")
      ->check(CLI::IsMember({"read", "write", "stat", "open", "create", "ls", "echo"}))
      ->capture_default_str();
  bench.add_option("--share", a.share, "the share's name")->capture_default_str();
  bench.add_option("--user", a.user, "NAME:PASSWORD; anonymous when missing");
  bench.add_option("--size", a.size, "bytes of a read or write (512), of a created file (1024)")
      ->check(CLI::Range(1, 8 << 20));
  bench.add_option("--depth", a.depth, "operations of a connection at once (32; ls: 1)")
      ->check(CLI::Range(1, 1024));
  bench.add_option("--connections", a.connections, "connections, each with a file of its own")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  bench.add_flag("--random", a.random, "random offsets instead of one after the other");
  bench.add_option("--file-mb", a.file_mb, "size of each file that is read or written")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  bench.add_option("--entries", a.entries, "files of the directory for open, stat and ls")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  bench.add_flag("--sign", a.sign, "sign, and check signatures");
  bench.add_flag("--seal", a.seal, "encrypt");
  bench.add_option("--dialect", a.dialect, "the newest that is offered")
      ->check(CLI::IsMember(kDialects))
      ->capture_default_str();
  bench.add_option("--warmup", a.warmup_s, "seconds before measuring")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  bench.add_option("--seconds", a.seconds, "seconds to measure")
      ->check(CLI::Range(0.01, 86400.0))
      ->capture_default_str();
  bench.add_option("--server-pid", a.server_pid, "measure this process's CPU time, with children")
      ->check(CLI::PositiveNumber);
  bench.add_option("--json", a.json, "write the result to this file, too");
  bench.add_flag("--progress", a.progress, "a line a second on standard error, terminal or not");
}

int run_bench(const BenchArguments& arguments) {
  const auto address = split_address(arguments.address);
  if (!address) return refuse("ADDR must be HOST[:PORT], not \"" + arguments.address + "\"");
  if (uint64_t{arguments.file_mb} << 20 < arguments.size.value_or(0) && moves_data(arguments.mode))
    return refuse("--size is larger than --file-mb");
  if (arguments.server_pid != 0 && !bench::cpu_of_tree(arguments.server_pid))
    return refuse("--server-pid: no process " + std::to_string(arguments.server_pid));
  bench::Target target{.host = address->first,
                       .port = address->second,
                       .share = arguments.share,
                       .dialect_max = kDialects.at(arguments.dialect),
                       .sign = arguments.sign,
                       .seal = arguments.seal};
  if (!arguments.user.empty()) {
    const size_t colon = arguments.user.find(':');
    if (colon == std::string::npos || colon == 0) return refuse("--user must be NAME:PASSWORD");
    target.user = arguments.user.substr(0, colon);
    target.password = arguments.user.substr(colon + 1);
  }
  // The descriptors that were allowed are few for many connections; more are there to be had.
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &descriptors);
  std::signal(SIGINT, [](int) { bench::Load::interrupt(); });
  std::signal(SIGTERM, [](int) { bench::Load::interrupt(); });
  try {
    return Run(arguments, std::move(target)).go();
  } catch (const Failure& failure) {
    std::fprintf(stderr, "semblance: bench: %s\n", failure.what());
    return 1;
  }
}

}  // namespace semblance
