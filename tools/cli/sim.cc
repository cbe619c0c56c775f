#include "tools/cli/sim.h"

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "engine/smb/marks.h"
#include "sim/campaign/campaign.h"
#include "sim/campaign/planting.h"
#include "sim/choice/sources.h"
#include "sim/view/page.h"
#include "sim/view/pcap.h"

namespace semblance {

namespace {

bool read_number(std::string_view text, uint64_t& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// "A..B" or "A".
bool read_range(std::string_view text, uint64_t& first, uint64_t& last) {
  size_t dots = text.find("..");
  if (dots == std::string_view::npos) return read_number(text, first) && read_number(text, last);
  return read_number(text.substr(0, dots), first) && read_number(text.substr(dots + 2), last) &&
         first <= last;
}

int refuse(const std::string& what) {
  std::fprintf(stderr, "semblance sim: %s\n", what.c_str());
  return 2;
}

void print_failure(const sim::Outcome& outcome) {
  std::printf("FAILED seed %" PRIu64 " at %.6f s: %s: %s\n  (%s; faults %s)\n", outcome.seed,
              static_cast<double>(outcome.failed_at_ns) / 1e9, outcome.oracle.c_str(),
              outcome.what.c_str(), outcome.shape.c_str(), outcome.swarm.c_str());
}

void print_marks(const sim::CampaignResult& result) {
  size_t reached = 0, all = static_cast<size_t>(smb::Mark::kCount);
  std::string missing;
  for (size_t i = 0; i < all; ++i) {
    if (result.marks[i] != 0)
      ++reached;
    else
      missing += std::string(missing.empty() ? "" : " ") +
                 std::string(smb::mark_name(static_cast<smb::Mark>(i)));
  }
  std::printf("sometimes: %zu of %zu reached%s%s\n", reached, all,
              missing.empty() ? "" : "; never: ", missing.c_str());
}

void print_last_line(const sim::CampaignResult& r) {
  std::printf("seeds=%" PRIu64 " requests=%" PRIu64 " events=%" PRIu64
              " simulated_s=%.0f wall_s=%.1f failures=%" PRIu64 " hash=%016" PRIx64 "%016" PRIx64
              "\n",
              r.seeds, r.requests, r.events, r.simulated_seconds, r.wall_seconds, r.failures,
              r.hash[1], r.hash[0]);
}

// Whether what is asked for shows one run.
bool shows_one(const SimArguments& arguments) {
  return arguments.trace || !arguments.pcap.empty() || !arguments.html.empty();
}

// The files that show a run; they grow while it goes on.
class Views {
 public:
  // Empty, or what can't be written.
  std::string open(const SimArguments& arguments) {
    if (!arguments.pcap.empty()) {
      if (!make(arguments.pcap, pcap_file_)) return "can't write " + arguments.pcap;
      pcap_.emplace(pcap_file_.get());
    }
    if (!arguments.html.empty()) {
      if (!make(arguments.html, html_file_)) return "can't write " + arguments.html;
      page_.emplace(html_file_.get());
    }
    return {};
  }
  void watch(sim::RunOptions& options) {
    if (pcap_) options.watchers.push_back(&*pcap_);
    if (page_) options.watchers.push_back(&*page_);
  }
  // False when something could not be written.
  bool finish(const sim::Outcome& o, std::string replay) {
    if (page_)
      page_->finish({o.seed, o.requests, o.swarm, o.shape, o.oracle, o.what, o.failed_at_ns,
                     std::move(replay)});
    return (!pcap_ || std::ferror(pcap_file_.get()) == 0) &&
           (!page_ || std::ferror(html_file_.get()) == 0);
  }

 private:
  struct Closer {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<FILE, Closer>;
  static bool make(const std::string& path, File& file) {
    file.reset(std::fopen(path.c_str(), "wb"));
    return file != nullptr;
  }

  File pcap_file_, html_file_;
  std::optional<sim::PcapWriter> pcap_;
  std::optional<sim::Page> page_;
};

// The command line that does the same again.
std::string replay_line(const SimArguments& arguments) {
  if (!arguments.tape.empty()) return "semblance sim --tape " + arguments.tape;
  std::string line = "semblance sim --seeds " + arguments.seeds;
  if (arguments.requests != SimArguments().requests)
    line += " --requests " + std::to_string(arguments.requests);
  for (const std::string& fault : arguments.faults) line += " --fault " + fault;
  return line;
}

int run_one(const SimArguments& arguments, const sim::Tape& tape, sim::RunOptions options) {
  Views views;
  if (std::string error = views.open(arguments); !error.empty()) return refuse(error);
  views.watch(options);
  sim::CampaignResult result;
  sim::Outcome outcome;
  if (arguments.trace) {
    // In this process, where a debugger finds it.
    options.trace = stdout;
    outcome = sim::outcome_of(tape.seed, sim::replay(tape, options));
  } else {
    outcome = sim::replay_isolated(tape, options);
  }
  if (!views.finish(outcome, replay_line(arguments))) return refuse("a file could not be written");
  result.seeds = 1;
  result.requests = outcome.requests;
  result.events = outcome.events;
  result.simulated_seconds = static_cast<double>(outcome.simulated_ns) / 1e9;
  result.hash = outcome.hash;
  result.failures = outcome.oracle.empty() ? 0 : 1;
  std::printf("faults: %s\n", outcome.swarm.c_str());
  if (!outcome.oracle.empty()) print_failure(outcome);
  print_last_line(result);
  return outcome.oracle.empty() ? 0 : 1;
}

}  // namespace

int run_sim(const SimArguments& arguments) {
  sim::CampaignOptions options;
  if (!read_range(arguments.seeds, options.first, options.last))
    return refuse("--seeds takes A..B, two numbers in order");
  options.minutes = arguments.minutes;
  options.jobs = std::max(1u, arguments.jobs);
  options.run.requests = arguments.requests;
  options.tapes = arguments.tapes;
  options.failures_max = arguments.failures;
  if (!arguments.faults.empty()) {
    std::vector<sim::FaultClass> classes;
    for (const std::string& name : arguments.faults) {
      if (name == "none") continue;
      if (sim::plant(name)) {
        options.planted = name;
        continue;
      }
      auto fault = sim::fault_class_of(name);
      if (!fault) return refuse("there is no fault \"" + name + "\"; SIMULATOR.md lists them");
      classes.push_back(*fault);
    }
    // A planted fault alone leaves the others to chance.
    bool only_planted = !options.planted.empty() && classes.empty();
    if (!only_planted) options.run.faults = std::move(classes);
  }
  if (!arguments.tape.empty()) {
    auto tape = sim::read_tape(arguments.tape);
    if (!tape) return refuse(tape.error());
    if (!sim::plant(tape->planted))
      return refuse("this build has no planted fault \"" + tape->planted + "\"");
    return run_one(arguments, *tape, options.run);
  }
  if (shows_one(arguments)) {
    if (options.first != options.last || options.minutes != 0)
      return refuse("--trace, --pcap and --html show one run: give one seed or a tape");
    sim::Tape tape;
    tape.seed = options.first;
    tape.requests = arguments.requests;
    tape.choices = sim::choices_of(options.first, options.run);
    return run_one(arguments, tape, options.run);
  }
  uint64_t done = 0;
  sim::CampaignResult result = sim::run_campaign(options, [&](const sim::Outcome& outcome) {
    if (!outcome.oracle.empty()) print_failure(outcome);
    if (++done % 1000 == 0) std::fprintf(stderr, "%" PRIu64 " seeds\n", done);
  });
  for (const sim::Found& found : result.found) {
    if (found.tape.empty()) continue;
    std::printf("replay: semblance sim --tape %s   (%zu choices of %zu)\n", found.tape.c_str(),
                found.choices, found.choices_before);
    std::printf("page:   semblance sim --tape %s --html failure.html\n", found.tape.c_str());
  }
  if (result.seeds >= 100) print_marks(result);
  print_last_line(result);
  return result.failures == 0 ? 0 : 1;
}

}  // namespace semblance
