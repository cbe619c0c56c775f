#!/usr/bin/python3
"""Impacket, an SMB implementation of its own in Python, against the daemon in its three dialects."""

import io
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from daemon import PASSWORD, USER, Daemon  # noqa: E402

try:
    from impacket.dcerpc.v5 import srvs, transport
    from impacket.smb3structs import SMB2_DIALECT_002, SMB2_DIALECT_21, SMB2_DIALECT_30
    from impacket.smbconnection import SessionError, SMBConnection
except ImportError:
    raise SystemExit("FAIL: impacket is missing: install the Debian package python3-impacket")

DIALECTS = {"2.0.2": SMB2_DIALECT_002, "2.1": SMB2_DIALECT_21, "3.0": SMB2_DIALECT_30}
DATA = random.Random(3).randbytes(1048576 + 7)


def names(entries):
    return {entry.get_longname() for entry in entries} - {".", ".."}


class ImpacketTest(unittest.TestCase):
    def connect(self, daemon, dialect=None, user=USER, password=PASSWORD):
        connection = SMBConnection("127.0.0.1", "127.0.0.1", sess_port=daemon.port,
                                   preferredDialect=dialect, timeout=20)
        connection.login(user, password)
        return connection

    def use(self, daemon, connection):
        connection.createDirectory("share", "Ördner")
        for name, data in (("Ördner\\größer.bin", DATA), ("empty", b""), ("small", b"x" * 511)):
            connection.putFile("share", name, io.BytesIO(data).read)
            back = io.BytesIO()
            connection.getFile("share", name, back.write)
            self.assertEqual(back.getvalue(), data)
        self.assertEqual((daemon.share / "Ördner" / "größer.bin").read_bytes(), DATA)
        self.assertEqual(names(connection.listPath("share", "*")), {"Ördner", "empty", "small"})
        self.assertEqual(names(connection.listPath("share", "Ördner\\*")), {"größer.bin"})
        connection.rename("share", "small", "Ördner\\klein")
        self.assertEqual(names(connection.listPath("share", "Ördner\\*")), {"größer.bin", "klein"})
        with self.assertRaisesRegex(SessionError, "STATUS_DIRECTORY_NOT_EMPTY"):
            connection.deleteDirectory("share", "Ördner")
        for name in ("Ördner\\größer.bin", "Ördner\\klein", "empty"):
            connection.deleteFile("share", name)
        connection.deleteDirectory("share", "Ördner")
        self.assertEqual(list(daemon.share.iterdir()), [])
        with self.assertRaisesRegex(SessionError, "STATUS_OBJECT_NAME_NOT_FOUND"):
            connection.deleteFile("share", "nosuch")

    def test_files_in_every_dialect_it_speaks(self):
        for name, dialect in DIALECTS.items():
            with self.subTest(dialect=name), Daemon() as daemon:
                connection = self.connect(daemon, dialect)
                self.assertEqual(connection.getDialect(), dialect)
                self.use(daemon, connection)
                connection.logoff()

    def test_files_as_it_negotiates_by_itself(self):
        for driver in ("uring", "epoll"):
            with self.subTest(driver=driver), Daemon(driver=driver) as daemon:
                connection = self.connect(daemon)
                self.use(daemon, connection)
                connection.logoff()

    def test_files_with_signing_required_by_the_server(self):
        for name, dialect in DIALECTS.items():
            with self.subTest(dialect=name), Daemon(signing="required") as daemon:
                connection = self.connect(daemon, dialect)
                self.assertTrue(connection.isSigningRequired())
                self.use(daemon, connection)

    def test_shares_through_srvsvc(self):
        with Daemon(shares={"public": "comment=for all"}) as daemon:
            connection = self.connect(daemon)
            shares = {entry["shi1_netname"][:-1]: entry["shi1_remark"][:-1]
                      for entry in connection.listShares()}
            self.assertLessEqual({"share", "public", "IPC$"}, set(shares))
            self.assertEqual(shares["public"], "for all")

    def test_the_server_s_information_through_srvsvc(self):
        with Daemon() as daemon:
            connection = self.connect(daemon)
            pipe = transport.SMBTransport("127.0.0.1", daemon.port, r"\srvsvc", smb_connection=connection)
            rpc = pipe.get_dce_rpc()
            rpc.connect()
            rpc.bind(srvs.MSRPC_UUID_SRVS)
            answer = srvs.hNetrServerGetInfo(rpc, 101)
            self.assertEqual(answer["InfoStruct"]["ServerInfo101"]["sv101_platform_id"], 500)
            share = srvs.hNetrShareGetInfo(rpc, "share\x00", 1)
            self.assertEqual(share["InfoStruct"]["ShareInfo1"]["shi1_netname"], "share\x00")

    def test_a_wrong_password_is_refused(self):
        with Daemon() as daemon:
            for user, password in ((USER, "wrong"), ("nosuch", "x")):
                with self.assertRaisesRegex(SessionError, "STATUS_LOGON_FAILURE"):
                    self.connect(daemon, user=user, password=password)


if __name__ == "__main__":
    unittest.main(verbosity=2)
