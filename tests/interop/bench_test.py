#!/usr/bin/python3
"""`semblance bench` drives every kind of load against the daemon, measures something, clears away what it made, and
says clearly why it can't."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from daemon import PASSWORD, USER, Daemon, binary  # noqa: E402
from programs import run  # noqa: E402

BENCH = [binary().parent / "semblance", "bench"]
MODES = ["read", "write", "stat", "open", "create", "ls", "echo"]


class BenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = cls.enterClassContext(Daemon())

    def bench(self, *options, user=f"{USER}:{PASSWORD}", seconds=0.3):
        """(exit code, what it said, the JSON or None)."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "report.json"
            code, said = run([*BENCH, f"127.0.0.1:{self.daemon.port}", "--user", user, "--warmup", 0.1, "--seconds",
                              seconds, "--server-pid", self.daemon.pid, "--json", path, *options])
            return code, said, json.loads(path.read_text()) if path.exists() else None

    def works(self, *options):
        code, said, report = self.bench(*options)
        self.assertEqual(code, 0, said)
        self.assertGreater(report["operations"], 0, said)
        self.assertEqual(report["failed"], 0, said)
        latency = report["latency_us"]
        self.assertLess(0, latency["p50"])
        self.assertLessEqual(latency["p50"], latency["p90"])
        self.assertLessEqual(latency["p90"], latency["p99"])
        self.assertLessEqual(latency["p99"], latency["max"])
        self.assertIn("operations/s", said)
        self.assertEqual(list(self.daemon.share.iterdir()), [], "it left something in the share")
        return report

    def test_every_mode(self):
        for mode in MODES:
            with self.subTest(mode):
                report = self.works("--mode", mode, "--file-mb", 1, "--entries", 100)
                self.assertEqual(report["mode"], mode)

    def test_every_mode_sealed(self):
        for mode in MODES:
            with self.subTest(mode):
                report = self.works("--mode", mode, "--file-mb", 1, "--entries", 100, "--seal")
                self.assertTrue(report["sealed"])

    def test_signed_with_every_algorithm(self):
        for dialect in ("2.1", "3.0.2", "3.1.1"):
            with self.subTest(dialect):
                report = self.works("--mode", "open", "--sign", "--dialect", dialect, "--entries", 100)
                self.assertTrue(report["signed"])
                self.assertEqual(report["dialect"], dialect)

    def test_many_connections_and_large_blocks(self):
        for mode in ("read", "write"):
            with self.subTest(mode):
                report = self.works("--mode", mode, "--connections", 20, "--depth", 4, "--size", 65536, "--random",
                                    "--file-mb", 1)
                self.assertEqual(report["depth_reached"], 4)
                self.works("--mode", mode, "--size", 1 << 20, "--depth", 8, "--file-mb", 8)

    def test_a_listing_in_many_pieces(self):
        # Each needs several requests, and all of them must see every name, or it counts as failed.
        self.works("--mode", "ls", "--entries", 2000, "--depth", 3)

    def test_the_server_s_time_is_measured(self):
        _, said, report = self.bench("--mode", "open", seconds=1)
        self.assertGreater(report["server_cpu_us_per_op"]["total"], 0, said)

    def test_progress(self):
        code, said, _ = self.bench("--progress", seconds=1.2)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"\d+ ops/s  p50 ")

    def test_interrupted_it_still_clears_away(self):
        load = subprocess.Popen([*BENCH, f"127.0.0.1:{self.daemon.port}", "--user", f"{USER}:{PASSWORD}", "--seconds",
                                 "60", "--mode", "create", "--progress"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        load.stderr.readline()
        load.terminate()
        said, _ = load.communicate(timeout=30)
        self.assertIn(b"operations/s", said)
        self.assertEqual(list(self.daemon.share.iterdir()), [])

    def test_operations_that_fail_are_counted(self):
        # Taken away beneath it: every later open fails.
        load = subprocess.Popen([*BENCH, f"127.0.0.1:{self.daemon.port}", "--user", f"{USER}:{PASSWORD}", "--seconds",
                                 "1.5", "--mode", "stat", "--progress"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        load.stderr.readline()
        for directory in self.daemon.share.iterdir():
            for file in directory.iterdir():
                file.unlink()
        said, _ = load.communicate(timeout=30)
        self.assertEqual(load.returncode, 1, said)
        self.assertRegex(said.decode(), r"OBJECT_NAME_NOT_FOUND \(0xC0000034\) +\d+")

    def test_what_can_not_be_is_said_clearly(self):
        for options, code, words in [
            (["--share", "nowhere"], 1, 'share "nowhere": BAD_NETWORK_NAME'),
            (["--size", "8388609"], 2, "not in range"),
            (["--size", "2097152", "--file-mb", "1"], 2, "--size is larger than --file-mb"),
            (["--mode", "delete"], 2, "--mode"),
            (["--depth", "0"], 2, "not in range"),
            (["--json", "/nowhere/report.json"], 1, "can't be written"),
        ]:
            with self.subTest(options):
                # Later options do not replace earlier ones: without those of bench().
                got, said = run([*BENCH, f"127.0.0.1:{self.daemon.port}", "--user", f"{USER}:{PASSWORD}", "--warmup", 0,
                                 "--seconds", 0.1, *options])
                self.assertEqual(got, code, said)
                self.assertIn(words, said)

    def test_addresses_and_users(self):
        for address, user, code, words in [
            ("127.0.0.1:x", "a:b", 2, "ADDR must be HOST[:PORT]"),
            ("127.0.0.1:1", "a:b", 1, "Connection refused"),
            (f"127.0.0.1:{self.daemon.port}", "noone", 2, "--user must be NAME:PASSWORD"),
            (f"127.0.0.1:{self.daemon.port}", f"{USER}:wrong", 1, "LOGON_FAILURE"),
        ]:
            with self.subTest(address=address, user=user):
                got, said = run([*BENCH, address, "--user", user])
                self.assertEqual(got, code, said)
                self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
