# SPDX-License-Identifier: GPL-3.0-or-later
"""Two machines made of this one by Linux namespaces: each has a host name, a network interface, addresses and an /etc/hosts of its own, and they are joined
by a cable (a veth pair). They share files and processors. The network of this machine is left alone, and all is gone with their first processes."""

import contextlib
import os
import shutil
import subprocess

import pytest

import running

CABLE = "cable0"


class Machine:
    """`name` and `address` as the other one knows it."""

    def __init__(self, name, address, hosts):
        self.name, self.address = name, address
        script = 'hostname "$1" && ip link set lo up && mount --bind "$2" /etc/hosts && echo ready && exec cat'
        self.first = subprocess.Popen(["unshare", "--net", "--uts", "--mount", "sh", "-c", script, "sh", name, str(hosts)], text=True, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if self.first.stdout.readline() != "ready\n":
            reason = self.first.communicate()[1].strip()
            pytest.skip(f"no machine can be made of namespaces here: {reason}")

    def within(self, *words):
        """The command that does `words` there, in the folder in which it is started, as the same process."""
        return ["nsenter", f"--target={self.first.pid}", "--net", "--uts", "--mount", "--wd=.", *map(str, words)]

    def do(self, *words):
        return subprocess.run(self.within(*words), check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout

    def start(self, *words, **environment):
        """A process there, with pipes for its outputs; conftest.py ends what a failed test leaves running."""
        running.started.append(subprocess.Popen(self.within(*words), env=dict(os.environ, **environment), text=True, stdin=subprocess.DEVNULL,
                                                stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        return running.started[-1]

    def cli(self, *words, **environment):
        return self.start(running.program(), *words, **environment)

    def link(self, state):
        """Its end of the cable `up` or `down`."""
        self.do("ip", "link", "set", CABLE, state)

    def end(self):
        self.first.communicate()


def reason_against():
    """Why there can be none; empty: they can be tried."""
    if os.geteuid() != 0:
        return "namespaces of the network need root"
    missing = [word for word in ("unshare", "nsenter", "ip", "mount") if shutil.which(word) is None]
    return f"there is no {missing[0]}" if missing else ""


@contextlib.contextmanager
def two_machines(folder, loopback_names=False):
    """`loopback_names`: each knows its own name as 127.0.1.1, as Debian's installer writes it."""
    if why := reason_against():
        pytest.skip(why)
    names = {"node1": "10.77.0.1", "node2": "10.77.0.2"}
    both = []
    try:
        for name in names:
            known = {**names, name: "127.0.1.1"} if loopback_names else names
            hosts = folder / f"hosts-{name}"
            hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{address} {each}\n" for each, address in known.items()))
            both.append(Machine(name, names[name], hosts))
        cable = both[0].within("ip", "link", "add", CABLE, "type", "veth", "peer", "name", CABLE, "netns", both[1].first.pid)
        made = subprocess.run(cable, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            pytest.skip(f"no cable can be made between namespaces here: {made.stderr.strip()}")
        for machine in both:
            machine.do("ip", "address", "add", f"{machine.address}/24", "dev", CABLE)
            machine.link("up")
        yield both
    finally:
        for machine in both:
            machine.end()
