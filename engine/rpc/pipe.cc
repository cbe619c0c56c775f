#include "engine/rpc/pipe.h"

#include <algorithm>
#include <memory>

#include "engine/base/check.h"
#include "engine/base/upcase.h"
#include "engine/rpc/srvsvc.h"
#include "engine/rpc/wkssvc.h"

namespace semblance::rpc {
namespace {

namespace dce = wire::dcerpc;
using dce::Fault;
using dce::PduType;

// C706 12.6.3: what every implementation must be able to receive.
constexpr uint16_t kMustReceive = 1432;
// Association groups share nothing here, so there is one.
constexpr uint32_t kAssociationGroup = 1;
constexpr size_t kSmallPdu = 64;  // bind_nak and fault

struct Service {
  std::u16string_view name;
  std::string_view address;  // what bind_ack calls the secondary address
  const dce::Syntax& interface;
  Fault (*call)(uint16_t, Bytes, const ServiceView&, wire::NdrWriter&);
};

const Service& service_of(PipeName name) {
  static constexpr Service kServices[] = {
      {u"srvsvc", "\\PIPE\\srvsvc", kSrvsvcInterface, call_srvsvc},
      {u"wkssvc", "\\PIPE\\wkssvc", kWkssvcInterface, call_wkssvc},
  };
  return kServices[static_cast<size_t>(name)];
}

// C706 12.6.4.4: the same major version, and a minor one that is not newer than ours (0).
bool same_interface(const dce::Syntax& asked, const dce::Syntax& ours) { return asked == ours; }

}  // namespace

std::optional<PipeName> pipe_by_name(std::u16string_view name) {
  for (PipeName pipe : {PipeName::kSrvsvc, PipeName::kWkssvc}) {
    if (equal_without_case(name, service_of(pipe).name)) return pipe;
  }
  return std::nullopt;
}

NtStatus Pipe::write(Bytes bytes, const ServiceView& view) {
  while (!bytes.empty() && !disconnected_) {
    // First the header, which says how much the rest is.
    size_t wanted = dce::Header::kSize;
    if (partial_.size() >= wanted) wanted = dce::Header::parse(partial_)->fragment_size;
    const size_t taken = std::min(bytes.size(), wanted - partial_.size());
    partial_.insert(partial_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    if (partial_.size() < dce::Header::kSize) break;
    const auto header = dce::Header::parse(partial_);
    if (!header || header->fragment_size > kFragmentReceiveMax) {
      disconnected_ = true;
    } else if (partial_.size() == header->fragment_size) {
      on_pdu(partial_, view);
      partial_.clear();
    }
  }
  if (!disconnected_) return NtStatus::kSuccess;
  partial_ = {};
  stub_ = {};
  call_.reset();
  return NtStatus::kPipeDisconnected;
}

size_t Pipe::readable() const { return message_end_ - output_read_; }

size_t Pipe::read(MutableBytes out, bool& more) {
  const size_t taken = std::min(out.size(), readable());
  if (taken != 0) std::memcpy(out.data(), output_.data() + output_read_, taken);
  output_read_ += taken;
  more = output_read_ < message_end_;
  if (more) return taken;
  if (output_read_ == output_.size()) {
    output_.clear();
    output_read_ = message_end_ = 0;
    // A long share list should not stay with a handle that is kept open.
    if (output_.capacity() > kUnreadMax) output_.shrink_to_fit();
  } else {
    const auto next = dce::Header::parse(Bytes(output_).subspan(output_read_));
    CHECK(next);  // our own
    message_end_ = output_read_ + next->fragment_size;
  }
  return taken;
}

template <typename Build>
void Pipe::answer(size_t size_max, Build build) {
  const size_t start = output_.size();
  output_.resize(start + size_max);
  wire::Builder out(MutableBytes(output_).subspan(start));
  build(out);
  CHECK(out.ok());
  output_.resize(start + out.size());
  if (start == 0) message_end_ = output_.size();  // nothing was waiting: it is the current message
}

void Pipe::answer_fault(Fault status) {
  answer(kSmallPdu,
         [&](wire::Builder& out) { dce::build_fault(out, call_->id, call_->context_id, status); });
}

void Pipe::on_pdu(Bytes pdu, const ServiceView& view) {
  const dce::Header header = *dce::Header::parse(pdu);
  const Bytes body = pdu.subspan(dce::Header::kSize);
  if (output_.size() - output_read_ > kUnreadMax) {
    disconnected_ = true;
    return;
  }
  switch (header.type) {
    case PduType::kBind:
    case PduType::kAlterContext:
      on_bind(header, body);
      return;
    case PduType::kRequest:
      on_request(header, body, view);
      return;
    case PduType::kOrphaned:  // the client lost interest in a call
      if (call_ && call_->id == header.call_id) call_.reset();
      return;
    case PduType::kCoCancel:  // calls are over before a cancel can come
      return;
    default:
      disconnected_ = true;
  }
}

// ---- Binding, C706 12.6.4.3 and MS-RPCE 3.3.1.5 -------------------------------------------------

bool Pipe::has_context(uint16_t id) const {
  return std::ranges::any_of(contexts_, [id](Context context) { return context.id == id; });
}

dce::ContextResult Pipe::judge(const dce::ContextElement& element) {
  const auto reject = [](dce::RejectReason reason) {
    return dce::ContextResult{dce::ContextOutcome::kProviderRejection,
                              static_cast<uint16_t>(reason)};
  };
  if (element.features) {
    // No security contexts exist here, so there are none to multiplex.
    const uint16_t accepted = *element.features & dce::kKeepConnectionOnOrphan;
    return {dce::ContextOutcome::kNegotiateAck, accepted};
  }
  if (!same_interface(element.abstract_syntax, service_of(name_).interface)) {
    return reject(dce::RejectReason::kAbstractSyntaxNotSupported);
  }
  if (!element.offers_ndr32) return reject(dce::RejectReason::kTransferSyntaxesNotSupported);
  if (!has_context(element.id)) {
    if (contexts_.size() == kContextsMax) return reject(dce::RejectReason::kLocalLimitExceeded);
    contexts_.push_back({element.id});
  }
  return {};
}

void Pipe::on_bind(const dce::Header& header, Bytes body) {
  const bool alter = header.type == PduType::kAlterContext;
  const auto nak = [&](dce::NakReason reason) {
    answer(kSmallPdu,
           [&](wire::Builder& out) { dce::build_bind_nak(out, header.call_id, reason); });
  };
  const auto bind = dce::Bind::parse(body);
  // alter_context only after bind, bind only once, neither in pieces nor amid a request.
  if (!bind || alter != bound_ || !header.first() || !header.last() || call_) {
    if (alter) {
      disconnected_ = true;
    } else {
      nak(dce::NakReason::kNotSpecified);
    }
    return;
  }
  if (header.auth_size != 0) return nak(dce::NakReason::kAuthenticationTypeNotRecognized);

  // Elements are 44 bytes and more, so their number is bounded by the fragment's size.
  wire::Reader reader(bind->contexts);
  std::vector<dce::ContextResult> results;
  for (unsigned i = 0; i < bind->context_count; ++i) {
    const dce::ContextElement element = dce::next_context(reader);
    if (!reader.ok()) {
      if (!bound_) contexts_.clear();
      disconnected_ = alter;
      if (!alter) nak(dce::NakReason::kNotSpecified);
      return;
    }
    results.push_back(judge(element));
  }
  if (!alter) {
    bound_ = true;
    fragment_send_max_ = std::clamp<uint16_t>(bind->receive_size_max, kMustReceive,
                                              static_cast<uint16_t>(kFragmentSendMax));
  }
  dce::BindAck ack;
  ack.type = alter ? PduType::kAlterContextResp : PduType::kBindAck;
  ack.call_id = header.call_id;
  ack.fragment_size_max = fragment_send_max_;
  ack.association_group =
      bind->association_group != 0 ? bind->association_group : kAssociationGroup;
  if (!alter) ack.secondary_address = service_of(name_).address;
  ack.results = results;
  answer(kSmallPdu + 24 * results.size(), [&](wire::Builder& out) { ack.build(out); });
}

// ---- Calls, C706 12.6.4.9 and 12.6.4.10 ---------------------------------------------------------

void Pipe::on_request(const dce::Header& header, Bytes body, const ServiceView& view) {
  const auto request = dce::Request::parse(body, header.flags);
  // One call is sent at a time: its fragments are not mixed with another's.
  const bool continues = call_ && call_->id == header.call_id;
  if (!request || header.auth_size != 0 || header.first() == continues || (call_ && !continues)) {
    disconnected_ = true;
    return;
  }
  if (header.first()) {
    call_ = Call{header.call_id, request->context_id, request->opnum};
    stub_.clear();
  }
  if (request->stub.size() > kRequestStubMax - stub_.size()) call_->too_big = true;
  if (!call_->too_big) stub_.insert(stub_.end(), request->stub.begin(), request->stub.end());
  if (!header.last()) return;
  execute(view);
  call_.reset();
  stub_ = {};
}

void Pipe::execute(const ServiceView& view) {
  if (call_->too_big) return answer_fault(Fault::kRemoteNoMemory);
  if (!has_context(call_->context_id)) return answer_fault(Fault::kUnknownInterface);
  const auto space = std::make_unique_for_overwrite<uint8_t[]>(kReplyStubMax);
  wire::NdrWriter out(MutableBytes(space.get(), kReplyStubMax));
  const Fault fault = service_of(name_).call(call_->opnum, stub_, view, out);
  if (fault != Fault::kNone) return answer_fault(fault);
  if (!out.ok()) return answer_fault(Fault::kRemoteNoMemory);

  // Pieces are multiples of eight, so that alignment holds in each of them.
  const size_t piece_max = (fragment_send_max_ - dce::kResponseOverhead) / 8 * 8;
  Bytes left = out.written();
  uint8_t flags = dce::kFirstFragment;
  do {
    const Bytes piece = left.first(std::min(left.size(), piece_max));
    if (piece.size() == left.size()) flags |= dce::kLastFragment;
    answer(dce::kResponseOverhead + piece.size(), [&](wire::Builder& pdu) {
      dce::build_response(pdu, flags, call_->id, call_->context_id, left.size(), piece);
    });
    left = left.subspan(piece.size());
    flags = 0;
  } while (!left.empty());
}

}  // namespace semblance::rpc
