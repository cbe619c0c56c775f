#!/usr/bin/python3
"""No request takes more than effects.txt says, nor less: the table in the repository is the one that
this commit makes, so that a review sees what a change costs."""

import os
import sys

sys.path.insert(0, os.path.join(os.getcwd(), "tests", "cost"))

import effects  # noqa: E402
import tables  # noqa: E402


def differences(old, new):
    """Lines of what changed, and whether anything got dearer."""
    headings, before = tables.read(old)
    _, after = tables.read(new)
    dearer, lines = False, []
    for name in [*before, *(name for name in after if name not in before)]:
        if name not in after or name not in before:
            lines.append(f"{name}: {'gone' if name in before else 'new'}")
            continue
        for heading, was, now in zip(headings, before[name], after[name]):
            a, b = tables.number(was), tables.number(now)
            if a is None or b is None or a == b:
                continue
            worse = b > a and heading != "budget"
            dearer |= worse
            lines.append(f"{name}: {heading} {was} -> {now}{'  DEARER' if worse else ''}")
        if before[name] != after[name] and not any(line.startswith(name + ":") for line in lines):
            lines.append(f"{name}: {' '.join(before[name])} -> {' '.join(after[name])}")
    return lines, dearer


def main():
    new, complaint, code = effects.measure()
    if complaint:
        print(f"NOT RUN: effects_test: {complaint.strip()}")
        return 0
    if code != 0:
        print(f"{new}\nFAIL: more store operations than the budget allows (engine/smb/ledger.cc)")
        return 1
    old = tables.committed(effects.FILE)
    if new == old:
        print(new)
        return 0
    lines, dearer = differences(old, new)
    print("\n".join(lines) or "the comments or headings differ")
    print("\nFAIL: requests got dearer. If that is meant, say why in the commit and renew the table:"
          if dearer else "\nFAIL: tests/cost/effects.txt is out of date; renew it:")
    print(f"    {tables.RENEW}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
