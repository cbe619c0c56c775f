#pragma once
// Arbitrary values of every wire struct, their comparison, and the properties that every layout
// has (wire_layout_suite.h makes tests of them). Fields are found by decomposition, so a new field
// is covered without a line here.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/wire/body.h"
#include "engine/wire/u16_list.h"

namespace semblance::wire::test {

struct AnyField {
  template <typename T>
  operator T() const;
};

template <typename T, size_t... I>
constexpr bool takes_fields(std::index_sequence<I...>) {
  return requires { T{((void)I, AnyField{})...}; };
}

template <typename T, size_t N = 16>
constexpr size_t field_count() {
  if constexpr (N == 0 || takes_fields<T>(std::make_index_sequence<N>{}))
    return N;
  else
    return field_count<T, N - 1>();
}

// References to all fields of `v`.
template <typename T>
auto fields(T& v) {
  constexpr size_t n = field_count<std::remove_const_t<T>>();
  static_assert(n <= 14);
  if constexpr (n == 0) {
    return std::tie();
  } else if constexpr (n == 1) {
    auto& [a] = v;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = v;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = v;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = v;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = v;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = v;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = v;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, f, g, h] = v;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = v;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (n == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o);
  }
}

template <typename T>
struct IsByteArray : std::false_type {};
template <size_t N>
struct IsByteArray<std::array<uint8_t, N>> : std::true_type {};

template <typename T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || IsByteArray<T>::value) {
    return a == b;
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return std::ranges::equal(a, b);
  } else {
    auto left = fields(a), right = fields(b);
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return (same(std::get<I>(left), std::get<I>(right)) && ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(left)>>{});
  }
}

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
