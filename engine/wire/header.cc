#include "engine/wire/header.h"

namespace semblance::wire {

Result<Header> Header::parse(Bytes element) {
  if (element.size() < kHeaderSize) return fail(NtStatus::kInvalidParameter);
  Reader r(element);
  Header h;
  if (r.u32() != kProtocolIdSmb2) r.fail();
  if (r.u16() != kHeaderSize) r.fail();
  h.credit_charge = r.u16();
  h.status = r.u32();
  h.command = static_cast<Command>(r.u16());
  h.credits = r.u16();
  h.flags = r.u32();
  h.next_command = r.u32();
  h.message_id = r.u64();
  if (h.is_async()) {
    h.async_id = r.u64();
  } else {
    h.process_id = r.u32();
    h.tree_id = r.u32();
  }
  h.session_id = r.u64();
  h.signature = r.array<16>();
  return finish(r, h);
}

void Header::build(Builder& b) const {
  MutableBytes to = b.reserve(kHeaderSize);
  if (to.empty()) return;
  uint8_t* p = to.data();
  uint64_t async_or_tree =
      is_async() ? async_id : (static_cast<uint64_t>(tree_id) << 32 | process_id);
  store<uint32_t>(p, kProtocolIdSmb2);
  store<uint16_t>(p + 4, kHeaderSize);
  store<uint16_t>(p + 6, credit_charge);
  store<uint32_t>(p + 8, status);
  store<uint16_t>(p + 12, static_cast<uint16_t>(command));
  store<uint16_t>(p + kHeaderCreditsAt, credits);
  store<uint32_t>(p + kHeaderFlagsAt, flags);
  store<uint32_t>(p + kHeaderNextCommandAt, next_command);
  store<uint64_t>(p + 24, message_id);
  store<uint64_t>(p + 32, async_or_tree);
  store<uint64_t>(p + 40, session_id);
  std::memcpy(p + kHeaderSignatureAt, signature.data(), signature.size());
}

}  // namespace semblance::wire
