# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs elsewhere by ssh itself: a server on a port of this machine, with keys, configuration and home of its own, stands for the other one."""

import contextlib
import json
import os
import pathlib
import pwd
import shlex
import shutil
import signal
import socket
import subprocess

import pytest

from running import PATIENCE, free_port, program, run, start, wait_until, write_document

SERVER = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
NEEDED = [SERVER, *map(shutil.which, ("ssh", "ssh-keygen"))]
pytestmark = pytest.mark.skipif(None in NEEDED, reason="ssh or its server is not installed")

QUIET = ("-F none -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "
         "-o ServerAliveInterval=10")
# A root server separates its privileges in /run/sshd, which is not everywhere there: it gets a /run of its own.
WITH_RUN = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec "$@"', "sh"]


class Box:
    def __init__(self, folder, port):
        self.folder, self.port = folder, port
        self.home, self.sockets = folder / "home", folder / "s"
        user = pwd.getpwuid(os.getuid()).pw_name
        self.line = f"ssh -p {port} -i {shlex.quote(str(folder / 'mine'))} {QUIET} {user}@127.0.0.1"
        self.name = f"{user}@127.0.0.1"

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
        config.write_text(f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host\nPidFile none\nAuthorizedKeysFile {self.folder}/mine.pub\n"
                          "AuthenticationMethods publickey\nPermitRootLogin prohibit-password\nStrictModes no\nUsePAM no\nPrintMotd no\n"
                          f"ForceCommand exec /bin/sh {login}\n")
        return config

    def run_folder(self):
        return next((self.home / "runs").glob("*"), None)

    def steps(self):
        folder = self.run_folder()
        file = folder / "metrics.csv" if folder else None
        return file.read_text().count("\n") - 1 if file and file.exists() else 0


def answers(port):
    with contextlib.suppress(OSError), socket.socket() as asking:
        asking.connect(("127.0.0.1", port))
        return asking.recv(4) == b"SSH-"
    return False


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


@pytest.fixture
def box(tmp_path):
    made = Box(tmp_path, free_port())
    config = made.set_up()
    command = [*(WITH_RUN if os.geteuid() == 0 and not os.path.isdir("/run/sshd") else []), SERVER, "-D", "-e", "-f", str(config)]
    log = open(tmp_path / "sshd.log", "w", encoding="utf-8")
    with log, subprocess.Popen(command, stderr=log, stdin=subprocess.DEVNULL) as server:
        try:
            wait_until(None, lambda: server.poll() is not None or answers(made.port))
            if server.poll() is not None:
                pytest.skip(f"no server can be started here: {(tmp_path / 'sshd.log').read_text().strip()}")
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


def without_times(rows):
    return [{name: value for name, value in row.items() if name not in ("seconds", "perf/tokens_per_s")} for row in rows]


def test_a_run_by_ssh_has_the_numbers_of_one_here(box, small, text, tmp_path):
    here = run("train", small, "--run", tmp_path / "here", "--json", code=0)
    there = run("train", small, "--on", box.line, "--json", code=0)
    assert without_times(there.of("metrics")) == without_times(here.of("metrics"))
    end = there.of("end")[0]
    assert (end["state"], end["run"], end["on"]) == ("finished", str(box.run_folder()), box.line)
    assert [file.read_bytes() for file in (box.home / ".cache").rglob("small.txt")] == [text.read_bytes()]
    listed = run("session", "--list", "--on", box.line, "--json", code=0).lines
    assert [(line["run"], line["state"]) for line in listed] == [(end["run"], "finished")]


def test_a_run_by_ssh_outlives_a_broken_connection_and_its_viewer(box, text, tmp_path):
    steps = 10_000_000
    long = write_document(tmp_path / "long.unroll", text, training={"steps": steps, "sample_every": 0, "evaluate_every": 0, "checkpoint_every": 0})
    viewer = start("train", long, "--on", box.line, "--json")
    first = steps_told(viewer, 5)
    connected = logins(box.server)
    assert connected
    for process in connected:
        with contextlib.suppress(ProcessLookupError):  # it ends with the one before
            os.kill(process, signal.SIGKILL)
    seen = box.steps()
    more = steps_told(viewer, seen + 20)
    assert first + more == list(range(1, seen + 26)), "each row once"
    viewer.kill()  # with its ssh
    viewer.communicate()
    left = box.steps()
    wait_until(None, lambda: box.steps() > left)
    follower = start("session", "--attach", box.run_folder(), "--on", box.line, "--json")
    assert steps_told(follower, 1) == [1]
    stopped = run("session", "--stop", box.run_folder(), "--on", box.line, "--json", code=0).lines[-1]
    assert stopped["kind"] == "done" and left < stopped["step"] < steps
    out, _ = follower.communicate(timeout=PATIENCE)
    assert json.loads(out.splitlines()[-1])["state"] == "stopped"


def test_a_server_that_does_not_let_one_in_is_told_in_its_words(box, small):
    (box.folder / "mine.pub").write_text("")
    told = run("train", small, "--on", box.line, code=1).err
    assert f"{box.name} cannot be reached" in told and "Permission denied" in told
