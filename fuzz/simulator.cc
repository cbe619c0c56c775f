// The simulator: a whole world of clients, network, disk, crashes, whose decisions are the bytes of
// the input (sim::BytesSource). What an oracle of the simulator finds aborts, with its words.
//
// Beyond edges of the engine these count as coverage: the engine's SOMETIMES marks, and which
// replies were seen in which state of the server (how much is under way, whether it has died).
//
// An input becomes a tape, which `semblance sim` replays, traces and minimises, by simulator_tape.

#include <array>
#include <cstdio>
#include <map>

#include "engine/base/check.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/header.h"
#include "fuzz/support/protocol_states.h"
#include "fuzz/support/simulator_run.h"
#include "sim/choice/sources.h"
#include "sim/world/server.h"

namespace semblance::fuzz {
namespace {

// The section that libFuzzer looks for.
__attribute__((section("__libfuzzer_extra_counters"), used)) std::array<uint8_t, 128> marks;

class ReplyStates : public sim::Observer {
 public:
  void started(OperationId, const StoreOperation&) override { ++under_way_; }
  void applied(OperationId, const StoreOperation&, const StoreResult&, bool injected) override {
    --under_way_;
    injected_ |= injected;
  }
  void crashed(sim::CrashKind) override {
    under_way_ = 0;
    has_died_ = true;
  }
  void closed(ConnectionId id) override { streams_.erase(id.generation); }
  void transmitted(ConnectionId id, Bytes bytes) override {
    std::vector<uint8_t>& stream = streams_[id.generation];
    stream.insert(stream.end(), bytes.begin(), bytes.end());
    size_t at = 0;
    for (;;) {
      Bytes rest = Bytes(stream).subspan(at);
      auto frame = wire::FrameHeader::parse(rest);
      if (!frame || rest.size() < wire::kFrameHeaderSize + frame->length) break;
      take(rest.subspan(wire::kFrameHeaderSize, frame->length));
      at += wire::kFrameHeaderSize + frame->length;
    }
    stream.erase(stream.begin(), stream.begin() + static_cast<ptrdiff_t>(at));
  }

 private:
  void take(Bytes message) {
    for (;;) {
      auto header = wire::Header::parse(message);
      if (!header) return;  // sealed
      uint32_t busy = std::min(under_way_, 3u);
      note_reply(*header,
                 static_cast<uint8_t>(busy | (has_died_ ? 4u : 0u) | (injected_ ? 8u : 0u)));
      size_t next = header->next_command;
      if (next == 0 || next >= message.size()) return;
      message = message.subspan(next);
    }
  }

  uint32_t under_way_ = 0;  // operations of the disk that have had no effect yet
  bool has_died_ = false, injected_ = false;
  std::map<uint32_t, std::vector<uint8_t>> streams_;  // by generation
};

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  sim::BytesSource source({data, size});
  sim::Chooser chooser(source);
  fuzz::ReplyStates states;
  sim::RunOptions options = fuzz::simulator_run();
  options.watchers = {&states};
  static EffectQueue effects(sim::Server::effects_capacity());
  effects.clear();
  options.effects = &effects;
  sim::RunResult result = sim::simulate(chooser, options);
  fuzz::marks = result.marks;
  if (result.failure) {
    std::fprintf(stderr, "FAILED at %.6f s: %s: %s\n  (%s; faults %s)\n",
                 static_cast<double>(result.failure->when.ns) / 1e9, result.failure->oracle.c_str(),
                 result.failure->what.c_str(), result.shape.c_str(), result.swarm.c_str());
    std::abort();
  }
  return 0;
}
