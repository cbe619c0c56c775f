"""The server under test, for one `with` block: started on a free loopback port, ended by its pid.

    with Daemon(driver="epoll", signing="required") as daemon:
        ... daemon.port, daemon.share ...

Leaving the block is itself a check: SIGTERM must end the daemon with code 0, and nothing in its log
may be a sanitizer's report or a broken CHECK. SEMBLANCED names another binary; TEST_PEER=samba runs
Debian's Samba instead, which shows what a test expects of any server and what only of this one.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

USER = "lab"
PASSWORD = "pass word"  # A space, so that no client's quoting goes untested.

ALARMING = re.compile(
    r"(Address|Thread|Leak|Memory|UndefinedBehavior)Sanitizer|runtime error:|CHECK failed|"
    r"\bBUG\b|bug of ours|effect budget|Segmentation fault|terminate called"
)


def repository():
    return Path(os.path.abspath(__file__)).parents[2]


def binary():
    """Bazel hands it over in the runfiles; by hand it is what `bazel build` made last."""
    if "SEMBLANCED" in os.environ:
        return Path(os.environ["SEMBLANCED"])
    for place in ("tools/semblanced", "bazel-bin/tools/semblanced"):
        path = repository() / place
        if os.access(path, os.X_OK) and path.is_file():
            return path
    raise SystemExit("semblanced is not built: bazel build //tools:semblanced")


class Daemon:
    def __init__(self, driver=None, dialects=None, signing=None, encryption=None, shares=(),
                 users=None, options=(), log_level="warn", share_options=""):
        """`dialects` is a pair like ("2.1", "3.1.1"); `shares` maps further names to option texts
        ("ro", "guest", "hidden"): each is a directory of its own, found in `self.paths`."""
        self.driver = driver or os.environ.get("TEST_DRIVER")
        self.dialects = dialects
        self.signing = signing
        self.encryption = encryption
        self.users = {USER: PASSWORD} if users is None else users
        self.options = list(options)
        self.log_level = log_level
        self.share_options = {"share": share_options, **dict(shares)}
        self.process = None

    def __enter__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="semblance-", dir=os.environ.get("TEST_TMPDIR")))
        self.paths = {}
        for name in self.share_options:
            self.paths[name] = self.directory / "shares" / name
            self.paths[name].mkdir(parents=True)
        self.share = self.paths["share"]
        self.log_path = self.directory / "log"
        try:
            if os.environ.get("TEST_PEER") == "samba":
                import samba_peer

                self.process, self.port = samba_peer.start(self)
            else:
                self.start()
        except BaseException:
            self.kill()
            shutil.rmtree(self.directory, ignore_errors=True)
            raise
        return self

    def command(self):
        command = [str(binary()), "--listen", "127.0.0.1:0", "--log-level", self.log_level]
        for name, options in self.share_options.items():
            command += ["--share", f"{name}={self.paths[name]}" + ("," + options if options else "")]
        for name, password in self.users.items():
            command += ["--user", f"{name}:{password}"]
        if self.driver:
            command += ["--driver", self.driver]
        if self.signing:
            command += ["--signing", self.signing]
        if self.encryption:
            command += ["--encryption", self.encryption]
        if self.dialects:
            command += ["--min-dialect", self.dialects[0], "--max-dialect", self.dialects[1]]
        return command + self.options

    def start(self):
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=log)
        readable, _, _ = select.select([self.process.stdout], [], [], 20)
        line = self.process.stdout.readline().decode() if readable else ""
        match = re.match(r"ready 127\.0\.0\.1:(\d+)$", line.strip())
        if not match:
            raise AssertionError(f"the daemon is not ready: said {line!r}; log:\n{self.log()}")
        self.port = int(match.group(1))

    @property
    def pid(self):
        return self.process.pid

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def alive(self):
        return self.process.poll() is None

    def rss_kib(self):
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1))

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        """Ends the daemon and returns what is wrong with how it ended, or None."""
        if self.process.stdout:
            self.process.stdout.close()
        died = self.process.poll()
        if died is not None:
            return f"the daemon ended by itself with code {died}"
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()
            return "the daemon did not end within 15 s of SIGTERM"
        if os.environ.get("TEST_PEER") == "samba":
            return None
        if code != 0:
            return f"the daemon ended with code {code} after SIGTERM"
        if time.monotonic() - started > 10:
            return "the daemon took more than 10 s to drain"
        return None

    def __exit__(self, kind, error, trace):
        wrong = self.stop()
        log = self.log()
        alarm = ALARMING.search(log)
        shutil.rmtree(self.directory, ignore_errors=True)
        if wrong or alarm:
            reason = wrong or f"its log holds {alarm.group(0)!r}"
            raise AssertionError(f"{reason}; the end of its log:\n{log[-6000:]}") from error
        return False
