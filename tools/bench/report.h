#pragma once
// What was measured, as a table and as JSON.

#include <string>

#include "tools/bench/load.h"

namespace semblance::bench {

// How it was measured: what a report says besides the numbers.
struct Setting {
  std::string mode, address, share, dialect;
  uint32_t size = 0;  // bytes of an operation's data; 0 where there are none
  size_t depth = 1, connections = 1;
  bool random = false, sign = false, seal = false;
};

std::string table_of(const Setting& setting, const Measured& measured);
std::string json_of(const Setting& setting, const Measured& measured);

}  // namespace semblance::bench
