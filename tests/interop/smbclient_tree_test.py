#!/usr/bin/python3
"""A tree of 300 awkward files goes in by smbclient and comes back the same, in every dialect, signed
or not, over both drivers."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import trees  # noqa: E402
from daemon import Daemon  # noqa: E402
from programs import smbclient  # noqa: E402

DIALECTS = ["SMB2_02", "SMB2_10", "SMB3_00", "SMB3_02", "SMB3_11"]


class TreeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        cls.source = Path(cls.scratch.name) / "source"
        trees.make(cls.source)
        cls.expected = trees.listing(cls.source)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def round_trip(self, driver, dialect, arguments=(), **server):
        with Daemon(driver=driver, **server) as daemon, \
                tempfile.TemporaryDirectory(dir=self.scratch.name) as back:
            code, output = smbclient(daemon, "prompt off; recurse on; mput *", dialect=dialect,
                                     arguments=arguments, cwd=self.source, timeout=90)
            self.assertEqual(code, 0, output[-2000:])
            stored = trees.difference(self.expected, trees.listing(daemon.share))
            self.assertFalse(stored, f"on the share:\n{stored}\n{output[-1000:]}")
            code, output = smbclient(daemon, "prompt off; recurse on; mget *", dialect=dialect,
                                     arguments=arguments, cwd=back, timeout=90)
            self.assertEqual(code, 0, output[-2000:])
            fetched = trees.difference(self.expected, trees.listing(back))
            self.assertFalse(fetched, f"fetched:\n{fetched}\n{output[-1000:]}")

    def test_every_dialect(self):
        for dialect in DIALECTS:
            with self.subTest(dialect=dialect):
                self.round_trip("uring", dialect)

    def test_every_dialect_with_signing_required_by_the_client(self):
        for dialect in DIALECTS:
            with self.subTest(dialect=dialect):
                self.round_trip("uring", dialect, ["--client-protection=sign"])

    def test_signing_required_by_the_server(self):
        for dialect in ("SMB2_10", "SMB3_11"):
            with self.subTest(dialect=dialect):
                self.round_trip("uring", dialect, signing="required")

    def test_sealed_by_the_client(self):
        for dialect in ("SMB3_00", "SMB3_02", "SMB3_11"):
            with self.subTest(dialect=dialect):
                self.round_trip("uring", dialect, ["--client-protection=encrypt"])

    def test_over_epoll(self):
        for dialect in ("SMB2_10", "SMB3_11"):
            with self.subTest(dialect=dialect):
                self.round_trip("epoll", dialect)

    def test_the_server_s_range_of_dialects_is_kept(self):
        with Daemon(dialects=("2.1", "3.0")) as daemon:
            for dialect, wanted in (("SMB2_02", False), ("SMB2_10", True), ("SMB3_00", True),
                                    ("SMB3_11", False)):
                code, output = smbclient(daemon, "ls", dialect=dialect)
                self.assertEqual(code == 0, wanted, f"{dialect}: {output}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
