#!/bin/bash
# replay_test.sh TARGET CORPUS...: every file of the corpus once. Without files it fails: a corpus
# that is gone must be noticed. (Named one by one, so that a libFuzzer binary replays them too.)
set -euo pipefail
target=$1
shift
[[ $# -gt 0 && -f $1 ]] || { echo "no corpus for $target" >&2; exit 1; }
log=$(mktemp -p "${TEST_TMPDIR:-/tmp}")
"$target" "$@" >"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }
echo "$# files"
