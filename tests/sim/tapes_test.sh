#!/bin/bash
# Every tape in tapes/ holds: each is a failure that was found once.
set -euo pipefail
semblance=$1
shift
[[ $# -gt 0 ]] || { echo "no tapes"; exit 1; }
for tape in "$@"; do
  "$semblance" sim --tape "$tape" || { echo "$tape fails again"; exit 1; }
done
echo "$# tapes hold"
