#!/usr/bin/python3
"""Sealed sessions with Samba's client: each cipher alone (B04), and who is let in when sealing is required."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from daemon import Daemon  # noqa: E402
from programs import smbclient  # noqa: E402

CIPHERS = ["AES-128-CCM", "AES-128-GCM", "AES-256-CCM", "AES-256-GCM"]
# One byte, what fits one credit, what takes several.
SIZES = [1, 65536, 1048576 + 7]


class SealedTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.directory = Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def moves_files(self, daemon, dialect, arguments=(), share="share"):
        for size in SIZES:
            content = os.urandom(size)
            (self.directory / "out").write_bytes(content)
            code, output = smbclient(daemon, "put out file; get file back", share=share,
                                     dialect=dialect, arguments=arguments, cwd=self.directory)
            self.assertEqual(code, 0, output)
            self.assertEqual((daemon.paths[share] / "file").read_bytes(), content)
            self.assertEqual((self.directory / "back").read_bytes(), content)

    def test_each_cipher_alone(self):
        with Daemon() as daemon:
            for cipher in CIPHERS:
                with self.subTest(cipher=cipher):
                    self.moves_files(daemon, "SMB3_11", [
                        "--client-protection=encrypt",
                        f"--option=client smb3 encryption algorithms={cipher}"])

    def test_a_server_that_requires_sealing(self):
        with Daemon(encryption="required") as daemon:
            for dialect in ("SMB3_00", "SMB3_02", "SMB3_11"):
                with self.subTest(dialect=dialect):
                    self.moves_files(daemon, dialect)
            code, output = smbclient(daemon, "ls", dialect="SMB2_10")
            self.assertNotEqual(code, 0)
            self.assertIn("NT_STATUS_ACCESS_DENIED", output)

    def test_a_share_that_requires_sealing(self):
        with Daemon(shares={"safe": "encrypt"}) as daemon:
            self.moves_files(daemon, "SMB3_11", share="safe")
            self.moves_files(daemon, "SMB2_10")   # the other share admits everyone
            code, output = smbclient(daemon, "ls", share="safe", dialect="SMB2_10")
            self.assertNotEqual(code, 0)
            self.assertIn("NT_STATUS_ACCESS_DENIED", output)

    def test_no_sealing_where_it_is_off(self):
        with Daemon(encryption="off") as daemon:
            self.moves_files(daemon, "SMB3_11")
            code, _ = smbclient(daemon, "ls", dialect="SMB3_11",
                                arguments=["--client-protection=encrypt"])
            self.assertNotEqual(code, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
