#!/usr/bin/python3
"""rclone's smb backend (a client written in Go) copies a tree in and out, checks, moves, deletes."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import trees  # noqa: E402
from daemon import PASSWORD, USER, Daemon  # noqa: E402
from programs import need, run  # noqa: E402


class RcloneTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = need("rclone", "rclone")
        cls.scratch = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        cls.source = Path(cls.scratch.name) / "source"
        trees.make(cls.source, count=120)
        cls.expected = trees.listing(cls.source)
        _, cls.obscured = run([cls.program, "obscure", PASSWORD])

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def rclone(self, daemon, *arguments):
        # Everything by the environment: no configuration of the user is read or written.
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.scratch.name,
                       "RCLONE_CONFIG": os.path.join(self.scratch.name, "none"),
                       "RCLONE_CONFIG_HERE_TYPE": "smb", "RCLONE_CONFIG_HERE_HOST": "127.0.0.1",
                       "RCLONE_CONFIG_HERE_PORT": str(daemon.port), "RCLONE_CONFIG_HERE_USER": USER,
                       "RCLONE_CONFIG_HERE_PASS": self.obscured.strip()}
        code, output = run([self.program, "--retries", "1", "--low-level-retries", "1", *arguments],
                           timeout=120, env=environment)
        self.assertEqual(code, 0, output[-3000:])
        return output

    def test_a_tree_in_and_out(self):
        for driver in ("uring", "epoll"):
            with self.subTest(driver=driver), Daemon(driver=driver) as daemon, \
                    tempfile.TemporaryDirectory(dir=self.scratch.name) as back:
                self.rclone(daemon, "copy", "--create-empty-src-dirs", self.source, "here:share/tree")
                stored = trees.difference(self.expected, trees.listing(daemon.share / "tree"))
                self.assertFalse(stored, stored)
                self.rclone(daemon, "check", "--download", self.source, "here:share/tree")
                self.rclone(daemon, "copy", "--create-empty-src-dirs", "here:share/tree", back)
                fetched = trees.difference(self.expected, trees.listing(back))
                self.assertFalse(fetched, fetched)

    def test_a_second_copy_finds_nothing_to_do(self):
        with Daemon() as daemon:
            self.rclone(daemon, "copy", self.source / "sub", "here:share/sub")
            output = self.rclone(daemon, "copy", "-v", self.source / "sub", "here:share/sub")
            self.assertIn("There was nothing to transfer", output)

    def test_move_and_delete(self):
        with Daemon() as daemon:
            (daemon.share / "dir").mkdir()
            (daemon.share / "dir" / "ä.txt").write_bytes(b"content")
            self.rclone(daemon, "moveto", "here:share/dir/ä.txt", "here:share/dir/b.txt")
            self.assertEqual((daemon.share / "dir" / "b.txt").read_bytes(), b"content")
            self.rclone(daemon, "moveto", "here:share/dir", "here:share/other")
            self.assertTrue((daemon.share / "other" / "b.txt").exists())
            self.rclone(daemon, "deletefile", "here:share/other/b.txt")
            self.assertFalse((daemon.share / "other" / "b.txt").exists())
            self.rclone(daemon, "rmdir", "here:share/other")
            self.rclone(daemon, "mkdir", "here:share/new")
            # Not equal: moveto of a directory makes rclone create one called "．" beside it.
            left = {path.name for path in daemon.share.iterdir()}
            self.assertIn("new", left)
            self.assertFalse(left & {"dir", "other"}, left)
            self.rclone(daemon, "purge", "here:share/new")
            self.assertIn("share", self.rclone(daemon, "lsd", "here:"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
