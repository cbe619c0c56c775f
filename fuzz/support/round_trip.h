#pragma once
// What every layout must do with every input: parse it or refuse it; and what it parsed, built
// again, must parse to the same.

#include <vector>

#include "engine/base/check.h"
#include "engine/base/status.h"
#include "engine/wire/builder.h"
#include "engine/wire/u16_list.h"
#include "tests/unit/wire_fields.h"

namespace semblance::fuzz {

// Makes the compiler believe that `value` is looked at, so that no parse is optimised away.
template <typename T>
inline void look_at(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

template <typename T>
bool equal(const T& a, const T& b) {
  if constexpr (requires { a == b; })
    return a == b;
  else
    return wire::test::same(a, b);
}

// What `value` is on the wire, behind `prefix` zero bytes; CHECKs that it can be written.
// `room` bounds its size.
template <typename T>
std::vector<uint8_t> built(const T& value, size_t prefix, size_t room) {
  std::vector<uint8_t> memory(prefix + room);
  wire::Builder b(memory);
  b.zeros(prefix);
  value.build(b);
  CHECK(b.ok());
  memory.resize(b.size());
  memory.shrink_to_fit();  // so that the sanitizer sees any step behind the end
  return memory;
}

// Views of one input may overlap, so what is built can be several times as long.
inline constexpr size_t kViewsMax = 5;

// `bytes` begin with `prefix` bytes that are no part of the layout (a message's header).
template <typename T>
void round_trip(Bytes bytes, size_t prefix = 0) {
  Result<T> first = T::parse(bytes);
  if (!first) return;
  std::vector<uint8_t> again = built(*first, prefix, kViewsMax * bytes.size() + 1024);
  Result<T> second = T::parse(again);
  CHECK(second.has_value());
  CHECK(equal(*first, *second));
}

}  // namespace semblance::fuzz
