#include "tools/bench/lane.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/transform_header.h"

namespace semblance::bench {
namespace {

using wire::kFrameHeaderSize;
using wire::kHeaderSize;

constexpr size_t kHeaderMessageIdAt = 24;
// Ids that may be unanswered behind an operation that takes long, as a multiple of what all take.
constexpr size_t kWindowsWaiting = 16;

void frame_header(MutableBytes to, size_t length) {
  wire::Builder b(to);
  wire::FrameHeader{wire::kFrameSessionMessage, static_cast<uint32_t>(length)}.build(b);
}

}  // namespace

Lane::Lane(const client::Client& client, client::Session& session, const client::Tree& tree,
           Work& work, const LaneOptions& options)
    : session_(session),
      work_(work),
      options_(options),
      slots_(options.depth),
      next_message_id_(client.next_message_id()),
      credits_(client.credits()) {
  for (const client::Request& request : work_.compound(0)) {
    elements_.push_back({.charge = client.charge_for(request.payload)});
    charge_ += elements_.back().charge;
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    lay_out(i, tree);
    free_.push_back(static_cast<uint32_t>(slots_.size() - 1 - i));
  }
  waiting_.resize(kWindowsWaiting * charge_ * options.depth);
  outgoing_.reserve(2 * options.depth);
}

void Lane::lay_out(size_t index, const client::Tree& tree) {
  std::vector<uint8_t>& frame = slots_[index].frame;
  frame.resize(kFrameHeaderSize);
  std::vector<client::Request> compound = work_.compound(index);
  for (size_t i = 0; i < compound.size(); ++i) {
    const bool last = i + 1 == compound.size();
    client::Request request =
        i == 0 ? client::on(tree, std::move(compound[i])) : client::related(std::move(compound[i]));
    if (!last) request.element.resize(align_up(request.element.size(), 8));
    wire::Header header;
    header.credit_charge = elements_[i].charge;
    header.command = request.command;
    header.tree_id = request.tree_id;
    header.session_id = request.session_id;
    if (request.related) header.flags |= wire::kFlagRelatedOperations;
    if (options_.sign && !options_.seal) header.flags |= wire::kFlagSigned;
    if (!last) header.next_command = static_cast<uint32_t>(request.element.size());
    wire::Builder b(MutableBytes(request.element).first(kHeaderSize));
    header.build(b);
    elements_[i].at = frame.size() - kFrameHeaderSize;
    elements_[i].size = request.element.size();
    frame.insert(frame.end(), request.element.begin(), request.element.end());
  }
  frame_header(frame, frame.size() - kFrameHeaderSize);
}

void Lane::issue(uint64_t now_ns, Tally& tally) {
  while (credits_ >= charge_) {
    const bool again = !again_.empty();
    if (!again && (stopping_ || free_.empty())) return;
    // Somebody has waited so long that ids have come round.
    if (waiting(next_message_id_).message_id != UINT64_MAX) return;
    const size_t index = again ? again_.back() : free_.back();
    Slot& slot = slots_[index];
    const MutableBytes message = MutableBytes(slot.frame).subspan(kFrameHeaderSize);
    if (again) {
      again_.pop_back();
      work_.go_on(index, message);
    } else {
      free_.pop_back();
      slot.started_ns = now_ns;
      slot.error.reset();
      slot.wrong = nullptr;
      reached_depth_ = std::max(reached_depth_, ++in_flight_);
      work_.next(index, message);
    }
    slot.again = false;
    send_slot(index);
  }
}

void Lane::send_slot(size_t index) {
  Slot& slot = slots_[index];
  slot.unanswered = elements_.size();
  const MutableBytes message = MutableBytes(slot.frame).subspan(kFrameHeaderSize);
  // Asks for as many as it uses, and more until the whole depth can be at work at once.
  const int64_t short_of =
      static_cast<int64_t>(charge_ * (options_.depth - in_flight_ + 1)) - credits_;
  const auto more = static_cast<uint16_t>(std::clamp<int64_t>(short_of, 0, 256));
  for (size_t i = 0; i < elements_.size(); ++i) {
    const Element& element = elements_[i];
    uint8_t* header = message.data() + element.at;
    store<uint16_t>(header + wire::kHeaderCreditsAt, element.charge + (i == 0 ? more : 0));
    store<uint64_t>(header + kHeaderMessageIdAt, next_message_id_);
    waiting(next_message_id_) = {next_message_id_, static_cast<uint32_t>(index),
                                 static_cast<uint32_t>(i)};
    next_message_id_ += element.charge;
    credits_ -= element.charge;
    if (options_.sign && !options_.seal)
      session_.signer()->sign(message.subspan(element.at, element.size));
  }
  if (!options_.seal) {
    outgoing_.push_back({slot.frame.data(), slot.frame.size()});
    return;
  }
  // Into the same memory as ever: what is not sent yet may still point there.
  const std::vector<uint8_t> sealed = session_.seals()->seal(session_.id(), message);
  slot.sealed.assign(sealed.begin(), sealed.end());
  frame_header(slot.frame, slot.sealed.size());
  outgoing_.push_back({slot.frame.data(), kFrameHeaderSize});
  outgoing_.push_back({slot.sealed.data(), slot.sealed.size()});
}

void Lane::sent(size_t bytes) {
  while (bytes > 0) {
    iovec& first = outgoing_[first_outgoing_];
    const size_t of_it = std::min(bytes, first.iov_len);
    first.iov_base = static_cast<uint8_t*>(first.iov_base) + of_it;
    first.iov_len -= of_it;
    bytes -= of_it;
    if (first.iov_len == 0) ++first_outgoing_;
  }
  if (first_outgoing_ < outgoing_.size()) return;
  outgoing_.clear();
  first_outgoing_ = 0;
}

size_t Lane::receive(MutableBytes bytes, uint64_t now_ns, Tally& tally) {
  size_t at = 0;
  for (;;) {
    const MutableBytes rest = bytes.subspan(at);
    const auto frame = wire::FrameHeader::parse(rest);
    if (!frame || rest.size() < kFrameHeaderSize + frame->length) return at;
    at += kFrameHeaderSize + frame->length;
    MutableBytes message = rest.subspan(kFrameHeaderSize, frame->length);
    bool sealed = false;
    if (wire::protocol_id(message) == wire::kProtocolIdTransform) {
      const auto header = wire::TransformHeader::parse(message);
      sealed =
          header && session_.seals() != nullptr && session_.seals()->open(*header, message).empty();
      if (!sealed) {
        fault("a seal that does not open", tally);
        continue;
      }
      message = message.subspan(wire::kTransformHeaderSize);
    }
    take_message(message, sealed, now_ns, tally);
  }
}

void Lane::take_message(MutableBytes message, bool sealed, uint64_t now_ns, Tally& tally) {
  for (Bytes rest = message;;) {
    const auto header = wire::Header::parse(rest);
    if (!header || !header->is_response()) return fault("no response", tally);
    const size_t next = header->next_command;
    if (next != 0 && (next < kHeaderSize || next >= rest.size()))
      return fault("NextCommand leads nowhere", tally);
    take_reply(*header, next == 0 ? rest : rest.first(next), sealed, now_ns, tally);
    if (next == 0) return;
    rest = rest.subspan(next);
  }
}

void Lane::take_reply(const wire::Header& header, Bytes element, bool sealed, uint64_t now_ns,
                      Tally& tally) {
  credits_ += header.credits;
  if (header.message_id == wire::kUnsolicitedMessageId) return;
  Waiting& waited = waiting(header.message_id);
  if (waited.message_id != header.message_id) return fault("a reply to nothing", tally);
  const bool interim = header.is_async() && header.nt_status() == NtStatus::kPending;
  if (interim) return;
  const auto [id, index, number] = waited;
  waited.message_id = UINT64_MAX;
  Slot& slot = slots_[index];
  if (options_.seal && !sealed) slot.wrong = "plaintext reply to a sealed request";
  if (options_.sign && !options_.seal && !session_.signer()->verify(element))
    slot.wrong = "reply without a right signature";
  if (is_error(header.nt_status())) {
    if (!slot.error) slot.error = header.nt_status();
  } else {
    const Verdict verdict = work_.judge(index, number, header, element);
    if (verdict == Verdict::kAgain) slot.again = true;
    if (verdict == Verdict::kWrong) slot.wrong = "reply that is not what was asked for";
  }
  if (--slot.unanswered == 0) finish(index, now_ns, tally);
}

void Lane::finish(size_t index, uint64_t now_ns, Tally& tally) {
  Slot& slot = slots_[index];
  const bool failed = slot.error || slot.wrong != nullptr;
  if (slot.again && !failed) {
    again_.push_back(static_cast<uint32_t>(index));
    return;
  }
  --in_flight_;
  free_.push_back(static_cast<uint32_t>(index));
  if (!failed) {
    ++tally.operations;
    tally.latency.record(now_ns - slot.started_ns);
    return;
  }
  ++tally.failed;
  if (slot.error)
    ++tally.errors[*slot.error];
  else
    ++tally.wrong[slot.wrong];
}

void Lane::fault(const char* what, Tally& tally) {
  ++tally.failed;
  ++tally.wrong[what];
}

}  // namespace semblance::bench
