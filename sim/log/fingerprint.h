#pragma once
// The content of one event or effect as a few bytes: equal for equal content wherever it lies in
// memory, different for different content (up to collisions of XXH3's 128 bits). Fixed fields stand
// as they are; bytes and text longer than kInline are replaced by their hash.

#include <cstdint>
#include <cstring>

#include "sim/log/content_hash.h"
#include "sim/log/visitor.h"

namespace semblance::log {

class Fingerprint : public Visitor<Fingerprint> {
 public:
  static constexpr size_t kInline = 32;
  static constexpr size_t kCapacity = 512;

  Fingerprint() {}  // the array stays as it is: only what was written is ever read

  template <class T>
  void number(const char*, T value) {
    append(&value, sizeof value);
  }
  void bytes(const char*, Bytes bytes) {
    number("", static_cast<uint64_t>(bytes.size()));
    if (bytes.size() <= kInline) return append(bytes.data(), bytes.size());
    const Hash128 hash = hash128(bytes);
    append(hash.data(), sizeof hash);
  }
  void size(const char*, size_t size) { number("", static_cast<uint64_t>(size)); }
  template <class... T>
  void enter(const char*, const std::variant<T...>& variant) {
    number("", static_cast<uint8_t>(variant.index()));
  }
  void begin(const char*) {}
  void end() {}

  // Valid until the next field.
  Bytes all() const { return {buffer_, used_}; }

 private:
  void append(const void* from, size_t size) {
    if (size == 0) return;
    if (used_ + size > kCapacity) fold();
    std::memcpy(buffer_ + used_, from, size);
    used_ += size;
  }
  // A configuration of many shares does not fit: what is there is replaced by its hash.
  void fold() {
    const Hash128 hash = hash128(all());
    std::memcpy(buffer_, hash.data(), sizeof hash);
    used_ = sizeof hash;
  }

  uint8_t buffer_[kCapacity];
  size_t used_ = 0;
};

}  // namespace semblance::log
