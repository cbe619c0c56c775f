// The client with a hostile server: an honest beginning, as the engine itself answers it, up to the
// stage that the first byte names; from there on the input's bytes are what the server sends, in
// pieces. What arrives is read as the tests and tools read it.
//
// Input: stage (1), then pieces behind their lengths (2); the second bit of the stage's byte says
// whether pieces are messages to be framed or bytes as they are.

#include "fuzz/support/conversation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance::fuzz;
  FuzzInput input(data, size);
  uint8_t choice = input.u8();
  Conversation(choice).run(input);
  return 0;
}
