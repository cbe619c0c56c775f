// A chain of create contexts, and the data of each by its name.

#include "engine/wire/create_contexts.h"

#include "engine/wire/durable_contexts.h"
#include "engine/wire/lease_contexts.h"
#include "engine/wire/open_contexts.h"
#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using namespace wire;

// Requests and responses share a name; the data of either may come under it.
template <typename... Contexts>
void try_data(const CreateContext& context) {
  std::vector<uint8_t> data = exactly(context.data);
  ((context.is(Contexts::kTag) ? round_trip<Contexts>(data) : void()), ...);
}

void try_all(const CreateContext& context) {
  try_data<MaximalAccessRequest, MaximalAccessResponse, QueryOnDiskIdRequest, QueryOnDiskIdResponse,
           AllocationSizeContext, TimewarpContext, EaBufferContext, SecurityDescriptorContext,
           AppInstanceIdContext, AppInstanceVersionContext, AaplRequest, AaplResponse,
           DurableHandleRequest, DurableHandleResponse, DurableHandleReconnect,
           DurableHandleRequestV2, DurableHandleResponseV2, DurableHandleReconnectV2, LeaseContext>(
      context);
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  std::vector<wire::CreateContext> seen;
  wire::CreateContexts chain({data, size});
  while (auto context = chain.next()) {
    fuzz::try_all(*context);
    seen.push_back(*context);
  }
  if (!chain.ok() || seen.empty()) return 0;
  // The whole chain, there and back.
  std::vector<uint8_t> memory(2 * size + 16 + seen.size() * 24);
  wire::Builder b(memory);
  wire::CreateContextWriter writer(b);
  for (const wire::CreateContext& context : seen) writer.add_raw(context.name, context.data);
  CHECK(b.ok());
  wire::CreateContexts again(b.written());
  for (const wire::CreateContext& context : seen) {
    auto read = again.next();
    CHECK(read && fuzz::equal(*read, context));
  }
  CHECK(!again.next() && again.ok());
  return 0;
}
