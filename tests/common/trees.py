"""A tree of awkward files, made from a seed, and the comparison of two trees byte for byte."""

import hashlib
import random
from pathlib import Path

# Around the sizes where buffers, credits (64 KiB) and pages end.
SIZES = [0, 1, 511, 512, 513, 4095, 4096, 65535, 65536, 65537, 1048576 + 7]
NAMES = ["plain", "with space", "Grüße aus Köln", "naïve café", "Ελληνικά", "русский", "中文文件",
         "日本語のファイル", "한국어", "emoji 🎉🦆", "dots.in.the.name", "UPPER and lower", "a'quote", "semi;colon",
         "per%cent", "hash#tag", "$dollar", "(parens) [brackets]", "comma, and & more", "-dash", "x" * 200,
         "ü" * 100, "trailing_"]


def make(root, count=300, seed=1):
    """`count` files in nested directories below `root`; about one in ten is larger than 64 KiB."""
    chooser = random.Random(seed)
    directories = [root]
    for name in ("sub", "with space", "Größe", "深い"):
        for parent in list(directories)[:2]:
            directories.append(parent / name)
    directories.append(root / "empty")
    for directory in directories:
        directory.mkdir(parents=True, exist_ok=True)
    directories.pop()
    for number in range(count):
        size = SIZES[number % len(SIZES)]
        # Of the megabyte files a handful is enough.
        if size > 100000 and number > 60:
            size = chooser.randrange(200, 3000)
        name = f"{NAMES[number % len(NAMES)]} {number}.bin"
        (chooser.choice(directories) / name).write_bytes(chooser.randbytes(size))


def digest(path):
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def listing(root):
    """Relative name -> "directory" or size and hash."""
    root = Path(root)
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        found[name] = "directory" if path.is_dir() else f"{path.stat().st_size} {digest(path)}"
    return found


def difference(expected, actual):
    """What differs between two listings, as a short text; empty when nothing does."""
    lines = [f"missing: {name}" for name in expected if name not in actual]
    lines += [f"too much: {name}" for name in actual if name not in expected]
    lines += [f"differs: {name}: {expected[name]} became {actual[name]}" for name in expected
              if name in actual and expected[name] != actual[name]]
    return "\n".join(lines[:20])
