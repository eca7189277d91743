# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster of Slurm on the two machines of machines.py: its daemons in the foreground, with a configuration, keys and folders of their own."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

import running
from machines import two_machines

DAEMONS = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin:/sbin"
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel", "squeue", "scontrol")
missing = [name for name in PROGRAMS if shutil.which(name, path=DAEMONS) is None]

CONFIGURATION = """ClusterName=unroll
SlurmctldHost=node1
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
KillWait=60
NodeName=node1 NodeAddr=10.77.0.1 CPUs=1
NodeName=node2 NodeAddr=10.77.0.2 CPUs=4
PartitionName=both Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
"""


class Cluster:
    def __init__(self, folder, machines):
        self.folder, self.machines, self.daemons = folder, machines, []
        self.configuration = folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(folder=folder))
        (folder / "state").mkdir()
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o600)

    def environment(self):
        """Without what a job of another cluster, in which the tests may run, says."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_", "SRUN_"))}
        return {**kept, "SLURM_CONF": str(self.configuration), "PATH": DAEMONS}

    def daemon(self, machine, *words):
        """It ends with all that it started when its first process does: they have process numbers of their own."""
        program = shutil.which(words[0], path=DAEMONS)
        alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", '"$@" & wait', "sh", program, *map(str, words[1:])]
        with open(self.folder / f"{words[0]}-{machine.name}.err", "w", encoding="utf-8") as said:
            self.daemons.append(subprocess.Popen(machine.within(*alone), env=self.environment(), stdin=subprocess.DEVNULL, stdout=said, stderr=said))

    def begin(self):
        first, second = self.machines
        self.daemon(first, "munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", f"--key-file={self.folder}/munge.key",
                    f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munged.seed", f"--log-file={self.folder}/munged.log")
        self.ready(lambda: (self.folder / "munge.socket").exists())
        self.daemon(first, "slurmctld", "-D")
        for machine in (first, second):
            self.daemon(machine, "slurmd", "-D", "-N", machine.name)
        self.ready(lambda: self.ask("sinfo", "--noheader", "--format=%T %D") == "idle 2")

    def ready(self, condition):
        """A cluster that does not start is one that cannot be tested with, for the reason that it says."""
        with contextlib.suppress(AssertionError):
            running.wait_until(None, lambda: condition() or any(each.poll() is not None for each in self.daemons), 60)
        if not condition():
            said = [line for file in sorted(self.folder.glob("*.err")) + sorted(self.folder.glob("*.log")) for line in file.read_text().splitlines()[-3:]]
            pytest.skip("Slurm does not start here: " + " | ".join(said))

    def ask(self, *words):
        """What a command of Slurm says, on the first machine."""
        return subprocess.run(self.machines[0].within(*words), env=self.environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              check=False).stdout.strip()

    def start(self, *words, **environment):
        """A command of Slurm as a process."""
        running.started.append(subprocess.Popen(self.machines[0].within(*words), env={**self.environment(), **environment}, text=True,
                                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        return running.started[-1]

    def end(self):
        for daemon in reversed(self.daemons):
            daemon.kill()  # unshare, which is this process, takes what it started with it
            daemon.communicate()


@contextlib.contextmanager
def cluster():
    if missing:
        pytest.skip(f"Slurm is not installed: there is no {missing[0]} (Debian: munge, slurmctld, slurmd, slurm-client)")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="unroll-slurm-"))  # paths of sockets are short
    try:
        with two_machines(folder) as machines:
            made = Cluster(folder, machines)
            try:
                made.begin()
                yield made
            finally:
                made.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
