#pragma once
// `semblance effects`.

namespace semblance {

struct EffectsArguments {
  bool committed = false;  // only the table of tests/cost/effects.txt
  unsigned copy_mib = 0;   // of a file that is copied in and out instead of the canned requests
};

// Exit code: 0, or 1 when something took more store operations than its budget.
int run_effects(const EffectsArguments& arguments);

}  // namespace semblance
