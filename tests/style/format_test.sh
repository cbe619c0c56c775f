#!/bin/bash
# Every source file is formatted as .clang-format says.
set -euo pipefail
# The test is declared local: the link leads to the checkout, whose files it looks at.
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
cd "$root"
mapfile -t files < <(find engine io sim fuzz tools tests \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort)
bad=$(clang-format-19 --dry-run --Werror "${files[@]}" 2>&1 |
  grep -oE '^[a-z0-9_/.]+\.(h|cc):' | sort -u || true)
if [[ -n $bad ]]; then
  echo "$bad"
  echo "not formatted; repair with: clang-format-19 -i FILES"
  exit 1
fi
echo "${#files[@]} files are formatted"
