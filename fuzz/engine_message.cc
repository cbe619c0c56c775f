// One message into a connection that stands in one of several states: a session of a user (3.1.1,
// 2.0.2, sealed), of a guest, of nobody; an authentication half-way; negotiated; fresh.
//
// Input: a byte (bits 0-2 the state, bits 3-4 how it is protected, bit 5 that nothing is mended),
// then the message without its frame, or with it for kRaw. Message ids below 8 count from the next
// one; the rest lie outside the window. All other ids are the same in every world
// (fuzz/support/world.h), so the corpus names them as they are.
//
// The same input always finds the same world: one that may have changed is made anew before the
// next input, one that an input left as it was is used again.

#include <memory>

#include "fuzz/support/protocol_states.h"
#include "fuzz/support/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance::fuzz;
  static std::array<std::unique_ptr<Scene>, kStates> scenes;
  FuzzInput input(data, size);
  uint8_t choice = input.u8();
  std::unique_ptr<Scene>& scene = scenes[choice % kStates];
  if (!scene) scene = std::make_unique<Scene>(static_cast<State>(choice % kStates));
  forget_coverage();
  constexpr uint8_t kAsIs = 0x20;
  if (scene->run(input, static_cast<Sending>(choice / kStates % kSendings), !(choice & kAsIs)))
    return 0;
  scene->settle();
  scene.reset();
  return 0;
}
