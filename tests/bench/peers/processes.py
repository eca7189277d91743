# SPDX-License-Identifier: GPL-3.0-or-later
"""Which forms share a process, and starting these processes.

What runs eagerly shares a process with ours, again and again in processes that begin with another form each time. A compiled form has processes of
its own beside ours: the first compiles into an empty cache and says how long that took, the others find its code there. Memory settings are
the same for all: freed blocks stay in the process, so that no form pays for fresh pages.
"""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys

from kinds import COMPILED, UNROLL

KEPT = str(8 << 30)
MEMORY = {"MALLOC_TRIM_THRESHOLD_": KEPT, "MALLOC_MMAP_THRESHOLD_": KEPT}


@dataclasses.dataclass(frozen=True)
class Settings:
    scale: str
    seconds: float  # of a form and mode in a process
    least: int  # samples, however long they take
    rounds: int  # processes
    limit: float  # seconds of a process with a compiled form
    threads: int
    library: str
    copy_mb: int


class OverLimit(Exception):
    """The process was ended at its time limit."""


class Failed(Exception):
    """The process ended by itself, without finishing."""


def shared_process(pairs):
    """What runs eagerly. A case whose peers are all compiled is left to those processes, where ours stands too."""
    eager = [(case, forms, [form for form in forms if form.kind != COMPILED]) for case, forms in pairs]
    return [(case, some) for case, forms, some in eager if len(some) > 1 or some == forms]


def compiled_processes(pairs):
    return [[(case, [*(other for other in forms if other.kind == UNROLL), form])] for case, forms in pairs for form in forms if form.kind == COMPILED]


def run(pairs, settings, turn, cache, limit=None):
    """What the worker found, a dictionary for each case. Forms of the cases in `pairs` begin with number `turn`."""
    order = {
        "cases": [{"case": case.title, "forms": [(form.name, form.kind) for form in forms]} for case, forms in pairs],
        "turn": turn, "check": turn == 0, "seed": 1234, "scale": settings.scale, "seconds": settings.seconds, "least": settings.least,
        "threads": settings.threads, "library": settings.library, "copy_mb": settings.copy_mb,
    }
    environment = {**os.environ, **MEMORY, "OMP_NUM_THREADS": str(settings.threads), "TORCHINDUCTOR_CACHE_DIR": str(cache)}
    worker = pathlib.Path(__file__).with_name("worker.py")
    process = subprocess.Popen([sys.executable, str(worker)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=environment, start_new_session=True)
    try:
        out, words = process.communicate(json.dumps(order), timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # a session of its own: the compiler it has started ends too
        process.communicate()
        raise OverLimit from None
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    if process.returncode:
        raise Failed("\n".join(words.splitlines()[-5:]))
    return [json.loads(line) for line in out.splitlines()]
