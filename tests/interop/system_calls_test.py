#!/usr/bin/python3
"""What 32 outstanding 512-byte READs or WRITEs cost in system calls: neighbours go together, others take
one each; and never one that touches times, flags, locks or attributes: the fault that no profile of
user space shows, and that cost other servers most of their time."""

import os
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import raw_smb2  # noqa: E402
from daemon import Daemon  # noqa: E402
from programs import need  # noqa: E402

DEPTH = 32
ROUNDS = 150
SIZE = 512
BLOCKS = 4096
# Neighbours of a batch go together; others are one call each. Beside them a batch takes two or three.
ORDERS = {"sequential": (lambda block: block, {"uring": 0.12, "epoll": 0.25}),
          "scattered": (lambda block: block * 1663 % BLOCKS, {"uring": 1.3, "epoll": 1.3})}
# Yields are not work: they are what a server does instead of sleeping while its client is busy.
WAITING = "sched_yield"
FORBIDDEN = re.compile(r"utime|fcntl|setxattr|getxattr|setlk|flock|stat|chmod|ftruncate")
STRACE = need("strace", "strace")


def content(block):
    return block.to_bytes(4, "little") * (SIZE // 4)


class Strace:
    """Counts the calls of a running process, all its threads, while the block lasts."""

    def __init__(self, pid, path):
        self.pid, self.path = pid, path

    def __enter__(self):
        self.process = subprocess.Popen([STRACE, "-c", "-f", "-p", str(self.pid), "-o", str(self.path)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        self.said = self.process.stderr.readline().decode(errors="replace")
        self.counts = {}
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        self.process.stderr.close()
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                # % time, seconds, usecs/call, calls, [errors,] name
                fields = line.split()
                if len(fields) >= 5 and fields[3].isdigit() and fields[-1] != "total":
                    self.counts[fields[-1]] = int(fields[3])


class SystemCallsTest(unittest.TestCase):
    def load(self, client, command, file_id, order):
        for number in range(ROUNDS):
            blocks = [order((number * DEPTH + i) % BLOCKS) for i in range(DEPTH)]
            if command == raw_smb2.READ:
                bodies = [client.read_body(file_id, block * SIZE, SIZE) for block in blocks]
            else:
                bodies = [client.write_body(file_id, block * SIZE, content(block)) for block in blocks]
            replies = client.batch(command, bodies)
            for block, reply in zip(blocks, replies):
                self.assertEqual(reply.status, 0)
                if command == raw_smb2.READ:
                    self.assertEqual(raw_smb2.data_of(reply), content(block))

    def measure(self, driver, command, order, tries=3):
        blocks_in, limits = ORDERS[order]
        per_request_max = limits[driver]
        with Daemon(driver=driver, share_options="guest") as daemon:
            with raw_smb2.Client(daemon.port) as client:
                client.login()
                client.tree_connect("share")
                (daemon.share / "file").write_bytes(b"".join(map(content, range(BLOCKS))))
                file_id = client.create("file", disposition=raw_smb2.OPEN)
                while client.credits < DEPTH:
                    client.credits += client.call(raw_smb2.ECHO, client.ECHO_BODY).credits - 1
                self.load(client, command, file_id, blocks_in)  # Warm: nothing that happens once is counted.
                with Strace(daemon.pid, daemon.directory / "strace") as strace:
                    if "attached" not in strace.said:
                        # A user who may not trace; CI counts these lines.
                        print(f"NOT RUN: system_calls_test: {strace.said.strip()}")
                        return
                    self.load(client, command, file_id, blocks_in)
                client.close_file(file_id)
            self.assertEqual((daemon.share / "file").read_bytes(), b"".join(map(content, range(BLOCKS))))
        requests = ROUNDS * DEPTH
        calls = sum(count for name, count in strace.counts.items() if name != WAITING)
        detail = ", ".join(f"{name} {count}" for name, count in sorted(strace.counts.items(),
                                                                      key=lambda item: -item[1]))
        name = "READ" if command == raw_smb2.READ else "WRITE"
        print(f"{driver} {name} {order}: {calls / requests:.2f} system calls a request ({detail})")
        self.assertGreater(calls, ROUNDS, "strace counted nothing")
        if calls / requests > per_request_max and tries > 1:
            return self.measure(driver, command, order, tries - 1)  # a busy machine cuts the batches
        self.assertLessEqual(calls / requests, per_request_max, detail)
        self.assertEqual([call for call in strace.counts if FORBIDDEN.search(call)], [], detail)

    def measure_all(self, command):
        for driver in ("uring", "epoll"):
            for order in ORDERS:
                with self.subTest(driver=driver, order=order):
                    self.measure(driver, command, order)

    def test_reads(self):
        self.measure_all(raw_smb2.READ)

    def test_writes(self):
        self.measure_all(raw_smb2.WRITE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
