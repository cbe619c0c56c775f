#pragma once
// How libFuzzer changes scripts: it inserts, drops, repeats and moves records; makes honest
// requests and changes their fields, references and bytes; and keeps lengths right, mostly, so that
// what is behind them is reached.

#include "engine/base/bytes.h"

namespace semblance::fuzz {

// In place; returns the new size, at most `max_size`.
size_t mutate_script(uint8_t* data, size_t size, size_t max_size, unsigned seed);
// Into `out`; returns how much of it is used.
size_t cross_scripts(Bytes one, Bytes other, MutableBytes out, unsigned seed);

}  // namespace semblance::fuzz
