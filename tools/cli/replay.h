#pragma once
// `semblance replay LOG`.

#include <string>

namespace semblance {

// Replays an event log and prints whether the engine did the same again; with `trace` every event
// and effect too. 0: it did; 1: it did not; 2: the file is no log, or damaged.
int replay_log(const std::string& file, bool trace);

}  // namespace semblance
