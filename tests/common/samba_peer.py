"""Debian's Samba behind the interface of Daemon: private directories, loopback, a free port."""

import os
import socket
import subprocess
import time

CONF = """[global]
  server role = standalone server
  private dir = {d}/private
  lock directory = {d}/lock
  state directory = {d}/state
  cache directory = {d}/cache
  pid directory = {d}/pid
  ncalrpc dir = {d}/ncalrpc
  log file = {d}/log
  smb ports = {port}
  bind interfaces only = yes
  interfaces = lo
  disable spoolss = yes
  load printers = no
  map to guest = bad user
  smb passwd file = {d}/private/smbpasswd
  passdb backend = smbpasswd
  username map = {d}/private/map
  server min protocol = SMB2_02
{more}
"""
NAMES = {"2.0.2": "SMB2_02", "2.1": "SMB2_10", "3.0": "SMB3_00", "3.0.2": "SMB3_02",
         "3.1.1": "SMB3_11"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def write_conf(daemon, port):
    d = daemon.directory
    for name in ("private", "lock", "state", "cache", "pid", "ncalrpc"):
        (d / name).mkdir()
    more = []
    if daemon.signing == "required":
        more.append("  server signing = mandatory")
    if daemon.dialects:
        more.append(f"  server max protocol = {NAMES[daemon.dialects[1]]}")
    for name, text in daemon.share_options.items():
        options = text.split(",") if text else []
        more += [f"[{name}]", f"  path = {daemon.paths[name]}",
                 f"  read only = {'yes' if 'ro' in options else 'no'}",
                 f"  guest ok = {'yes' if 'guest' in options else 'no'}",
                 f"  browseable = {'no' if 'hidden' in options else 'yes'}"]
        daemon.paths[name].chmod(0o777)
    conf = d / "smb.conf"
    conf.write_text(CONF.format(d=d, port=port, more="\n".join(more)))
    # Samba wants a user of the system behind every name; root is always there.
    (d / "private" / "map").write_text("root = " + " ".join(daemon.users) + "\n")
    return conf


def start(daemon):
    port = free_port()
    conf = write_conf(daemon, port)
    os.chmod(daemon.directory, 0o755)
    for password in daemon.users.values():
        subprocess.run(["smbpasswd", "-c", conf, "-s", "-a", "root"], check=True,
                       input=f"{password}\n{password}\n".encode(), capture_output=True)
    # smbd ends its children by a signal to its whole process group: that must not be ours.
    process = subprocess.Popen(["smbd", "-F", "--no-process-group", "-s", str(conf)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process, port
        time.sleep(0.1)
    process.kill()
    raise AssertionError("Samba does not listen")
