#!/usr/bin/python3
"""`semblance sim --pcap`: Wireshark's dissector finds all requests of the run, no malformed frame, and TCP
connections to which nothing happened but their end."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from programs import need, run  # noqa: E402

TSHARK = need("tshark", "tshark")
TOOL = os.path.join(HERE, "..", "..", "tools", "semblance")
HONEST = "split,delay,stall,slow_disk,crash,hang_up"

# As in tests/interop/tshark_test.
KNOWN = "BER Error: OctetString expected but class:UNIVERSAL(0) Constructed tag:16 was unexpected"
# Clients that offer Kerberos first send a token that is none, and fall back to NTLM.
STUB = "6000"
# They also send control codes with too little input, to see them refused.
IOCTL = "11"
ERROR = "8388608"  # of _ws.expert.severity; malformed frames have it too
COLUMNS = ["frame.number", "frame.time_epoch", "ip.src", "tcp.port", "tcp.stream", "tcp.flags", "ip.checksum.status",
           "tcp.checksum.status", "tcp.analysis.flags", "smb2.flags.response", "smb2.cmd", "smb2.header.transform.msg_size",
           "spnego.krb5.blob", "_ws.expert.severity", "_ws.expert.message"]
FIN, RST = 0x01, 0x04
SERVER = "10.0.1.1"


def frames_of(path):
    """All frames, in one run of the dissector: it takes seconds to start."""
    command = [TSHARK, "-r", path, "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-T", "fields",
               "-E", "occurrence=a", "-E", "separator=|"]
    for name in COLUMNS:
        command += ["-e", name]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    lines = done.stdout.decode(errors="replace").splitlines()
    return [dict(zip(COLUMNS, line.split("|", len(COLUMNS) - 1))) for line in lines]


class CaptureTest(unittest.TestCase):
    def setUp(self):
        self.plain = 0  # runs in which nobody seals

    def dissect(self, seed, faults):
        """Checks the capture of a run; returns its frames."""
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "run.pcap")
            code, output = run([TOOL, "sim", "--seeds", str(seed), "--fault", faults, "--pcap", path])
            self.assertIn(code, (0, 1), output)  # what the oracles say is another test's
            frames = frames_of(path)
        wanted = int(re.search(r"requests=(\d+)", output).group(1))
        self.assertGreater(wanted, 50)
        flags = [flag for frame in frames for flag in frame["smb2.flags.response"].split(",")]
        # What a client seals the dissector can't count.
        if any(frame["smb2.header.transform.msg_size"] for frame in frames):
            self.assertLess(flags.count("0"), wanted)
        else:
            self.assertEqual(flags.count("0"), wanted)
            self.plain += 1
        opened, times = {"0x0002": [], "0x0012": []}, []  # SYN, and its answer
        for frame in frames:
            meant = frame["ip.src"] != SERVER and (frame["spnego.krb5.blob"] == STUB or
                                                   IOCTL in frame["smb2.cmd"].split(","))
            if ERROR in frame["_ws.expert.severity"] and not meant:
                self.assertIn(KNOWN, frame["_ws.expert.message"], frame)
            self.assertEqual(frame["tcp.analysis.flags"], "", frame)
            self.assertEqual((frame["ip.checksum.status"], frame["tcp.checksum.status"]), ("1", "1"), frame)
            self.assertIn("445", frame["tcp.port"].split(","))
            self.assertRegex(frame["ip.src"], r"^10\.0\.(0\.[1-5]|1\.1)$")
            times.append(float(frame["frame.time_epoch"]))
            if frame["tcp.flags"] in opened:
                opened[frame["tcp.flags"]].append(frame["tcp.stream"])
        streams = sorted({frame["tcp.stream"] for frame in frames})
        self.assertEqual([sorted(ids) for ids in opened.values()], [streams, streams])
        self.assertEqual(times, sorted(times))
        self.assertTrue(1_700_000_000 < times[0] and times[-1] < 1_700_010_000)
        return frames

    def ends(self, frames, flag):
        return len([one for one in frames if one["ip.src"] == SERVER and int(one["tcp.flags"], 16) & flag])

    def test_without_faults(self):
        for seed in (1, 2, 3, 4, 5, 6):
            with self.subTest(seed=seed):
                frames = self.dissect(seed, "none")
                self.assertEqual(self.ends(frames, RST), 0)
                self.assertGreater(self.ends(frames, FIN), 0)
        self.assertGreater(self.plain, 0)

    def test_with_faults_of_honest_clients(self):
        for seed in (9, 10, 22, 31):  # they tear much; the last two the length of a message, too
            with self.subTest(seed=seed):
                self.dissect(seed, HONEST)

    def test_the_death_of_the_server_resets_its_connections(self):
        def dies(seed):
            return "the server died" in run([TOOL, "sim", "--seeds", str(seed), "--fault", HONEST, "--trace"])[1]

        seed = next(seed for seed in range(1, 200) if dies(seed))
        self.assertGreater(self.ends(self.dissect(seed, HONEST), RST), 0)

    def test_one_run_only(self):
        code, output = run([TOOL, "sim", "--seeds", "1..2", "--pcap", "/dev/null"])
        self.assertEqual(code, 2)
        self.assertIn("one run", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
