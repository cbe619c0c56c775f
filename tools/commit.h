#pragma once
// Which commit this program was built from, for logs and reports: what replays them is built from
// it.

#include <string_view>

namespace semblance {

// Twelve digits, "+changes" behind them when files differed from it; "unknown" without git.
std::string_view build_commit();

}  // namespace semblance
