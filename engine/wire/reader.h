#pragma once
// The one reader of bytes that a peer sent.
//
// A Reader never reads outside its span. A read past the end returns zero (or an empty span) and
// makes `ok()` false for good, so a parser reads a whole structure straight down and asks once.

#include "engine/base/bytes.h"

namespace semblance::wire {

class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  Bytes all() const { return bytes_; }

  uint8_t u8() { return take<uint8_t>(); }
  uint16_t u16() { return take<uint16_t>(); }
  uint32_t u32() { return take<uint32_t>(); }
  uint64_t u64() { return take<uint64_t>(); }

  // The next `count` bytes, still in the peer's buffer.
  Bytes bytes(size_t count) {
    if (count > remaining()) return fail();
    Bytes taken = bytes_.subspan(position_, count);
    position_ += count;
    return taken;
  }

  // A fixed-size field by value, e.g. a GUID.
  template <size_t N>
  std::array<uint8_t, N> array() {
    std::array<uint8_t, N> value{};
    Bytes taken = bytes(N);
    if (taken.size() == N) std::memcpy(value.data(), taken.data(), N);
    return value;
  }

  void skip(size_t count) { bytes(count); }

  // Moves to an absolute offset within the span, forwards or backwards.
  void seek(size_t offset) {
    if (offset > bytes_.size())
      fail();
    else
      position_ = offset;
  }

  // A field elsewhere in the message, named by (offset, length) as SMB2 does. Offsets count from
  // the start of the span. A length of 0 is always good and yields an empty span whatever the
  // offset.
  Bytes at(size_t offset, size_t length) {
    if (length == 0) return {};
    if (offset > bytes_.size() || length > bytes_.size() - offset) return fail();
    return bytes_.subspan(offset, length);
  }

  // Marks the message malformed: for rules that bounds alone do not express.
  Bytes fail() {
    ok_ = false;
    return {};
  }

 private:
  template <typename T>
  T take() {
    if (sizeof(T) > remaining()) {
      fail();
      return 0;
    }
    T value = load<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }

  Bytes bytes_;  // invariant: position_ <= bytes_.size()
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace semblance::wire
