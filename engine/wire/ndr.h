#pragma once
// NDR, transfer syntax version 2 (C706 14), little-endian: what the small RPC services need.
// Alignment counts from the start of the stub, so both classes are given exactly a stub.

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/utf16.h"
#include "engine/wire/builder.h"
#include "engine/wire/reader.h"

namespace semblance::wire {

class NdrReader {
 public:
  explicit NdrReader(Bytes stub) : reader_(stub) {}

  bool ok() const { return reader_.ok(); }

  uint32_t u32() {
    align(4);
    return reader_.u32();
  }

  // A unique or full pointer's referent id: whether there is a referent. It follows later.
  bool pointer() { return u32() != 0; }

  // [string] wchar_t*: conformant and varying, with its terminating zero, which is not returned.
  std::u16string wide_string() {
    const uint32_t max_count = u32();
    const uint32_t offset = u32();
    const uint32_t count = u32();
    if (offset != 0 || count == 0 || count > max_count) {
      reader_.fail();
      return {};
    }
    std::u16string text = utf16_from_wire(reader_.bytes(size_t{count} * sizeof(char16_t)));
    if (!reader_.ok() || text.back() != 0) {
      reader_.fail();
      return {};
    }
    text.pop_back();
    return text;
  }

  // A [unique, string] parameter. None: a null pointer, or malformed (then ok() is false).
  std::optional<std::u16string> unique_string() {
    if (!pointer()) return std::nullopt;
    return wide_string();
  }

 private:
  void align(size_t to) { reader_.skip(align_up(reader_.position(), to) - reader_.position()); }

  Reader reader_;
};

class NdrWriter {
 public:
  explicit NdrWriter(MutableBytes out) : out_(out) {}

  bool ok() const { return out_.ok(); }
  size_t size() const { return out_.size(); }
  size_t room() const { return out_.room(); }
  Bytes written() const { return out_.written(); }

  void u32(uint32_t value) {
    out_.align(4);
    out_.u32(value);
  }
  void null() { u32(0); }
  // A referent id, unlike all others in this stub. The referent is written later, in order.
  void pointer() {
    u32(next_referent_);
    next_referent_ += 4;
  }

  void wide_string(std::u16string_view text) {
    const uint32_t count = static_cast<uint32_t>(text.size() + 1);
    u32(count);
    u32(0);
    u32(count);
    out_.bytes(as_bytes(text));
    out_.u16(0);
  }
  // Bytes that wide_string() takes, with the padding to what follows.
  static constexpr size_t wide_string_size(std::u16string_view text) {
    return align_up(12 + (text.size() + 1) * sizeof(char16_t), 4);
  }

 private:
  Builder out_;
  uint32_t next_referent_ = 0x00020000;
};

}  // namespace semblance::wire
