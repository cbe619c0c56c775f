#!/usr/bin/python3
"""A thousand idle sessions and a client that sends one byte at a time disturb nobody else, and an idle
connection costs little memory."""

import os
import resource
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import raw_smb2  # noqa: E402
from daemon import Daemon  # noqa: E402

IDLE = 1000
IDLE_KIB_MAX = 32
ROUND_MS_MAX = 500  # Of one CREATE, WRITE, READ, CLOSE; far above what is normal, far below what stalls.
ROUND_MS_MEDIAN_MAX = 20
WATCHED_S = 4


class OneByteAtATime(threading.Thread):
    """Logs in and writes a file, each byte in a segment of its own; `error` says what went wrong."""

    def __init__(self, port):
        super().__init__()
        self.port = port
        self.stopping = threading.Event()
        self.error = None
        self.rounds = 0

    def run(self):
        try:
            with raw_smb2.Client(self.port) as client:
                real = client.socket
                client.socket = Drip(real, self.stopping)
                client.login()
                client.tree_connect("share")
                while not self.stopping.is_set():
                    file_id = client.create("slow")
                    client.call(raw_smb2.WRITE, client.write_body(file_id, 0, b"slowly"))
                    client.close_file(file_id)
                    self.rounds += 1
        except Exception as error:  # Reported by the test, whatever it is.
            self.error = error


class Drip:
    def __init__(self, real, stopping):
        self.real, self.stopping = real, stopping

    def sendall(self, data):
        for i in range(len(data)):
            self.real.sendall(data[i:i + 1])
            if not self.stopping.is_set():
                time.sleep(0.002)

    def __getattr__(self, name):
        return getattr(self.real, name)


class IdleConnectionsTest(unittest.TestCase):
    def rounds_ms(self, port, seconds):
        """Sorted times of a third client's rounds, each checked."""
        times = []
        with raw_smb2.Client(port) as client:
            client.login()
            client.tree_connect("share")
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                started = time.monotonic()
                data = str(len(times)).encode() * 100
                file_id = client.create("busy")
                client.call(raw_smb2.WRITE, client.write_body(file_id, 0, data))
                reply = client.call(raw_smb2.READ, client.read_body(file_id, 0, 4096))
                self.assertEqual(raw_smb2.data_of(reply), data)
                client.close_file(file_id)
                times.append((time.monotonic() - started) * 1000)
        return sorted(times)

    def disturbs_nobody(self, driver):
        with Daemon(driver=driver, share_options="guest") as daemon:
            alone = self.rounds_ms(daemon.port, 1)
            before_kib = daemon.rss_kib()
            idle = []
            try:
                for _ in range(IDLE):
                    client = raw_smb2.Client(daemon.port)
                    idle.append(client)
                    client.login()
                    client.tree_connect("share")
                time.sleep(0.5)
                each_kib = (daemon.rss_kib() - before_kib) / IDLE
                slow = OneByteAtATime(daemon.port)
                slow.start()
                among = self.rounds_ms(daemon.port, WATCHED_S)
                slow.stopping.set()
                slow.join(30)
                # They are still alive, every one of them.
                for client in idle:
                    client.call(raw_smb2.ECHO, client.ECHO_BODY)
            finally:
                for client in idle:
                    client.close()
            median, worst = among[len(among) // 2], among[-1]
            print(f"{driver}: {each_kib:.1f} KiB an idle session; a round takes {median:.2f} ms (median), "
                  f"{worst:.1f} ms (worst of {len(among)}), alone {alone[len(alone) // 2]:.2f} ms")
            self.assertIsNone(slow.error)
            self.assertGreater(slow.rounds, 0, "the slow client got nowhere")
            self.assertLess(each_kib, IDLE_KIB_MAX)
            self.assertLess(worst, ROUND_MS_MAX)
            self.assertLess(median, ROUND_MS_MEDIAN_MAX)
            time.sleep(0.5)
            self.assertTrue(self.rounds_ms(daemon.port, 0.2), "all is well after they have gone")

    def test_over_uring(self):
        self.disturbs_nobody("uring")

    def test_over_epoll(self):
        self.disturbs_nobody("epoll")


if __name__ == "__main__":
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit[0], min(limit[1], 4096)), limit[1]))
    unittest.main(verbosity=2)
