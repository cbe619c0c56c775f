"""The tables of this folder: a name of 28 characters and, after it, columns of numbers."""

import os

# Bazel runs tests and programs in the root of their runfiles.
ROOT = os.getcwd()
RENEW = "bazel run //tests/cost:renew"
NAME = 28


def program(path):
    found = os.path.join(ROOT, path)
    if not os.path.exists(found):
        raise SystemExit(f"FAIL: {path} is not here: run this by bazel")
    return found


def committed(name):
    with open(os.path.join(ROOT, "tests", "cost", name), encoding="utf-8") as file:
        return file.read()


def read(text):
    """(headings, {name: columns}) of a table; lines that begin with # are its comments."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    if not lines:
        return [], {}
    headings, *rest = lines
    return headings[NAME:].split(), {line[:NAME].strip(): line[NAME:].split() for line in rest}


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return None
