#!/bin/bash
# Every source file is formatted as .clang-format says.
set -euo pipefail
# The test is declared local: the link leads to the checkout, whose files it looks at.
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
cd "$root"
mapfile -t files < <(find engine io sim fuzz tools tests \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort)
bad=0
for file in "${files[@]}"; do
  if ! clang-format-19 "$file" | cmp -s - "$file"; then
    echo "not formatted: $file   (clang-format-19 -i $file)"
    bad=$((bad + 1))
  fi
done
echo "${#files[@]} files, $bad not formatted"
[[ $bad == 0 ]]
