# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting the processes that check, compile and time.

The forms of a case take turns in one process, again and again in processes that begin with another form each time. A compiled form has been compiled
before, in a process of its own, into a cache where the others find its code. Memory settings are the same for all: freed blocks stay in
the process, so that no form pays for fresh pages.
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys

from kinds import CPU, CUDA

KEPT = str(1 << 40)  # more than there is: one peer takes 13 GB for a call, and others would find their pages given back
MEMORY = {"MALLOC_TRIM_THRESHOLD_": KEPT, "MALLOC_MMAP_THRESHOLD_": KEPT}


@dataclasses.dataclass(frozen=True)
class Settings:
    scale: str
    seconds: float  # of a form and mode in a process
    least: int  # samples, however long they take
    rounds: int  # processes
    limit: float  # seconds of a processor that compiling may take
    threads: int
    library: str
    copy_mb: int
    device: str = CPU
    cuda_library: str | None = None

    @property
    def libraries(self):
        return [self.library] + [self.cuda_library] * (self.device == CUDA)

    @property
    def build(self):
        """Tells one build of our kernels from another."""
        return hashlib.sha256(b"".join(pathlib.Path(library).read_bytes() for library in self.libraries)).hexdigest()[:12]


class OverLimit(Exception):
    """The process was ended at its limit."""


class Failed(Exception):
    """The process ended by itself, without finishing."""


def processor_seconds(session):
    """Of the processes of a session and of those they have waited for: nearly the same on a machine that does other things besides."""
    ticks = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            fields = stat.read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15])) if int(fields[3]) == session else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def answered(process, order, limit):
    """What the process prints, out and beside. Raises OverLimit when it has taken more than `limit` seconds of a processor."""
    said = order
    while True:
        try:
            return process.communicate(said, timeout=limit and min(limit, 1))
        except subprocess.TimeoutExpired:
            said = None  # it has the order
            if processor_seconds(process.pid) > limit:
                raise OverLimit from None


def run(pairs, settings, cache, *, turn=0, check=True, timed=True, limit=None):
    """What the worker found, a dictionary for each case. Forms of the cases in `pairs` begin with number `turn`. Not timed: they are only made
    ready, compiled for one."""
    order = {
        "cases": [{"case": case.title, "forms": [(form.name, form.kind) for form in forms]} for case, forms in pairs],
        "turn": turn, "check": check, "timed": timed, "seed": 1234, "scale": settings.scale, "seconds": settings.seconds, "least": settings.least,
        "threads": settings.threads, "libraries": settings.libraries, "device": settings.device, "copy_mb": settings.copy_mb,
    }
    environment = {**os.environ, **MEMORY, "OMP_NUM_THREADS": str(settings.threads), "TORCHINDUCTOR_CACHE_DIR": str(cache)}
    worker = pathlib.Path(__file__).with_name("worker.py")
    process = subprocess.Popen([sys.executable, str(worker)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=environment, start_new_session=True)
    try:
        out, words = answered(process, json.dumps(order), limit)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)  # a session of its own: the compiler it has started ends too
        process.wait()
        raise
    if process.returncode:
        raise Failed("\n".join(words.splitlines()[-5:]))
    return [json.loads(line) for line in out.splitlines()]
