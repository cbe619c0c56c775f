#pragma once
// The engine's two notions of time. Neither is ever read from a clock: both arrive as events.

#include <compare>
#include <cstdint>

namespace semblance {

// A length of monotonic time in nanoseconds.
struct Duration {
  int64_t ns = 0;

  static constexpr Duration milliseconds(int64_t n) { return {n * 1'000'000}; }
  static constexpr Duration seconds(int64_t n) { return {n * 1'000'000'000}; }
  auto operator<=>(const Duration&) const = default;
};

// A point of the driver's monotonic clock. Only differences mean anything.
struct Instant {
  int64_t ns = 0;

  static constexpr Instant never() { return {INT64_MAX}; }
  auto operator<=>(const Instant&) const = default;
  constexpr Instant operator+(Duration d) const { return {ns + d.ns}; }
  constexpr Duration operator-(Instant other) const { return {ns - other.ns}; }
};

// Wall clock as MS-DTYP 2.3.3 FILETIME: 100 ns ticks since 1601-01-01 UTC. 0 means "not given".
struct FileTime {
  uint64_t ticks = 0;

  static constexpr uint64_t kTicksPerSecond = 10'000'000;
  static constexpr uint64_t kUnixEpoch = 116'444'736'000'000'000;  // 1970-01-01 in ticks

  static constexpr FileTime from_unix(int64_t seconds, int64_t nanoseconds) {
    return {kUnixEpoch + static_cast<uint64_t>(seconds) * kTicksPerSecond +
            static_cast<uint64_t>(nanoseconds / 100)};
  }
  constexpr int64_t unix_seconds() const {
    int64_t since = static_cast<int64_t>(ticks - kUnixEpoch);
    int64_t seconds = since / static_cast<int64_t>(kTicksPerSecond);
    return since % static_cast<int64_t>(kTicksPerSecond) < 0 ? seconds - 1 : seconds;
  }
  constexpr int64_t unix_nanoseconds() const {
    int64_t since = static_cast<int64_t>(ticks - kUnixEpoch);
    return (since - unix_seconds() * static_cast<int64_t>(kTicksPerSecond)) * 100;
  }
  auto operator<=>(const FileTime&) const = default;
};

}  // namespace semblance
