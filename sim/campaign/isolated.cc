#include "sim/campaign/isolated.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/string.hpp>
#include <cstring>
#include <sstream>

#include "engine/base/check.h"
#include "sim/choice/sources.h"

namespace semblance::sim {

template <class Archive>
void serialize(Archive& archive, Outcome& o) {
  archive(o.seed, o.requests, o.events, o.simulated_ns, o.hash, o.swarm, o.shape, o.oracle, o.what,
          o.failed_at_ns, o.marks);
}

namespace {

constexpr int kHangMs = 60'000;

void write_all(int fd, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    ssize_t count = ::write(fd, bytes.data() + at, bytes.size() - at);
    if (count <= 0) ::_exit(3);
    at += static_cast<size_t>(count);
  }
}

}  // namespace

Outcome outcome_of(uint64_t seed, const RunResult& result) {
  Outcome outcome;
  outcome.seed = seed;
  outcome.requests = result.requests;
  outcome.events = result.events;
  outcome.simulated_ns = result.simulated.ns;
  outcome.hash = result.hash;
  outcome.swarm = result.swarm;
  outcome.shape = result.shape;
  outcome.marks = result.marks;
  if (result.failure) {
    outcome.oracle = result.failure->oracle;
    outcome.what = result.failure->what;
    outcome.failed_at_ns = result.failure->when.ns;
  }
  return outcome;
}

Worker::Worker(Run run, uint64_t first, uint64_t last, uint64_t step)
    : run_(std::move(run)), at_(first), last_(last), step_(step) {}

Worker::~Worker() {
  if (child_ > 0) ::kill(child_, SIGKILL);
  reap();
}

void Worker::reap() {
  if (pipe_ >= 0) ::close(std::exchange(pipe_, -1));
  if (child_ > 0) ::waitpid(std::exchange(child_, -1), nullptr, 0);
}

void Worker::spawn() {
  int ends[2];
  CHECK(::pipe(ends) == 0);
  buffer_.clear();
  child_ = ::fork();
  CHECK(child_ >= 0);
  if (child_ == 0) {
    ::close(ends[0]);
    for (uint64_t seed = at_; seed <= last_; seed += step_) {
      std::ostringstream out;
      cereal::BinaryOutputArchive archive(out);
      archive(run_(seed));
      std::string bytes = out.str();
      auto size = static_cast<uint32_t>(bytes.size());
      write_all(ends[1], std::string(reinterpret_cast<char*>(&size), 4) + bytes);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

Outcome Worker::lost(std::string why) {
  ::kill(child_, SIGKILL);
  int status = 0;
  ::waitpid(std::exchange(child_, -1), &status, 0);
  if (why.empty() && WIFSIGNALED(status))
    why = std::string("the engine or the simulator aborted: ") + ::strsignal(WTERMSIG(status));
  if (why.empty()) why = "the process of the run ended early";
  ::close(std::exchange(pipe_, -1));
  Outcome outcome;
  outcome.seed = at_;
  outcome.oracle = "crash";
  outcome.what = why;
  at_ += step_;
  return outcome;
}

int Worker::descriptor() {
  if (at_ > last_) return -1;
  if (child_ < 0) spawn();
  return pipe_;
}

std::optional<Outcome> Worker::next() {
  if (at_ > last_) {
    reap();
    return std::nullopt;
  }
  if (child_ < 0) spawn();
  for (;;) {
    uint32_t size = 0;
    if (buffer_.size() >= 4) std::memcpy(&size, buffer_.data(), 4);
    if (buffer_.size() >= 4 && buffer_.size() - 4 >= size) {
      std::istringstream in(buffer_.substr(4, size));
      cereal::BinaryInputArchive archive(in);
      Outcome outcome;
      archive(outcome);
      buffer_.erase(0, 4 + size);
      at_ += step_;
      return outcome;
    }
    pollfd ready{pipe_, POLLIN, 0};
    if (::poll(&ready, 1, kHangMs) == 0) return lost("the run hangs");
    char bytes[65536];
    ssize_t count = ::read(pipe_, bytes, sizeof bytes);
    if (count <= 0) return lost("");
    buffer_.append(bytes, static_cast<size_t>(count));
  }
}

namespace {

// Answers as another source does, and leaves the answers where a parent process sees them.
class SharedRecord : public Source {
 public:
  static constexpr size_t kMax = 1 << 20;
  struct Memory {
    size_t count;
    Choice choices[kMax];
  };

  SharedRecord(Source& source, Memory& memory) : source_(source), memory_(memory) {}
  uint32_t decide(const Decision& decision, uint32_t bound,
                  std::span<const uint32_t> weights) override {
    uint32_t value = source_.decide(decision, bound, weights);
    forced(decision, value);
    return value;
  }
  void forced(const Decision& decision, uint32_t value) override {
    if (value != 0 && memory_.count < kMax) memory_.choices[memory_.count++] = {decision, value};
  }

 private:
  Source& source_;
  Memory& memory_;
};

}  // namespace

Outcome replay_isolated(const Tape& tape, const RunOptions& options) {
  Worker worker([&](uint64_t seed) { return outcome_of(seed, replay(tape, options)); }, tape.seed,
                tape.seed, 1);
  return *worker.next();
}

std::vector<Choice> choices_of(Source& source, const RunOptions& options) {
  void* shared = ::mmap(nullptr, sizeof(SharedRecord::Memory), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  auto* memory = static_cast<SharedRecord::Memory*>(shared);
  {
    Worker worker(
        [&](uint64_t seed) {
          SharedRecord record(source, *memory);
          Chooser chooser(record);
          return outcome_of(seed, simulate(chooser, options));
        },
        options.seed, options.seed, 1);
    worker.next();
  }
  std::vector<Choice> choices(memory->choices, memory->choices + memory->count);
  ::munmap(shared, sizeof(SharedRecord::Memory));
  return choices;
}

std::vector<Choice> choices_of(uint64_t seed, const RunOptions& options) {
  HashSource source(seed);
  RunOptions own = options;
  own.seed = seed;
  return choices_of(source, own);
}

}  // namespace semblance::sim
