#!/usr/bin/python3
"""`semblanced --record` and `semblance replay`: a fresh engine does the same again, on either driver,
signed and sealed, after a drain and after a kill; damage is told from a difference and never crashes."""

import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from daemon import PASSWORD, USER, Daemon, binary  # noqa: E402
from programs import need, run, smbclient  # noqa: E402
from raw_smb2 import NEGOTIATE, Client  # noqa: E402

CLOSING = re.compile(r"^(agrees|differs|unreadable): steps=(\d+) events=(\d+) effects=(\d+) "
                     r"bytes=(\d+) wall_s=[\d.]+$")
MEGABYTE = 1 << 20


def tool():
    return binary().parent / "semblance"


def drivers():
    """Those that this kernel, or whoever confines us, has to give."""
    try:
        with Daemon(driver="uring"):
            return ["uring", "epoll"]
    except AssertionError as error:
        if "refuses a ring" not in str(error):
            raise
        return ["epoll"]


class RecordTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        self.log = self.directory / "events"

    def recorded(self, **options):
        return Daemon(options=["--record", str(self.log)], **options)

    def replay(self, code, log=None):
        """The closing line's figures and the whole output."""
        got, output = run([tool(), "replay", log or self.log], timeout=120)
        self.assertEqual(got, code, output)
        closing = CLOSING.match(output.strip().splitlines()[-1])
        return [int(n) for n in closing.groups()[1:]] if closing else None, output

    def work(self, daemon, arguments=()):
        """Something of everything; what comes back is what went out."""
        content = os.urandom(3 * MEGABYTE + 7)
        (self.directory / "out").write_bytes(content)
        code, output = smbclient(
            daemon, "mkdir d; put out d/file; ls d/*; get d/file back; rename d/file d/other; "
            "allinfo d/other; ls d/nothing; del d/other; rmdir d; ls", arguments=arguments,
            cwd=self.directory)
        self.assertIn("NO_SUCH_FILE", output)
        self.assertIn("blocks of size", output)
        self.assertEqual((self.directory / "back").read_bytes(), content)

    def torture(self, daemon, *tests):
        program = need("smbtorture", "samba-testsuite")
        for test in tests:
            code, output = run([program, "//127.0.0.1/share", "-p", daemon.port, "-s", "/dev/null",
                                "-U", f"{USER}%{PASSWORD}", test], 60, cwd=self.directory)
            self.assertIn("success:", output)

    def test_each_driver_signed_and_sealed(self):
        for driver in drivers():
            for protection in ("sign", "encrypt"):
                with self.subTest(driver=driver, protection=protection):
                    with self.recorded(driver=driver) as daemon:
                        self.work(daemon, [f"--client-protection={protection}"])
                        self.torture(daemon, "smb2.rw.rw1", "smb2.compound.related1")
                    figures, output = self.replay(0)
                    # Figures count what was received, read and sent. The file was sent back once,
                    # and that is not in the log; nothing else is in it twice.
                    self.assertGreater(figures[3], 9 * MEGABYTE)
                    self.assertLess(self.log.stat().st_size,
                                    figures[3] - 3 * MEGABYTE + figures[1] * 160, output)

    def test_oldest_dialect_and_a_reload(self):
        with self.recorded(dialects=("2.0.2", "2.0.2"), log_level="info") as daemon:
            self.work(daemon)
            daemon.process.send_signal(signal.SIGHUP)
            while "reloaded" not in daemon.log():
                time.sleep(0.01)
            self.work(daemon)
        code, trace = run([tool(), "replay", "--trace", self.log])
        self.assertEqual(code, 0, trace[-2000:])
        self.assertEqual(trace.count("< Configure"), 2)

    def test_killed(self):
        with self.recorded() as daemon:
            self.work(daemon)
            self.assertEqual(stat.S_IMODE(self.log.stat().st_mode), 0o600)
            daemon.kill()
            figures, _ = self.replay(0)
            self.assertGreater(figures[0], 10)
            # The next start leaves what there is alone.
            killed = self.log.read_bytes()
            daemon.start()
            self.assertEqual(Path(str(self.log) + ".old").read_bytes(), killed)

    def test_a_crash_is_in_the_log(self):
        with self.recorded() as daemon:
            with Client(daemon.port) as client:
                client.call(NEGOTIATE, Client.negotiate_body())
                # Sooner than what is buffered would be written anyway.
                os.kill(daemon.pid, signal.SIGILL)
                daemon.process.wait(20)
            code, output = run([tool(), "replay", "--trace", self.log])
            self.assertEqual(code, 0, output)
            self.assertIn("< BytesReceived", output)
            daemon.start()

    def test_cut_off_anywhere(self):
        with self.recorded() as daemon:
            smbclient(daemon, "ls")
        whole = self.log.read_bytes()
        part = self.directory / "part"
        for size in range(9, len(whole), max(1, len(whole) // 60)):
            part.write_bytes(whole[:size])
            code, output = run([tool(), "replay", part])
            if size > 400:
                self.assertEqual(code, 0, output)
            self.assertIn(code, (0, 2), output)
            if code == 0 and "cut off" not in output:
                self.assertNotIn("unreadable", output)
        part.write_bytes(whole[:20])
        _, output = self.replay(2, part)
        self.assertIn("cut off in its header", output)

    def test_one_flipped_byte(self):
        with self.recorded() as daemon:
            smbclient(daemon, "ls; mkdir d; rmdir d")
        whole = self.log.read_bytes()
        part = self.directory / "part"
        for at in range(8, len(whole), max(1, len(whole) // 60)):
            damaged = bytearray(whole)
            damaged[at] ^= 0x10
            part.write_bytes(damaged)
            _, output = self.replay(2, part)
            self.assertIn("is damaged", output)

    def test_what_is_no_log(self):
        other = self.directory / "other"
        other.write_text("something else entirely\n")
        _, output = self.replay(2, other)
        self.assertIn("no event log", output)
        _, output = self.replay(2, self.directory / "missing")
        self.assertIn("No such file", output)

    def test_trace_shows_what_happened_and_no_secret(self):
        with self.recorded() as daemon:
            smbclient(daemon, "mkdir findme")
        code, output = run([tool(), "replay", "--trace", self.log])
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r'> RunStore\{operation\{.*path="findme"')
        self.assertIn("nt_hash=secret", output)

    def test_a_file_that_can_not_be_made(self):
        got = subprocess.run([binary(), "--listen", "127.0.0.1:0", "--share", f"s={self.directory}",
                              "--record", "/nowhere/at/all"], capture_output=True, timeout=20)
        self.assertEqual(got.returncode, 2)
        self.assertRegex(got.stderr.decode(), "^semblanced: record: /nowhere/at/all: No such file")


if __name__ == "__main__":
    unittest.main(verbosity=2)
