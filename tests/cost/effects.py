"""The table effects.txt: what `semblance effects` counts."""

import subprocess

import tables

FILE = "effects.txt"
HEAD = f"""\
# What a request takes, on average of many: store operations and how many it may take, bytes copied
# by calls, MACs and seals, allocations. `semblance effects` makes it; HACKING.md, "What a request
# costs", reads it. Renewed by: {tables.RENEW}
"""


def measure():
    """(the table, what the tool complained of, its exit code: 1 when a budget is overdrawn)."""
    done = subprocess.run([tables.program("tools/semblance"), "effects", "--committed"],
                          capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1):
        raise SystemExit(f"FAIL: semblance effects ended with {done.returncode}\n{done.stderr}")
    return HEAD + done.stdout, done.stderr, done.returncode
