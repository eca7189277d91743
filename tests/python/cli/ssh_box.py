# SPDX-License-Identifier: GPL-3.0-or-later
"""A server of ssh for tests: with keys, configuration and home of its own, on a port of this machine or of one of machines.py."""

import contextlib
import json
import os
import pathlib
import pwd
import shlex
import shutil
import signal
import subprocess

import pytest

from running import program, wait_until

SERVER = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
NEEDED = [SERVER, *map(shutil.which, ("ssh", "ssh-keygen"))]
needs_ssh = pytest.mark.skipif(None in NEEDED, reason="ssh or its server is not installed")

QUIET = ("-F none -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "
         "-o ServerAliveInterval=10")
# A root server separates its privileges in /run/sshd, which is not everywhere there: it gets a /run of its own.
WITH_RUN = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec "$@"', "sh"]


class Box:
    def __init__(self, folder, port, address="127.0.0.1"):
        self.folder, self.port, self.address = folder, port, address
        self.home, self.sockets = folder / "home", folder / "s"
        user = pwd.getpwuid(os.getuid()).pw_name
        self.line = f"ssh -p {port} -i {shlex.quote(str(folder / 'mine'))} {QUIET} {user}@{address}"
        self.name = f"{user}@{address}"

    def set_up(self):
        """Configuration, keys, and what a login does: unroll-cli is a command there."""
        (self.home / "bin").mkdir(parents=True)
        (self.home / "bin" / "unroll-cli").symlink_to(program())
        for key in ("mine", "host"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / key)], check=True)
        login = self.folder / "login.sh"
        home = shlex.quote(str(self.home))
        login.write_text(f'cd {home} && export HOME={home} PATH={home}/bin:"$PATH" UNROLL_SOCKETS={shlex.quote(str(self.sockets))} && '
                         'exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n')
        config = self.folder / "sshd_config"
        config.write_text(f"Port {self.port}\nListenAddress {self.address}\nHostKey {self.folder}/host\nPidFile none\n"
                          f"AuthorizedKeysFile {self.folder}/mine.pub\nAuthenticationMethods publickey\n"
                          "PermitRootLogin prohibit-password\nStrictModes no\nUsePAM no\nPrintMotd no\n"
                          f"ForceCommand exec /bin/sh {login}\n")
        return config

    def run_folder(self):
        return next((self.home / "runs").glob("*"), None)

    def steps(self):
        folder = self.run_folder()
        file = folder / "metrics.csv" if folder else None
        return file.read_text().count("\n") - 1 if file and file.exists() else 0


def listens(log):
    return "Server listening" in log.read_text()


def logins(server):
    """The processes of the server that have a connection."""
    found = []
    with contextlib.suppress(OSError):  # one that ends meanwhile
        for each in map(int, pathlib.Path(f"/proc/{server}/task/{server}/children").read_text().split()):
            if pathlib.Path(f"/proc/{each}/comm").read_text().startswith("sshd"):
                found += [each, *logins(each)]
    return found


def steps_told(viewer, count):
    """The steps of the next rows that it prints."""
    steps = []
    while len(steps) < count:
        line = json.loads(viewer.stdout.readline())
        steps += [line["step"]] if line["kind"] == "metrics" else []
    return steps


@contextlib.contextmanager
def serving(made, within=lambda *words: list(words)):
    """The server of a box; `within` makes of a command that which does it on the box's machine."""
    config, log = made.set_up(), made.folder / "sshd.log"
    command = within(*(WITH_RUN if os.geteuid() == 0 and not os.path.isdir("/run/sshd") else []), SERVER, "-D", "-e", "-f", str(config))
    with open(log, "w", encoding="utf-8") as said, subprocess.Popen(command, stderr=said, stdin=subprocess.DEVNULL) as server:
        try:
            wait_until(None, lambda: server.poll() is not None or listens(log))
            if server.poll() is not None:
                pytest.skip(f"no server can be started here: {log.read_text().strip()}")
            made.server = server.pid
            yield made
        finally:
            for engine in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    if b"\0--engine\0" in (engine / "cmdline").read_bytes() and str(made.sockets).encode() in (engine / "environ").read_bytes():
                        os.kill(int(engine.name), signal.SIGKILL)
                except OSError:
                    continue
            server.terminate()
