# SPDX-License-Identifier: GPL-3.0-or-later
"""What has been seen: a file with one run a line. A run whose settings have changed since counts as not run."""

import hashlib
import json
import pathlib


def settings_hash(*parts):
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


class Record:
    def __init__(self, path):
        self.path = pathlib.Path(path) if path else None
        self.runs = {}
        if self.path and self.path.exists():
            for run in json.loads(self.path.read_text(encoding="utf-8")):
                self.runs[self.key(run)] = run

    @staticmethod
    def key(run):
        return run["task"], run["cell"], run["seed"]

    def add(self, run):
        """At once on disk: the next run may take minutes."""
        self.runs[self.key(run)] = run
        if self.path:
            lines = ",\n".join(json.dumps(self.runs[key], sort_keys=True) for key in sorted(self.runs))
            self.path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")

    def of(self, task, cell, settings):
        """The runs of these very settings, by seed."""
        found = [run for run in self.runs.values() if (run["task"], run["cell"], run["settings"]) == (task, cell, settings)]
        return sorted(found, key=lambda run: run["seed"])
