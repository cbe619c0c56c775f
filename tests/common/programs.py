"""Programs of other people that the tests drive. A missing one is a failure with its package."""

import shutil
import subprocess

import daemon as server


def need(program, package):
    path = shutil.which(program, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    if path is None:
        raise SystemExit(f"FAIL: {program} is missing: install the Debian package {package}")
    return path


def run(command, timeout=60, stdin=subprocess.DEVNULL, **more):
    """Runs it to its end and returns (code, output and errors as one text); never raises for a code."""
    try:
        done = subprocess.run([str(part) for part in command], stdin=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                              **more)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode(errors="replace")
        return -1, output + f"\n(not finished after {timeout} s)"


def smbclient(daemon, commands="", share="share", user=None, arguments=(), dialect=None,
              timeout=60, cwd=None):
    """One smbclient run: `commands` as for its -c. `dialect` is Samba's name, SMB2_02 .. SMB3_11."""
    program = need("smbclient", "smbclient")
    if user is None:
        user = f"{server.USER}%{server.PASSWORD}"
    command = [program, f"//127.0.0.1/{share}", "-p", daemon.port, "-s", "/dev/null"]
    command += ["-N"] if user == "" else ["-U", user]
    if dialect:
        command += [f"--option=client min protocol={dialect}",
                    f"--option=client max protocol={dialect}"]
    command += list(arguments)
    if commands:
        command += ["-c", commands]
    return run(command, timeout, cwd=cwd)
