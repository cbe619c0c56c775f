#include "engine/wire/create_contexts.h"

namespace semblance::wire {

namespace {

constexpr size_t kHeadSize = 16;

}  // namespace

std::optional<CreateContext> CreateContexts::next() {
  if (done_ || !ok_) return std::nullopt;
  size_t next_offset = Reader(chain_).u32();
  if (next_offset % 8 != 0 || next_offset > chain_.size() ||
      (next_offset != 0 && next_offset < kHeadSize)) {
    ok_ = false;
    return std::nullopt;
  }
  Reader r(next_offset == 0 ? chain_ : chain_.first(next_offset));
  r.skip(4);
  size_t name_offset = r.u16(), name_length = r.u16();
  r.skip(2);
  size_t data_offset = r.u16(), data_length = r.u32();
  if (name_length == 0 || name_offset < kHeadSize) r.fail();
  if (data_length != 0 && data_offset < kHeadSize) r.fail();
  CreateContext context{r.at(name_offset, name_length), r.at(data_offset, data_length)};
  ok_ = r.ok();
  if (!ok_) return std::nullopt;
  done_ = next_offset == 0;
  chain_ = chain_.subspan(next_offset);
  return context;
}

void CreateContextWriter::begin(Bytes name) {
  b_.align(8);
  size_t at = b_.size();
  if (at_ != kNone && b_.ok()) b_.patch_u32(at_, static_cast<uint32_t>(at - at_));
  at_ = at;
  b_.u32(0);
  b_.u16(kHeadSize);
  b_.u16(length_u16(name));
  b_.zeros(8);
  b_.bytes(name);
  b_.align(8);
  data_at_ = b_.size();
}

void CreateContextWriter::end() {
  if (!b_.ok()) return;
  size_t length = b_.size() - data_at_;
  // A context without data keeps DataOffset 0.
  if (length == 0) return;
  b_.patch_u16(at_ + 10, static_cast<uint16_t>(data_at_ - at_));
  b_.patch_u32(at_ + 12, static_cast<uint32_t>(length));
}

}  // namespace semblance::wire
