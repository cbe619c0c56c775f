#!/usr/bin/python3
"""What a person does with smbclient besides copying: names, directories, lists, logins."""

import os
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from daemon import PASSWORD, USER, Daemon  # noqa: E402
from programs import need, run, smbclient  # noqa: E402

DRIVERS = ("uring", "epoll")


class Basics(unittest.TestCase):
    def does(self, daemon, commands, **more):
        code, output = smbclient(daemon, commands, **more)
        self.assertEqual(code, 0, output)
        self.assertNotIn("NT_STATUS_", output)
        return output

    def refuses(self, daemon, commands, *statuses, **more):
        """Samba's client exits 0 after some refusals, so what it says decides."""
        _, output = smbclient(daemon, commands, **more)
        self.assertTrue(any(status in output for status in statuses), output)
        return output


class Names(Basics):
    def test_rename_delete_and_directories(self):
        for driver in DRIVERS:
            with self.subTest(driver=driver), Daemon(driver=driver) as daemon:
                (daemon.share / "Ärger.txt").write_bytes(b"one")
                self.does(daemon, 'mkdir "neuer Ordner"; rename "Ärger.txt" "neuer Ordner/größer.txt"')
                self.assertEqual((daemon.share / "neuer Ordner" / "größer.txt").read_bytes(), b"one")
                self.refuses(daemon, 'rmdir "neuer Ordner"', "NT_STATUS_DIRECTORY_NOT_EMPTY")
                self.does(daemon, 'rename "neuer Ordner" ordner; cd ordner; rm "größer.txt"; cd ..; '
                                  "rmdir ordner")
                self.assertEqual(list(daemon.share.iterdir()), [])

    def test_what_is_not_there_or_already_there_is_said_so(self):
        with Daemon() as daemon:
            (daemon.share / "file").write_bytes(b"x")
            (daemon.share / "other").write_bytes(b"y")
            (daemon.share / "dir").mkdir()
            self.refuses(daemon, "get nosuch", "NT_STATUS_OBJECT_NAME_NOT_FOUND")
            self.refuses(daemon, "cd nosuch", "NT_STATUS_OBJECT_NAME_NOT_FOUND")
            self.refuses(daemon, "get nosuch/deeper", "NT_STATUS_OBJECT_PATH_NOT_FOUND")
            self.refuses(daemon, "mkdir dir", "NT_STATUS_OBJECT_NAME_COLLISION")
            self.refuses(daemon, "rename file other", "NT_STATUS_OBJECT_NAME_COLLISION")
            self.assertEqual((daemon.share / "other").read_bytes(), b"y")
            self.refuses(daemon, "ls", "NT_STATUS_BAD_NETWORK_NAME", share="nosuch")

    def test_names_are_found_in_any_case_and_keep_theirs(self):
        with Daemon() as daemon:
            (daemon.share / "Größe.TXT").write_bytes(b"content")
            back = daemon.directory / "back"
            self.does(daemon, f"get GRÖßE.txt {back}")
            self.assertEqual(back.read_bytes(), b"content")
            self.assertIn("Größe.TXT", self.does(daemon, "ls größe*"))

    def test_nothing_outside_the_share_is_reached(self):
        with Daemon() as daemon:
            (daemon.directory / "secret").write_bytes(b"secret")
            (daemon.share / "link").symlink_to(daemon.directory / "secret")
            back = daemon.directory / "back"
            smbclient(daemon, f'get "..\\..\\secret" {back}')
            self.assertFalse(back.exists() and back.read_bytes() == b"secret")
            smbclient(daemon, f"get link {back}")
            self.assertFalse(back.exists() and back.read_bytes() == b"secret")

    def test_a_list_of_2000_entries_is_whole(self):
        for driver in DRIVERS:
            with self.subTest(driver=driver), Daemon(driver=driver) as daemon:
                names = {f"entry {number:04} näme.txt" for number in range(2000)}
                for name in names:
                    (daemon.share / name).write_bytes(b"")
                output = self.does(daemon, "ls")
                listed = [line[2:].split(".txt")[0] + ".txt" for line in output.splitlines()
                          if ".txt" in line]
                self.assertEqual(len(listed), 2000)
                self.assertEqual(set(listed), names)
                self.assertEqual(self.does(daemon, 'ls "entry 00*"').count(".txt"), 100)


class Shares(Basics):
    def list(self, daemon, *arguments):
        program = need("smbclient", "smbclient")
        return run([program, "-L", "//127.0.0.1", "-p", daemon.port, "-s", "/dev/null", *arguments])

    def test_the_list_names_shares_but_not_hidden_ones(self):
        with Daemon(shares={"public": "comment=for all", "secret": "hidden"}) as daemon:
            code, output = self.list(daemon, "-U", f"{USER}%{PASSWORD}")
            self.assertEqual(code, 0, output)
            self.assertRegex(output, r"share +Disk")
            self.assertRegex(output, r"public +Disk +for all")
            self.assertRegex(output, r"IPC\$ +IPC")
            self.assertNotIn("secret", output)
            # Hidden is not closed: who knows the name may use it.
            self.does(daemon, "ls", share="secret")

    def test_a_read_only_share_changes_nothing(self):
        with Daemon(shares={"ro": "ro"}) as daemon:
            root = daemon.paths["ro"]
            (root / "keep.txt").write_bytes(b"kept")
            (root / "dir").mkdir()
            back = daemon.directory / "back"
            self.does(daemon, f"ls; get keep.txt {back}", share="ro")
            self.assertEqual(back.read_bytes(), b"kept")
            for commands in ("rm keep.txt", f"put {back} new.txt", f"put {back} keep.txt", "mkdir new",
                             "rmdir dir", "rename keep.txt other.txt", "setmode keep.txt +r",
                             "rename dir other"):
                with self.subTest(commands=commands):
                    self.refuses(daemon, commands, "NT_STATUS_ACCESS_DENIED",
                                 "NT_STATUS_MEDIA_WRITE_PROTECTED", share="ro")
            self.assertEqual({path.name for path in root.iterdir()}, {"keep.txt", "dir"})
            self.assertEqual((root / "keep.txt").read_bytes(), b"kept")


class Logins(Basics):
    def test_a_wrong_password_or_an_unknown_user_is_refused(self):
        for dialect in ("SMB2_10", "SMB3_11"):
            with self.subTest(dialect=dialect), Daemon() as daemon:
                for user in (f"{USER}%wrong", f"{USER}%", "nosuch%x", "nosuch%"):
                    self.refuses(daemon, "ls", "NT_STATUS_LOGON_FAILURE", user=user, dialect=dialect)
                self.does(daemon, "ls", dialect=dialect)

    def test_one_of_several_users_is_no_other(self):
        with Daemon(users={"anna": "a:b", "Jürgen": "ü€"}) as daemon:
            self.does(daemon, "ls", user="anna%a:b")
            self.does(daemon, "ls", user="ANNA%a:b")
            self.does(daemon, "ls", user="Jürgen%ü€")
            self.refuses(daemon, "ls", "NT_STATUS_LOGON_FAILURE", user="anna%ü€")

    def test_guests_use_a_guest_share_unsigned_in_every_dialect(self):
        for dialect in ("SMB2_02", "SMB2_10", "SMB3_00", "SMB3_11"):
            with self.subTest(dialect=dialect), Daemon(shares={"public": "guest"}) as daemon:
                (daemon.paths["public"] / "hello").write_bytes(b"hi")
                output = self.does(daemon, "ls", share="public", user="nosuch%x", dialect=dialect)
                self.assertIn("hello", output)
                # A guest on a server that has guest shares is still no guest of the others.
                self.refuses(daemon, "ls", "NT_STATUS_ACCESS_DENIED", share="share", user="nosuch%x",
                             dialect=dialect)
                # Somebody who has an account and mistypes must hear about it.
                self.refuses(daemon, "ls", "NT_STATUS_LOGON_FAILURE", share="public",
                             user=f"{USER}%wrong", dialect=dialect)

    def test_anonymous_lists_shares_and_uses_guest_shares_only(self):
        for dialect in ("SMB2_10", "SMB3_11"):
            with self.subTest(dialect=dialect), Daemon(shares={"public": "guest"}) as daemon:
                code, output = run([need("smbclient", "smbclient"), "-N", "-L", "//127.0.0.1", "-p",
                                    daemon.port, "-s", "/dev/null", "-U", "%",
                                    f"--option=client max protocol={dialect}"])
                self.assertEqual(code, 0, output)
                self.assertIn("public", output)
                self.does(daemon, "ls", share="public", user="%", dialect=dialect)
                self.refuses(daemon, "ls", "NT_STATUS_ACCESS_DENIED", user="%", dialect=dialect)


class Negotiation(Basics):
    def test_a_client_that_starts_with_smb1_ends_in_smb2(self):
        for driver in DRIVERS:
            for highest in ("SMB2_02", "SMB2_10", "SMB3_11"):
                with self.subTest(driver=driver, highest=highest), Daemon(driver=driver) as daemon:
                    self.does(daemon, "ls", arguments=["--option=client min protocol=NT1",
                                                       f"--option=client max protocol={highest}"])

    def test_smb1_alone_is_refused_quickly(self):
        with Daemon() as daemon:
            started = time.monotonic()
            code, output = smbclient(daemon, "ls", arguments=["--option=client min protocol=NT1",
                                                              "--option=client max protocol=NT1"])
            self.assertNotEqual(code, 0, output)
            self.assertLess(time.monotonic() - started, 10, output)
            self.does(daemon, "ls")


class Attributes(Basics):
    def test_times_and_attributes_survive(self):
        with Daemon() as daemon, tempfile.NamedTemporaryFile() as source:
            source.write(b"x" * 1000)
            source.flush()
            self.does(daemon, f"put {source.name} f; setmode f +rh")
            self.assertRegex(self.does(daemon, "ls f"), r"\n? +f +\w*H\w*R? +1000|f +AHR +1000")
            self.does(daemon, "setmode f -rh; utimes f -1 -1 2001:02:03-04:05:06 -1")
            self.assertRegex(self.does(daemon, "ls f"), r"Sat Feb +3 \d\d:05:06 2001")

    def test_disk_space_is_told(self):
        with Daemon() as daemon:
            self.assertRegex(self.does(daemon, "du"), r"\d+ blocks of size \d+\. \d+ blocks available")


if __name__ == "__main__":
    unittest.main(verbosity=2)
