# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's folder, read. The run may be going on: what is half written is left for the next reading."""

import fcntl
import json
import math
import os
import pathlib
import re

NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
SAMPLE = re.compile(rb"== step (-?\d+), (\d+) bytes ==\n")


class NotARun(ValueError):
    """The folder is none that Unroll has written."""


def number(value):
    """A JSON number, or the word that stands for one that is not finite; None for anything else."""
    if isinstance(value, str):
        return NOT_FINITE.get(value)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def rows_in(text):
    """(step, {name: number}) of the whole lines of a metrics.jsonl."""
    for line in text.split("\n")[:-1]:
        try:
            entry = json.loads(line)
            step = entry.pop("step")
        except (ValueError, KeyError, AttributeError):
            continue
        values = {name: number(value) for name, value in entry.items()}
        yield step, {name: value for name, value in values.items() if value is not None}


def samples_in(data):
    """(step, text) of the whole samples of a samples.txt, in bytes."""
    at = 0
    while head := SAMPLE.match(data, at):
        end = head.end() + int(head.group(2))
        if len(data) < end + 2:
            return
        yield int(head.group(1)), data[head.end() : end].decode(errors="replace")
        at = end + 2


class RunFolder:
    """The files of one run. `group` and `lane`: where it is sent as one of a race or a search (sync/groups.py)."""

    group, lane = None, ""

    def __init__(self, path):
        self.path = pathlib.Path(path).expanduser()
        if not self.path.is_dir():
            raise NotARun(f"{self.path}: there is no run here")
        if not (self.path / "experiment.unroll").exists():
            raise NotARun(f"{self.path}: this is not a run: it contains no experiment.unroll")
        self.name = self.path.resolve().name

    def read(self, name):
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return b""

    def json(self, name):
        """The object in a file; {} where it is absent. A damaged one is an error that names it."""
        data = self.read(name)
        try:
            found = json.loads(data) if data else {}
        except ValueError as error:
            raise NotARun(f"{self.path / name}: {error}") from None
        return found if isinstance(found, dict) else {}

    @property
    def experiment(self):
        return self.json("experiment.unroll")

    @property
    def environment(self):
        return self.json("environment.json")

    @property
    def note(self):
        return self.read("note.txt").decode(errors="replace").strip()

    def rows(self):
        return list(rows_in(self.read("metrics.jsonl").decode(errors="replace")))

    def samples(self):
        return list(samples_in(self.read("samples.txt")))

    def is_held(self):
        """Whether a program has the folder open for writing. Windows keep a run open after it has ended, too."""
        file = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False

    @property
    def status(self):
        """{"state", "reason", "started", "changed"}. A run whose program is gone without a word was interrupted."""
        status = self.json("status.json")
        state = {"going": "running"}.get(status.get("state"), status.get("state", "unknown"))
        if state == "running" and not self.is_held():
            state = "interrupted"
        return {**status, "state": state}

    def has_ended(self):
        return self.status["state"] != "running"
