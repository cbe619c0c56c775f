#!/usr/bin/python3
"""A file of 1 GiB in and out with smbclient, plain and signed.

The content is one 1 MiB block whose first bytes count up, so that a block that is lost, doubled or
moved changes the hash; it is piped in, and no more than two copies exist at a time.
"""

import hashlib
import os
import random
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import trees  # noqa: E402
from daemon import PASSWORD, USER, Daemon  # noqa: E402
from programs import need  # noqa: E402

BLOCKS = 1024
FILLING = random.Random(7).randbytes((1 << 20) - 8)


def blocks():
    for number in range(BLOCKS):
        yield number.to_bytes(8, "little")
        yield FILLING


def command(daemon, dialect, arguments, commands):
    return [need("smbclient", "smbclient"), "//127.0.0.1/share", "-p", str(daemon.port), "-s", "/dev/null",
            "-U", f"{USER}%{PASSWORD}", f"--option=client max protocol={dialect}", "-t", "60",
            *arguments, "-c", commands]


class BigFileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        total = hashlib.sha256()
        for part in blocks():
            total.update(part)
        cls.expected = total.hexdigest()

    def put(self, daemon, dialect, arguments):
        """Through a pipe: smbclient reads what to put from its standard input."""
        client = subprocess.Popen(command(daemon, dialect, arguments, "put /dev/stdin big"),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        watchdog = threading.Timer(120, client.kill)
        watchdog.start()
        try:
            for part in blocks():
                client.stdin.write(part)
            client.stdin.close()
        except BrokenPipeError:
            pass  # The client gave up; what it said is in its output.
        with client.stdout:
            output = client.stdout.read().decode(errors="replace")
        code = client.wait()
        watchdog.cancel()
        self.assertEqual(code, 0, output[-1000:])

    def round_trip(self, dialect, arguments):
        with Daemon(driver="uring") as daemon:
            started = time.monotonic()
            self.put(daemon, dialect, arguments)
            put_s = time.monotonic() - started
            self.assertEqual((daemon.share / "big").stat().st_size, BLOCKS << 20)
            self.assertEqual(trees.digest(daemon.share / "big"), self.expected, "as stored")
            back = daemon.directory / "back"
            started = time.monotonic()
            done = subprocess.run(command(daemon, dialect, arguments, f"get big {back}"),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=120)
            get_s = time.monotonic() - started
            self.assertEqual(done.returncode, 0, done.stdout.decode(errors="replace")[-1000:])
            (daemon.share / "big").unlink()
            self.assertEqual(trees.digest(back), self.expected, "as fetched")
            back.unlink()
            print(f"{dialect} {' '.join(arguments)}: 1 GiB put in {put_s:.1f} s, got in {get_s:.1f} s")

    def test_plain(self):
        self.round_trip("SMB3_11", [])

    def test_signed(self):
        self.round_trip("SMB3_11", ["--client-protection=sign"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
