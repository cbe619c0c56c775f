"""The table instructions.txt: what callgrind counts while tests/cost/instructions plays the canned
requests."""

import collections
import glob
import os
import shutil
import subprocess
import tempfile

import tables

FILE = "instructions.txt"
HEAD = f"""\
# Instructions of a request within Engine::step and transmit, counted by callgrind. "engine": this
# program's own, which the test holds; "crypto": libcrypto's and nettle's, "runtime": libc's and
# libstdc++'s, which depend on the processor and on the libraries' versions, for information.
# HACKING.md, "What a request costs", reads it. Renewed by: {tables.RENEW}
"""
COLUMNS = ("engine", "crypto", "runtime")


def column_of(loaded, binary):
    name = os.path.basename(loaded)
    if name == os.path.basename(binary):
        return "engine"
    return "crypto" if name.startswith(("libcrypto", "libnettle")) else "runtime"


def parse(path, binary):
    """(the dump's label, {column: instructions}) of one callgrind output, by self cost."""
    label, counted, loaded, callee = None, collections.Counter(), "", False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("desc: Trigger: Client Request: "):
                label = line.split(": ", 3)[3].strip()
            elif line.startswith("ob="):
                loaded = line[3:].strip()
            elif line.startswith("calls="):
                callee = True  # the next line has what the callee took, which is counted there
            elif line[:1].isdigit() or line[:1] in "+-*":
                if not callee:
                    counted[column_of(loaded, binary)] += int(line.split()[1])
                callee = False
    return label, counted


def is_comparable():
    """Whether this is the build whose instructions the table has."""
    return subprocess.run([tables.program("tests/cost/instructions"), "--plain"],
                          timeout=60).returncode == 0


def measure(only=None, keep=None):
    """The table. `only`: one scenario; `keep`: a folder that keeps callgrind's output."""
    valgrind = shutil.which("valgrind", path="/usr/local/bin:/usr/bin:/bin")
    if valgrind is None:
        raise SystemExit("FAIL: valgrind is missing: install the Debian package valgrind")
    binary = tables.program("tests/cost/instructions")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(keep or folder, "callgrind.out")
        subprocess.run([valgrind, "-q", "--tool=callgrind", "--instr-atstart=no",
                        "--collect-atstart=no", "--compress-strings=no", "--compress-pos=no",
                        f"--callgrind-out-file={output}", binary, *([only] if only else [])],
                       check=True, timeout=300)
        parts = glob.glob(output + ".*")
        parts.sort(key=lambda path: int(path.rsplit(".", 1)[1]))
        text = HEAD + f"{'request':<28}" + "".join(f"{name:>10}" for name in COLUMNS) + "\n"
        for part in parts:
            label, counted = parse(part, binary)
            if label is None:
                continue
            requests, name = label.split(" ", 1)
            text += f"{name:<28}" + "".join(f"{round(counted[column] / int(requests)):>10}"
                                            for column in COLUMNS) + "\n"
    return text
