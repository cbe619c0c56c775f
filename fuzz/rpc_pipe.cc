// A named pipe with its service: writes of any pieces and reads of any size. An operation is a
// byte (bit 0: read) and a length, a write's bytes behind it; the first byte of all picks the pipe.

#include "engine/rpc/pipe.h"
#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

class View final : public rpc::ServiceView {
 public:
  size_t share_count() const override { return 3; }
  rpc::ShareView share(size_t index) const override {
    static const rpc::ShareView kShares[] = {
        {"data", "a comment", rpc::ShareType::kDisk, false, 0x30, 2},
        {"hidden", "", rpc::ShareType::kDisk, true, 0x8000, 0},
        {"ill\xFF", "formed\xC0", rpc::ShareType::kPrinter, false, 0, 0},
    };
    return kShares[index];
  }
  std::string_view server_name() const override { return "SEMBLANCE"; }
  std::string_view server_comment() const override { return "fuzzed"; }
  std::string_view domain() const override { return "WORKGROUP"; }
};

void read(rpc::Pipe& pipe, size_t room) {
  std::vector<uint8_t> out(room);
  size_t readable = pipe.readable();
  bool more = false;
  size_t count = pipe.read(out, more);
  CHECK(count == std::min(room, readable));
  CHECK(more == (count < readable));
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  fuzz::FuzzInput input(data, size);
  fuzz::View view;
  rpc::Pipe pipe(input.u8() & 1 ? rpc::PipeName::kWkssvc : rpc::PipeName::kSrvsvc);
  while (!input.empty()) {
    uint8_t operation = input.u8();
    if (operation & 1) {
      fuzz::read(pipe, input.u16());
      continue;
    }
    bool was_disconnected = pipe.disconnected();
    size_t before = pipe.readable();
    NtStatus status = pipe.write(fuzz::exactly(input.piece()), view);
    CHECK((status == NtStatus::kPipeDisconnected) == pipe.disconnected());
    if (was_disconnected) CHECK(pipe.disconnected() && pipe.readable() == before);
  }
  // What was answered can be read, and is bounded.
  size_t left = 0;
  for (size_t next = pipe.readable(); next > 0; next = pipe.readable()) {
    fuzz::read(pipe, next);
    left += next;
    CHECK(next <= rpc::Pipe::kFragmentSendMax);
    CHECK(left <= rpc::Pipe::kUnreadMax + rpc::Pipe::kReplyStubMax + (1 << 16));
  }
  return 0;
}
