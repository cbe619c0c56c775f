#!/usr/bin/python3
"""Linux's own client (cifs.ko of Debian's kernel, in a virtual machine) mounts the share in three
dialects, signed in one of them, and uses it as programs use a disk."""

import os
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import kernel_vm  # noqa: E402
from daemon import USER, Daemon  # noqa: E402

MOUNTS = os.environ.get("TEST_MOUNTS", "vers=2.1 vers=3.0,sec=ntlmsspi vers=3.1.1").split()
INIT = Path(os.path.abspath(__file__)).parent / "kernel_client_init.sh"
CHECKS = 22  # of one mount; fewer lines mean that the script broke off


class KernelClientTest(unittest.TestCase):
    def test_mounts_and_uses_the_share(self):
        # A word that the kernel's command line can carry.
        with Daemon(users={USER: "password"}) as daemon:
            started = time.monotonic()
            console = kernel_vm.boot(INIT.read_text(), [
                f"semblance.PORT={daemon.port}", f"semblance.NAME={USER}", "semblance.WORD=password",
                "semblance.MOUNTS=" + "/".join(MOUNTS)], limit_s=280)
            lines = [line.strip() for line in console.splitlines()]
            failed = [line for line in lines if line.startswith("FAIL ")]
            passed = [line for line in lines if line.startswith("PASS ")]
            print(f"{len(passed)} checks passed, {len(failed)} failed, {time.monotonic() - started:.0f} s")
            said = "\n".join(failed + [line for line in lines if line.startswith("kernel ")])
            self.assertIn("DONE", lines, f"the machine did not finish:\n{said}\n{console[-3000:]}")
            self.assertEqual(failed, [], said)
            for mount in MOUNTS:
                self.assertEqual(sum(line.startswith(f"PASS {mount}:") for line in passed), CHECKS, mount)
            self.assertEqual(list(daemon.share.iterdir()), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
