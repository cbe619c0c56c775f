#pragma once
// How requests and store operations are called wherever a run is shown.

#include <string>
#include <string_view>

#include "sim/oracles/exchange.h"

namespace semblance::sim {

// "CREATE"; "?" for a number that is no command.
std::string_view command_name(uint16_t command);

// What a request says beyond its header: " 'a' disposition 1 ...", or nothing. ASCII.
std::string details(const Exchange& exchange);

// What an operation is about: " handle 3 at 0 5 bytes", or nothing. ASCII; its name is
// store_operation_name().
std::string details(const StoreOperation& what);

// "ok, 12 bytes", "not found".
std::string details(const StoreResult& result);

}  // namespace semblance::sim
