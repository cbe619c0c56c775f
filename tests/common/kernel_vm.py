"""Debian's kernel in a virtual machine without hardware help: boots from an initramfs made here and
runs a shell script as its init. The guest reaches this host's loopback as 10.0.2.2.

The kernel's package is downloaded, not installed, and kept in $SEMBLANCE_CACHE or ~/.cache/semblance.
"""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from programs import need, run

# What a mount of cifs loads by itself on a full system; the ones they depend on are found.
MODULES = ["virtio_pci", "virtio_net", "cifs", "nls_utf8", "hmac", "md5", "md4", "cmac", "ccm", "gcm",
           "ctr", "ecb", "aes_generic", "aesni-intel", "sha256_generic", "sha512_generic",
           "libarc4", "gmac"]
# Whole kernels are large; these hold every module above.
MODULE_TREES = ["crypto", "arch/x86/crypto", "lib", "fs/smb", "fs/cifs", "fs/netfs", "fs/fscache", "fs/nls",
                "net/dns_resolver", "net/core", "drivers/virtio", "drivers/net/virtio_net.ko",
                "drivers/net/net_failover.ko", "drivers/crypto"]


def cache():
    place = os.environ.get("SEMBLANCE_CACHE")
    path = Path(place) if place else Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "semblance"
    path.mkdir(parents=True, exist_ok=True)
    return path


def package():
    """The downloaded package of the kernel that linux-image-amd64 stands for."""
    kept = sorted(cache().glob("linux-image-*.deb"))
    if kept:
        return kept[-1]
    _, output = run([need("apt-cache", "apt"), "depends", "linux-image-amd64"])
    name = re.search(r"Depends: (linux-image-\S+)", output)
    if not name:
        raise SystemExit("FAIL: apt knows no linux-image-amd64: apt-get update")
    with tempfile.TemporaryDirectory(dir=cache()) as scratch:
        code, output = run(["apt-get", "-q", "download", name.group(1)], 300, cwd=scratch)
        found = list(Path(scratch).glob("*.deb"))
        if code != 0 or not found:
            raise SystemExit(f"FAIL: apt-get download {name.group(1)}: {output[-500:]}")
        return found[0].rename(cache() / found[0].name)


def unpacked():
    """A directory with boot/vmlinuz-* and lib/modules/*, unpacked once and then kept."""
    deb = package()
    final = cache() / deb.stem
    if final.is_dir():
        return final
    scratch = Path(tempfile.mkdtemp(dir=cache()))
    contents = subprocess.Popen([need("dpkg-deb", "dpkg"), "--fsys-tarfile", deb],
                                stdout=subprocess.PIPE)
    wanted = ["./boot/vmlinuz-*", "./lib/modules/*/modules.*"]
    wanted += [f"./lib/modules/*/kernel/{tree}" for tree in MODULE_TREES]
    # Kernels differ in which of the directories they have: tar complains, and that is all right.
    run(["tar", "-x", "-C", scratch, "--wildcards", *wanted], 120, stdin=contents.stdout)
    contents.wait()
    scratch.chmod(0o755)
    try:
        scratch.rename(final)
    except OSError:
        shutil.rmtree(scratch)  # Another test was faster.
    return final


def modules(tree):
    """Paths of all modules to load, each after the ones it needs."""
    release = next((tree / "lib/modules").iterdir()).name
    _, output = run([need("busybox", "busybox-static"), "depmod", "-n", "-b", tree, release])
    needs, place = {}, {}
    for line in output.splitlines():
        match = re.match(r"(kernel/\S+\.ko\S*):(.*)", line)
        if match:
            needs[match.group(1)] = match.group(2).split()
            place[Path(match.group(1)).name.split(".ko")[0].replace("-", "_")] = match.group(1)
    order = []

    def visit(path):
        if path not in order:
            for other in needs.get(path, []):
                visit(other)
            order.append(path)

    for name in MODULES:
        path = place.get(name.replace("-", "_"))
        if path:  # What is not there is built in.
            visit(path)
    return [tree / "lib/modules" / release / path for path in order]


def libraries(program):
    _, output = run(["ldd", program])
    return re.findall(r"(/\S+\.so\S*)", output)


def initramfs(directory, init, tree):
    """Writes directory/initramfs: busybox, mount.cifs, the modules, and `init` as /init."""
    root = directory / "root"
    for name in ("bin", "sbin", "proc", "sys", "dev", "tmp", "mnt", "modules", "etc", "usr/sbin"):
        (root / name).mkdir(parents=True)
    shutil.copy(need("busybox", "busybox-static"), root / "bin/busybox")
    (root / "bin/sh").symlink_to("busybox")
    mount = need("mount.cifs", "cifs-utils")
    for path in [mount, *libraries(mount)]:
        target = root / ("sbin/mount.cifs" if path == mount else path[1:])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    order = modules(tree)
    for number, path in enumerate(order):
        shutil.copy(path, root / f"modules/{number:03}-{path.name}")
    (root / "init").write_text(init)
    (root / "init").chmod(0o755)
    with open(directory / "initramfs", "wb") as image:
        names = subprocess.run(["find", "."], cwd=root, capture_output=True, check=True).stdout
        subprocess.run([need("cpio", "cpio"), "--quiet", "-o", "-H", "newc"], cwd=root, input=names,
                       stdout=image, check=True)
    shutil.rmtree(root)
    return directory / "initramfs"


def boot(init, arguments, limit_s):
    """Runs `init` with `arguments` (NAME=VALUE on the kernel's command line) to power-off; returns
    what it wrote to the console."""
    qemu = need("qemu-system-x86_64", "qemu-system-x86")
    tree = unpacked()
    kernel = next((tree / "boot").glob("vmlinuz-*"))
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as scratch:
        image = initramfs(Path(scratch), init, tree)
        command = [qemu, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "640",
                   "-kernel", kernel, "-initrd", image, "-nodefaults", "-no-reboot", "-display", "none",
                   "-serial", "stdio", "-nic", "user,model=virtio-net-pci",
                   "-append", "console=ttyS0 quiet panic=-1 " + " ".join(arguments)]
        code, output = run(command, limit_s)
        return output if code == 0 else output + f"\n(qemu ended with {code})"
