# SPDX-License-Identifier: GPL-3.0-or-later
"""What has been seen: a file with one run a line. A run whose settings have changed since counts as not run."""

import contextlib
import datetime
import fcntl
import hashlib
import json
import os
import pathlib


def settings_hash(*parts):
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def run_made(engine, machine, *, task, cell, seed, settings, **found):
    """A run as the file keeps it: what was run, where and when, and what was found."""
    return {"task": task, "cell": cell, "seed": seed, "settings": settings, "notes": [], "threads": engine.threads,
            "date": datetime.date.today().isoformat(), "machine": machine, **found}


class Record:
    def __init__(self, path):
        self.path = pathlib.Path(path) if path else None
        self.runs = {}
        self.read()

    def read(self):
        if self.path and self.path.exists():
            for run in json.loads(self.path.read_text(encoding="utf-8")):
                self.runs[self.key(run)] = run

    @contextlib.contextmanager
    def locked(self):
        """Against other programs that add runs to the same file. The lock is on the folder: no file is left behind."""
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    @staticmethod
    def key(run):
        return run["task"], run["cell"], run["seed"]

    def add(self, run):
        """At once on disk: the next run may take minutes. With what other programs have added since."""
        if not self.path:
            self.runs[self.key(run)] = run
            return
        with self.locked():
            self.read()
            self.runs[self.key(run)] = run
            lines = ",\n".join(json.dumps(self.runs[key], sort_keys=True) for key in sorted(self.runs))
            fresh = self.path.with_suffix(".new")
            fresh.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
            fresh.replace(self.path)

    def of(self, task, cell, settings):
        """The runs of these very settings, by seed."""
        found = [run for run in self.runs.values() if (run["task"], run["cell"], run["settings"]) == (task, cell, settings)]
        return sorted(found, key=lambda run: run["seed"])

    def has(self, task, cell, settings, seed):
        return any(run["seed"] == seed for run in self.of(task, cell, settings))
