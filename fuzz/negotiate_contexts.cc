// A list of negotiate contexts behind its count, and the data of each by its type.

#include "engine/wire/negotiate_contexts.h"

#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using namespace wire;

template <typename... Contexts>
void try_data(const NegotiateContext& context) {
  std::vector<uint8_t> data = exactly(context.data);
  ((context.type == Contexts::kType ? round_trip<Contexts>(data) : void()), ...);
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  using namespace semblance::wire;
  fuzz::FuzzInput input(data, size);
  uint16_t count = input.u8();
  std::vector<uint8_t> list = fuzz::exactly(input.rest());
  std::vector<NegotiateContext> seen;
  NegotiateContexts contexts(list, count);
  while (auto context = contexts.next()) {
    fuzz::try_data<PreauthIntegrityContext, EncryptionContext, CompressionContext, NetnameContext,
                   TransportContext, RdmaTransformContext, SigningContext>(*context);
    seen.push_back(*context);
  }
  if (!contexts.ok()) return 0;
  CHECK(seen.size() == count);
  std::vector<uint8_t> memory(size + 16 * seen.size());
  Builder b(memory);
  NegotiateContextWriter writer(b);
  for (const NegotiateContext& context : seen) writer.add(context);
  CHECK(b.ok() && writer.count() == count);
  NegotiateContexts again(b.written(), writer.count());
  for (const NegotiateContext& context : seen) {
    auto read = again.next();
    CHECK(read && fuzz::equal(*read, context));
  }
  CHECK(!again.next() && again.ok());
  return 0;
}
