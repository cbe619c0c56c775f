// Every message body alone, there and back. The first byte picks the body; what follows stands
// behind the header, whose 64 bytes are zero.

#include "engine/wire/change_notify.h"
#include "engine/wire/close.h"
#include "engine/wire/create.h"
#include "engine/wire/error_response.h"
#include "engine/wire/flush.h"
#include "engine/wire/ioctl.h"
#include "engine/wire/lock.h"
#include "engine/wire/negotiate.h"
#include "engine/wire/oplock_break.h"
#include "engine/wire/query_directory.h"
#include "engine/wire/query_info.h"
#include "engine/wire/read.h"
#include "engine/wire/session_setup.h"
#include "engine/wire/set_info.h"
#include "engine/wire/simple_body.h"
#include "engine/wire/tree_connect.h"
#include "engine/wire/write.h"
#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using namespace wire;

template <typename Body>
void body(Bytes element) {
  round_trip<Body>(element, kHeaderSize);
}

// In this order for good: it is the first byte of every file in the corpus.
constexpr void (*kBodies[])(Bytes) = {
    body<NegotiateRequest>,    body<NegotiateResponse>,
    body<SessionSetupRequest>, body<SessionSetupResponse>,
    body<SimpleBody>,          body<TreeConnectRequest>,
    body<TreeConnectResponse>, body<CreateRequest>,
    body<CreateResponse>,      body<CloseRequest>,
    body<CloseResponse>,       body<FlushRequest>,
    body<ReadRequest>,         body<ReadResponse>,
    body<WriteRequest>,        body<WriteResponse>,
    body<LockRequest>,         body<IoctlRequest>,
    body<IoctlResponse>,       body<QueryDirectoryRequest>,
    body<ChangeNotifyRequest>, body<BufferResponse>,
    body<QueryInfoRequest>,    body<SetInfoRequest>,
    body<SetInfoResponse>,     body<OplockBreak>,
    body<LeaseBreak>,          body<LeaseBreakNotification>,
    body<ErrorResponse>,
};

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  if (size == 0) return 0;
  std::vector<uint8_t> element(wire::kHeaderSize + size - 1);
  std::copy(data + 1, data + size, element.begin() + wire::kHeaderSize);
  fuzz::kBodies[data[0] % std::size(fuzz::kBodies)](element);
  return 0;
}
