#include "sim/campaign/tape.h"

#include <cereal/archives/xml.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <fstream>

#include "sim/choice/sources.h"

namespace semblance::sim {

namespace {

constexpr uint32_t kVersion = 1;

}  // namespace

template <class Archive>
void save(Archive& archive, const Choice& choice) {
  archive(cereal::make_nvp("site", std::string(site_name(choice.decision.site))),
          cereal::make_nvp("entity", choice.decision.entity),
          cereal::make_nvp("occurrence", choice.decision.occurrence),
          cereal::make_nvp("value", choice.value));
}

template <class Archive>
void load(Archive& archive, Choice& choice) {
  std::string site;
  archive(cereal::make_nvp("site", site), cereal::make_nvp("entity", choice.decision.entity),
          cereal::make_nvp("occurrence", choice.decision.occurrence),
          cereal::make_nvp("value", choice.value));
  choice.decision.site = site_of(site);
}

template <class Archive>
void serialize(Archive& archive, Tape& tape) {
  uint32_t version = kVersion;
  archive(cereal::make_nvp("version", version));
  if (version != kVersion) throw cereal::Exception("a tape of another version");
  archive(cereal::make_nvp("oracle", tape.oracle), cereal::make_nvp("what", tape.what),
          cereal::make_nvp("planted", tape.planted), cereal::make_nvp("seed", tape.seed),
          cereal::make_nvp("requests", tape.requests), cereal::make_nvp("choices", tape.choices));
}

std::expected<Tape, std::string> read_tape(const std::string& path) {
  std::ifstream in(path);
  if (!in) return std::unexpected("can't read " + path);
  Tape tape;
  try {
    cereal::XMLInputArchive archive(in);
    archive(cereal::make_nvp("tape", tape));
  } catch (const std::exception& error) {
    return std::unexpected(path + " is no tape: " + error.what());
  }
  // Sites that are no more decide nothing.
  std::erase_if(tape.choices,
                [](const Choice& choice) { return choice.decision.site == Site::kCount; });
  return tape;
}

std::expected<void, std::string> write_tape(const Tape& tape, const std::string& path) {
  std::ofstream out(path);
  {
    cereal::XMLOutputArchive archive(out);
    archive(cereal::make_nvp("tape", tape));
  }
  out << "\n";
  out.flush();
  if (!out) return std::unexpected("can't write " + path);
  return {};
}

RunResult replay(const Tape& tape, const RunOptions& options) {
  RunOptions own = options;
  own.seed = tape.seed;
  own.requests = tape.requests;
  TapeSource source(tape.choices);
  Chooser chooser(source);
  return simulate(chooser, own);
}

}  // namespace semblance::sim
