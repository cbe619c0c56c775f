#pragma once
// The measurement: one thread, one epoll, a lane for each connection.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tools/bench/connection.h"
#include "tools/bench/lane.h"
#include "tools/bench/process_cpu.h"

namespace semblance::bench {

struct Plan {
  double warmup_s = 1, seconds = 5;
  pid_t server_pid = 0;   // 0: its processor time is not measured
  bool progress = false;  // a line a second on standard error
};

struct Measured {
  Tally tally;                  // of what ended between warm-up and the end
  uint64_t failed_outside = 0;  // during the warm-up, and of what was at work at the end
  double seconds = 0;
  std::optional<CpuTime> server_cpu;
  CpuTime client_cpu;
  size_t depth_reached = 0;  // the least of all lanes
};

class Load {
 public:
  // `reply_bytes_max`: how large the frame of a reply may be, headers aside.
  explicit Load(size_t reply_bytes_max);
  ~Load();

  // Operations of `work` over `connection`, which must outlive the load; it may be used again
  // after run().
  void add(Connection& connection, std::unique_ptr<Work> work, size_t depth);

  // Throws Failure when the server goes away or says nothing. Returns early, and in order, after
  // interrupt() was called: by a signal handler, too.
  Measured run(const Plan& plan);
  static void interrupt();

 private:
  struct Port;

  void serve(Port& port, uint32_t ready);
  void receive(Port& port);
  void send(Port& port);
  // Until `end_ns`, or until nothing is at work any more when it is 0.
  void turn_until(uint64_t end_ns);
  void report_progress();

  size_t reply_bytes_max_;
  UniqueFd epoll_;
  std::vector<std::unique_ptr<Port>> ports_;
  Tally tally_;
  Plan plan_;
  uint64_t next_progress_ns_ = 0, progress_operations_ = 0;
};

}  // namespace semblance::bench
