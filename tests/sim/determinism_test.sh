#!/bin/bash
# The same seeds give the same hash in another process (another address layout), with other numbers
# of processes, and in a build with another optimisation level and another filling of uninitialised
# variables.
set -euo pipefail
plain=$1
other=$2
line() { "$1" sim --seeds 1..400 --jobs "$2" --tapes "" | tail -1; }
hash() { sed 's/.*hash=//' <<<"$1"; }
first=$(line "$plain" 1)
again=$(line "$plain" 2)
built=$(line "$other" 1)
echo "$first"
echo "$again"
echo "$built"
[[ $(hash "$first") =~ ^[0-9a-f]{32}$ ]]
[[ $(hash "$first") == "$(hash "$again")" ]] || { echo "differs from run to run"; exit 1; }
[[ $(hash "$first") == "$(hash "$built")" ]] || { echo "differs from build to build"; exit 1; }
