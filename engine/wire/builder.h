#pragma once
// The one writer of messages.
//
// A Builder fills a caller's span in place (a transmit buffer, usually) and never writes outside
// it. Writing past the end writes nothing and makes `ok()` false for good: how a reply that does
// not fit is noticed, once, at the end. Padding is always zero, so no stale byte reaches the wire.

#include "engine/base/bytes.h"

namespace semblance::wire {

class Builder {
 public:
  explicit Builder(MutableBytes out) : out_(out) {}

  bool ok() const { return ok_; }
  size_t size() const { return size_; }
  size_t room() const { return out_.size() - size_; }
  MutableBytes written() const { return out_.first(size_); }

  void u8(uint8_t value) { put(value); }
  void u16(uint16_t value) { put(value); }
  void u32(uint32_t value) { put(value); }
  void u64(uint64_t value) { put(value); }

  void bytes(Bytes data) {
    MutableBytes to = reserve(data.size());
    if (!to.empty()) std::memcpy(to.data(), data.data(), data.size());
  }

  void zeros(size_t count) {
    MutableBytes to = reserve(count);
    if (!to.empty()) std::memset(to.data(), 0, to.size());
  }

  // Zero padding up to a multiple of `alignment`, counted from the start of the span.
  void align(size_t alignment) { zeros(align_up(size_, alignment) - size_); }

  // Room for `count` bytes that the caller fills; empty when it does not fit.
  MutableBytes reserve(size_t count) {
    if (count > room()) {
      ok_ = false;
      return {};
    }
    MutableBytes to = out_.subspan(size_, count);
    size_ += count;
    return to;
  }

  // Overwrites a field written earlier: lengths and offsets that are known late.
  void patch_u16(size_t offset, uint16_t value) { patch(offset, value); }
  void patch_u32(size_t offset, uint32_t value) { patch(offset, value); }

  // Takes back everything after `size`: an entry that turned out not to fit. Clears the failure.
  void rewind(size_t size) {
    if (size > size_) return;
    size_ = size;
    ok_ = true;
  }

 private:
  template <typename T>
  void put(T value) {
    MutableBytes to = reserve(sizeof value);
    if (!to.empty()) store(to.data(), value);
  }

  template <typename T>
  void patch(size_t offset, T value) {
    if (offset + sizeof value <= size_)
      store(out_.data() + offset, value);
    else
      ok_ = false;
  }

  MutableBytes out_;  // invariant: size_ <= out_.size()
  size_t size_ = 0;
  bool ok_ = true;
};

}  // namespace semblance::wire
