// semblance: the command-line tool. Each subcommand is a file beside this one.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/cli/bench.h"
#include "tools/cli/effects.h"
#include "tools/cli/passwd.h"
#include "tools/cli/replay.h"
#include "tools/cli/sim.h"
#include "tools/cli/status.h"

int main(int argc, char** argv) {
  CLI::App app("semblance: the tool beside semblanced", "semblance");
  app.require_subcommand(1);

  std::string file, name;
  CLI::App* passwd = app.add_subcommand("passwd", "set a password in a smbpasswd file");
  passwd->add_option("FILE", file, "the file; made when missing")->required();
  passwd->add_option("NAME", name, "the account")->required();

  std::string metrics = "127.0.0.1:9445";
  CLI::App* status = app.add_subcommand("status", "what a running daemon holds");
  status->add_option("--metrics", metrics, "ADDR:PORT of the daemon's --metrics")
      ->capture_default_str();

  semblance::SimArguments arguments;
  CLI::App* sim = app.add_subcommand("sim", "run seeds of the simulated world, or a tape");
  sim->add_option("--seeds", arguments.seeds, "A..B")->capture_default_str();
  sim->add_option("--minutes", arguments.minutes, "go on from A for so long instead");
  sim->add_option("--jobs", arguments.jobs, "processes")->capture_default_str();
  sim->add_option("--tape", arguments.tape, "replay this file instead of seeds");
  sim->add_option("--tapes", arguments.tapes, "directory for tapes of failures")
      ->capture_default_str();
  sim->add_option("--fault", arguments.faults, "exactly these classes of faults, or none")
      ->delimiter(',');
  sim->add_option("--requests", arguments.requests, "requests of a seed")->capture_default_str();
  sim->add_option("--failures", arguments.failures, "stop at so many")->capture_default_str();
  sim->add_option("--pcap", arguments.pcap, "write the packets of one run to this file");
  sim->add_option("--html", arguments.html, "draw one run on a page, this file");
  sim->add_flag("--trace", arguments.trace, "a line for everything that happens; for one run");

  std::string log;
  bool trace = false;
  CLI::App* replay = app.add_subcommand(
      "replay", "replays what semblanced --record wrote; exit 0 when the effects agree");
  replay->add_option("LOG", log, "the event log")->required();
  replay->add_flag("--trace", trace, "prints every event and effect");

  semblance::EffectsArguments wanted;
  CLI::App* effects = app.add_subcommand(
      "effects", "the effect-budget table, and what this build needs for each shape");
  effects->add_flag("--committed", wanted.committed,
                    "only what is the same everywhere: tests/cost/effects.txt");
  effects->add_option("--copy", wanted.copy_mib, "copy so many MiB in and out instead")
      ->check(CLI::Range(1u, 1u << 20));

  semblance::BenchArguments load;
  CLI::App* bench = app.add_subcommand("bench", "load generator, for any SMB server");
  semblance::add_bench_options(*bench, load);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "semblance: %s\n", error.what());
    return 2;
  }
  if (effects->parsed()) return semblance::run_effects(wanted);
  if (bench->parsed()) return semblance::run_bench(load);
  if (passwd->parsed()) return semblance::set_password(file, name);
  if (replay->parsed()) return semblance::replay_log(log, trace);
  if (sim->parsed()) return semblance::run_sim(arguments);
  return semblance::print_status(metrics);
}
