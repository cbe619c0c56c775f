#!/usr/bin/python3
"""No request takes more than 3 % more of the engine's instructions than instructions.txt says. One
that takes 5 % less is to be written down, so that it stays so."""

import os
import sys

sys.path.insert(0, os.path.join(os.getcwd(), "tests", "cost"))

import instructions  # noqa: E402
import tables  # noqa: E402

WORSE, BETTER = 0.03, -0.05


def main():
    if not instructions.is_comparable():
        print("NOT RUN: instructions_test: only the optimised, plain build is compared")
        return 0
    new = instructions.measure()
    print(new)
    _, before = tables.read(tables.committed(instructions.FILE))
    _, after = tables.read(new)
    dearer, other = [], []
    for name in [*before, *(name for name in after if name not in before)]:
        if name not in after or name not in before:
            other.append(f"{name}: {'gone' if name in before else 'new'}")
            continue
        was, now = int(before[name][0]), int(after[name][0])
        change = (now - was) / was
        line = f"{name}: {was} -> {now} instructions of the engine ({change:+.1%})"
        if change > WORSE:
            dearer.append(line)
        elif change < BETTER:
            print(f"{line}: better; please renew the table: {tables.RENEW}")
    if dearer:
        print("\n".join(dearer))
        print("\nFAIL: requests got dearer. If that is meant, say why in the commit and renew the table:"
              f"\n    {tables.RENEW}")
    if other:
        print("\n".join(other))
        print(f"\nFAIL: tests/cost/instructions.txt has other scenarios; renew it:\n    {tables.RENEW}")
    return 1 if dearer or other else 0


if __name__ == "__main__":
    sys.exit(main())
