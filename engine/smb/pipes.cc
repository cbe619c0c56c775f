#include "engine/smb/pipes.h"
#include "engine/smb/marks.h"

#include "engine/wire/ioctl.h"
#include "engine/wire/read.h"
#include "engine/wire/write.h"

namespace semblance::smb {
namespace {

// The configuration as the RPC services see it.
class ConfigView : public rpc::ServiceView {
 public:
  explicit ConfigView(const Config& config) : config_(config) {}
  size_t share_count() const override { return config_.shares.size(); }
  rpc::ShareView share(size_t index) const override {
    const ShareConfig& share = config_.shares[index];
    rpc::ShareView view;
    view.name = share.name;
    view.comment = share.comment;
    view.hidden = share.hidden;
    return view;
  }
  std::string_view server_name() const override { return config_.server_name; }
  std::string_view server_comment() const override { return "Semblance"; }
  std::string_view domain() const override { return "WORKGROUP"; }

 private:
  const Config& config_;
};

constexpr auto kPipeEmpty = static_cast<NtStatus>(0xC00000D9);

}  // namespace

Step read_pipe(Call call, Open& open, uint32_t length) {
  if (open.pipe->readable() == 0)
    return open.pipe->disconnected() ? NtStatus::kPipeDisconnected : kPipeEmpty;
  wire::Builder b = call.body();
  b.reserve(wire::ReadResponse::kDataOffset - wire::kHeaderSize);
  MutableBytes into = b.reserve(length);
  if (!b.ok()) return NtStatus::kInsufficientResources;
  bool more = false;
  size_t count = open.pipe->read(into, more);
  wire::Builder reply = call.body();
  wire::ReadResponse::build_fixed(reply, static_cast<uint32_t>(count));
  reply.reserve(count);
  return Call::done(reply, more ? NtStatus::kBufferOverflow : NtStatus::kSuccess);
}

Step write_pipe(Call call, Open& open, Bytes data) {
  NtStatus status = open.pipe->write(data, ConfigView(call.engine().config));
  if (status != NtStatus::kSuccess) return status;
  return call.reply(wire::WriteResponse{static_cast<uint32_t>(data.size()), 0});
}

Step transceive(Call call, Open& open, Bytes input, uint32_t max_output) {
  NtStatus status = open.pipe->write(input, ConfigView(call.engine().config));
  if (status != NtStatus::kSuccess) return status;
  wire::IoctlResponse response;
  response.ctl_code = wire::kFsctlPipeTransceive;
  response.file_id = wire_file_id(open.id);
  wire::Builder b = call.body();
  response.build(b);
  size_t before = b.size();
  MutableBytes into = b.reserve(max_output);
  if (!b.ok()) return NtStatus::kInsufficientResources;
  bool more = false;
  size_t count = open.pipe->read(into, more);
  SOMETIMES(call.engine(), kPipeTransacted);
  b.rewind(before + count);
  wire::IoctlResponse::finish_output(b);
  return Call::done(b, more ? NtStatus::kBufferOverflow : NtStatus::kSuccess);
}

}  // namespace semblance::smb
