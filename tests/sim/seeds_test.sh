#!/bin/bash
# The seeds that always hold, then a minute of seeds that nobody has run: their first one comes from
# the commit, so that every commit has its own and any of them can be run again.
set -euo pipefail
semblance=$1
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
commit=$(git -C "$root" rev-parse HEAD 2>/dev/null || date +%Y%m%d)
first=$((16#$(printf %s "$commit" | sha256sum | cut -c1-12)))
tapes=${TEST_UNDECLARED_OUTPUTS_DIR:-${TEST_TMPDIR:-.}}

"$semblance" sim --seeds 1..1000 --jobs 2 --tapes "$tapes"
echo "fresh seeds from $first, commit $commit"
"$semblance" sim --seeds "$first..$((first + 1000000))" --minutes 1 --jobs 2 --tapes "$tapes"
