#pragma once
// One open named pipe with a DCE/RPC service behind it (MS-RPCE 2.1.1.2, C706 12). The caller owns
// the SMB2 side: WRITE and the first half of FSCTL_PIPE_TRANSCEIVE end up in write(), READ and the
// second half in read().
//
// Pure and synchronous: a call is executed inside the write() that completes its request. What a
// pipe keeps is bounded by the constants below, whatever the client sends.

#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/status.h"
#include "engine/rpc/service_view.h"
#include "engine/wire/dcerpc.h"

namespace semblance::rpc {

// All the pipes there are. Names are an enumeration: no peer's string reaches further than the
// lookup.
enum class PipeName : uint8_t { kSrvsvc, kWkssvc };

// The pipe by its name in IPC$ ("srvsvc"), without regard to case. None: OBJECT_NAME_NOT_FOUND.
std::optional<PipeName> pipe_by_name(std::u16string_view name);

class Pipe {
 public:
  static constexpr size_t kFragmentReceiveMax = 5840;  // no client's fragments are larger
  static constexpr size_t kFragmentSendMax = 4280;
  static constexpr size_t kRequestStubMax = 16 * 1024;  // of all fragments of a call
  static constexpr size_t kReplyStubMax = 128 * 1024;
  static constexpr size_t kUnreadMax = 64 * 1024;  // a client with more unread replies than this,
                                                   // and still asking, is disconnected
  static constexpr size_t kContextsMax = 16;

  explicit Pipe(PipeName name) : name_(name) {}

  PipeName name() const { return name_; }

  // Takes bytes of PDUs, in pieces of any size; all of them are consumed. PIPE_DISCONNECTED once
  // the client broke the protocol; then nothing is executed any more, but what was answered before
  // can still be read.
  NtStatus write(Bytes bytes, const ServiceView& view);

  // Moves the next bytes of the current message (one PDU) to `out`; never beyond its end. `more`:
  // the message goes on, as a message-mode pipe says with BUFFER_OVERFLOW. Returns 0 when there is
  // nothing to read.
  size_t read(MutableBytes out, bool& more);

  // Bytes left of the current message; 0 when there is nothing to read.
  size_t readable() const;

  // The client broke the protocol: a reader of an empty pipe has nothing to wait for.
  bool disconnected() const { return disconnected_; }

 private:
  struct Context {
    uint16_t id;
  };
  // A request of which fragments have come.
  struct Call {
    uint32_t id = 0;
    uint16_t context_id = 0;
    uint16_t opnum = 0;
    bool too_big = false;  // the rest is swallowed and answered with a fault
  };

  void on_pdu(Bytes pdu, const ServiceView& view);
  void on_bind(const wire::dcerpc::Header& header, Bytes body);
  void on_request(const wire::dcerpc::Header& header, Bytes body, const ServiceView& view);
  void execute(const ServiceView& view);
  wire::dcerpc::ContextResult judge(const wire::dcerpc::ContextElement& element);
  bool has_context(uint16_t id) const;

  // Appends one PDU of at most `size_max` bytes, written by `build`.
  template <typename Build>
  void answer(size_t size_max, Build build);
  void answer_fault(wire::dcerpc::Fault status);

  PipeName name_;
  bool bound_ = false;
  bool disconnected_ = false;
  uint16_t fragment_send_max_ = kFragmentSendMax;
  std::vector<Context> contexts_;  // accepted ones; at most kContextsMax

  std::vector<uint8_t> partial_;  // the beginning of a PDU; below kFragmentReceiveMax
  std::optional<Call> call_;
  std::vector<uint8_t> stub_;  // of call_; at most kRequestStubMax

  std::vector<uint8_t> output_;  // whole PDUs, the first read up to output_read_
  size_t output_read_ = 0;
  size_t message_end_ = 0;  // of the current message in output_; 0 when output_ is empty
};

}  // namespace semblance::rpc
