#pragma once
// XXH3 over bytes that come in pieces (ContentHash) or in one (hash128, hash64). Where the pieces
// begin and end does not count. Values are the same on every machine.

#include <array>
#include <cstdint>
#include <memory>

#include "engine/base/bytes.h"

struct XXH3_state_s;

namespace semblance::log {

using Hash128 = std::array<uint64_t, 2>;  // {low, high}

Hash128 hash128(Bytes bytes);
uint64_t hash64(Bytes bytes);

class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(ContentHash&&) noexcept;
  ContentHash& operator=(ContentHash&&) noexcept;

  void add(Bytes bytes);
  // Of everything so far; going on afterwards is fine.
  Hash128 digest() const;
  // Starts over.
  void reset();

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace semblance::log
