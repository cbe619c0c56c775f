#!/usr/bin/python3
"""Writes the tables of this folder anew: bazel run //tests/cost:renew. With the name of a scenario it
only prints what it takes, and keeps callgrind's output in a second argument, a folder."""

import os
import sys

sys.path.insert(0, os.path.join(os.getcwd(), "tests", "cost"))

import effects  # noqa: E402
import instructions  # noqa: E402


def main():
    if len(sys.argv) > 1:
        print(instructions.measure(*sys.argv[1:3]))
        return
    folder = os.path.join(os.environ["BUILD_WORKSPACE_DIRECTORY"], "tests", "cost")
    table, complaint, code = effects.measure()
    if complaint or code != 0:
        raise SystemExit(complaint or f"{table}\nmore than the budget allows; nothing written")
    for name, text in ((effects.FILE, table), (instructions.FILE, instructions.measure())):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        print(f"tests/cost/{name}\n{text}")


if __name__ == "__main__":
    main()
