#include "tools/bench/process_cpu.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace semblance::bench {
namespace {

struct Process {
  pid_t parent = 0;
  CpuTime cpu;
};

// proc(5): the name in brackets may hold anything, so fields are counted from the last bracket.
std::optional<Process> read_process(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string state, skipped;
  Process process;
  double user = 0, system = 0, reaped_user = 0, reaped_system = 0;
  fields >> state >> process.parent;
  for (int field = 5; field < 14; ++field) fields >> skipped;
  fields >> user >> system >> reaped_user >> reaped_system;
  if (!fields) return std::nullopt;
  const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  process.cpu = {(user + reaped_user) / ticks, (system + reaped_system) / ticks};
  return process;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

std::optional<CpuTime> cpu_of_tree(pid_t root) {
  std::map<pid_t, Process> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), ::closedir);
  if (directory == nullptr) return std::nullopt;
  while (const dirent* entry = ::readdir(directory.get())) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    if (auto process = read_process(pid)) processes[pid] = *process;
  }
  if (!processes.contains(root)) return std::nullopt;
  CpuTime sum;
  std::vector<pid_t> tree = {root};
  for (size_t i = 0; i < tree.size(); ++i) {
    sum.user_s += processes[tree[i]].cpu.user_s;
    sum.system_s += processes[tree[i]].cpu.system_s;
    for (const auto& [pid, process] : processes)
      if (process.parent == tree[i]) tree.push_back(pid);
  }
  return sum;
}

CpuTime cpu_of_self() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {seconds_of(usage.ru_utime), seconds_of(usage.ru_stime)};
}

}  // namespace semblance::bench
