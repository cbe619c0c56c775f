#pragma once
// Arbitrary values of every wire struct, and the properties that every layout has
// (wire_layout_suite.h makes tests of them).

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <vector>

#include "engine/wire/body.h"
#include "engine/wire/u16_list.h"
#include "tests/unit/wire_fields.h"

namespace semblance::wire::test {

// Owns what the views of generated structs point to.
class Arena {
 public:
  Bytes keep(std::vector<uint8_t> bytes) { return kept_.emplace_back(std::move(bytes)); }

  // Arbitrary bytes, their number a multiple of `unit`.
  Bytes bytes(size_t unit = 1, size_t count_min = 0) {
    size_t count = count_min + *rc::gen::inRange<size_t>(0, 24);
    return keep(
        *rc::gen::container<std::vector<uint8_t>>(count * unit, rc::gen::arbitrary<uint8_t>()));
  }

  template <typename T>
  void fill(T& v) {
    if constexpr (std::is_arithmetic_v<T>) {
      v = *rc::gen::arbitrary<T>();
    } else if constexpr (std::is_enum_v<T>) {
      v = static_cast<T>(*rc::gen::arbitrary<std::underlying_type_t<T>>());
    } else if constexpr (IsByteArray<T>::value) {
      v = *rc::gen::container<T>(rc::gen::arbitrary<uint8_t>());
    } else if constexpr (std::is_same_v<T, Bytes>) {
      v = bytes();
    } else if constexpr (std::is_same_v<T, U16List>) {
      v.raw = bytes(2);
    } else {
      std::apply([&](auto&... field) { (fill(field), ...); }, fields(v));
    }
  }

 private:
  std::deque<std::vector<uint8_t>> kept_;
};

// Makes a filled struct one that can stand on the wire: overloaded where not every combination of
// fields can. Found by argument-dependent lookup in semblance::wire.
struct NotSpecial {};
template <typename T>
void make_valid(Arena&, T& v, NotSpecial = {}) {
  if constexpr (requires { v.file_name; })
    v.file_name = v.file_name.first(v.file_name.size() & ~size_t{1});
}

template <typename T>
T any(Arena& arena) {
  T v{};
  arena.fill(v);
  make_valid(arena, v);
  return v;
}

// Messages stand behind a header; contexts and information stand alone.
template <typename T>
constexpr size_t prefix() {
  return requires { T::kStructureSize; } && !requires { T::kTag; } ? kHeaderSize : 0;
}

template <typename T>
std::vector<uint8_t> encode(const T& v) {
  std::vector<uint8_t> memory(4096, 0xA5);
  Builder b(memory);
  b.zeros(prefix<T>());
  v.build(b);
  EXPECT_TRUE(b.ok());
  memory.resize(b.size());
  return memory;
}

// Bytes that must be there whatever the variable part.
template <typename T>
size_t fixed_size() {
  if constexpr (prefix<T>() != 0)
    return variable_offset(T::kStructureSize);
  else if constexpr (requires { T::kSize; })
    return T::kSize;
  else
    return encode(T{}).size();
}

// Parses from memory of exactly the right size, so that a sanitizer sees any step outside.
template <typename T>
bool parse_exactly(Bytes bytes) {
  std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  copy.shrink_to_fit();
  return T::parse(copy).has_value();
}

// Property: what is built parses to the same struct.
template <typename T>
void round_trips() {
  Arena arena;
  T v = any<T>(arena);
  std::vector<uint8_t> bytes = encode(v);
  Result<T> parsed = T::parse(bytes);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(same(v, *parsed));
}

// Property: a message cut anywhere is safe, and fails if its fixed part is cut.
template <typename T>
void survives_truncation() {
  Arena arena;
  std::vector<uint8_t> bytes = encode(any<T>(arena));
  for (size_t n = 0; n <= bytes.size(); ++n) {
    bool parsed = parse_exactly<T>(Bytes(bytes).first(n));
    if (n < fixed_size<T>()) RC_ASSERT(!parsed);
  }
}

// Property: a builder without enough room says so and stays inside its span.
template <typename T>
void notices_lack_of_room() {
  Arena arena;
  T v = any<T>(arena);
  std::vector<uint8_t> whole = encode(v);
  if (whole.size() <= prefix<T>()) return;
  size_t room = *rc::gen::inRange<size_t>(prefix<T>(), whole.size());
  std::vector<uint8_t> memory(room);
  Builder b{MutableBytes(memory)};
  b.zeros(prefix<T>());
  v.build(b);
  RC_ASSERT(!b.ok());
}

// Property: hostile bytes are safe: noise, and a valid message with a few bytes changed.
template <typename T>
void survives_noise() {
  Arena arena;
  parse_exactly<T>(arena.bytes(8));
  std::vector<uint8_t> bytes = encode(any<T>(arena));
  if (bytes.size() <= prefix<T>()) return;
  for (int i = 0; i < 4; ++i) {
    size_t at = *rc::gen::inRange<size_t>(prefix<T>(), bytes.size());
    bytes[at] = *rc::gen::element<uint8_t>(0, 1, 8, 64, 0x7F, 0x80, 0xFF);
    parse_exactly<T>(bytes);
  }
}

}  // namespace semblance::wire::test
