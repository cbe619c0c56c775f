#pragma once
// The fields of any wire struct, and the comparison of two. Found by decomposition, so a new field
// is covered without a line here. For tests and fuzzers alike.

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/base/bytes.h"

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

}  // namespace semblance::wire::test
