# SPDX-License-Identifier: GPL-3.0-or-later
"""What was measured: rows, one for each case, form and mode, kept as JSON so that a run can be made in pieces.

A peer's row holds our figures out of the same processes, so that every ratio is one of a single run.
"""

import dataclasses
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import statistics

from kinds import MODES, QUIET, UNROLL
from processes import MEMORY
from reporting import processor

PACKAGES = ("torch", "numpy", "sru", "minGRU-pytorch", "mambapy")


def undisturbed(values, others):
    """Those of the processes that had the machine to themselves; where none had, of the least disturbed."""
    most = max(QUIET, min(others))
    return [value for value, share in zip(values, others) if share <= most]


@dataclasses.dataclass
class Row:
    case: str
    size: list
    form: str
    kind: str
    mode: str
    seconds: list = dataclasses.field(default_factory=list)  # the median of each process
    ours: list = dataclasses.field(default_factory=list)  # our medians of the same processes
    copy: list = dataclasses.field(default_factory=list)  # bytes a second of copying there
    others: list = dataclasses.field(default_factory=list)  # the share of the processors that other programs had there
    samples: int = 0
    bytes: int | None = None  # of an ideal pass
    same_values: bool = True
    error: float | None = None  # relative RMS to the fp64 loop, the largest of output and gradients
    compile_s: float | None = None
    problem: str | None = None  # why there are no figures
    date: str = ""

    @property
    def key(self):
        return self.case, tuple(self.size), self.form, self.kind, self.mode

    @property
    def counts(self):
        """Our figure is the median over processes, a peer's the lowest: in the peer's favour."""
        return statistics.median(undisturbed(self.seconds, self.others)) if self.kind == UNROLL else min(self.seconds)

    @property
    def ratio(self):
        """How many times as long as ours the peer takes; None without figures of both."""
        return min(self.seconds) / statistics.median(undisturbed(self.ours, self.others)) if self.seconds and self.ours else None

    @property
    def share(self):
        """Of the time, what the ideal bytes take at the copy bandwidth of the same process."""
        if not self.bytes or not self.seconds:
            return None
        shares = [self.bytes / seconds / copy for seconds, copy in zip(self.seconds, self.copy)]
        return statistics.median(undisturbed(shares, self.others))


def machine():
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "system": platform.platform(),
    }


def versions():
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return found


class Record:
    def __init__(self, facts, rows=()):
        self.facts = facts
        self.rows = {row.key: row for row in rows}

    @classmethod
    def here(cls, settings):
        """An empty one, of this machine and day."""
        today = datetime.date.today().isoformat()
        settings = {name: value for name, value in dataclasses.asdict(settings).items() if name != "library"}
        return cls({"machine": machine(), "date": today, "versions": versions(), "memory": MEMORY, "settings": settings})

    @classmethod
    def read(cls, path):
        held = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        return cls({name: value for name, value in held.items() if name != "rows"}, [Row(**row) for row in held["rows"]])

    def write(self, path):
        """Whole or not at all: a piece that is broken off leaves the earlier ones."""
        held = {**self.facts, "rows": [dataclasses.asdict(row) for row in self.rows.values()]}
        beside = pathlib.Path(f"{path}.new")
        beside.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
        beside.replace(path)

    def over(self, earlier):
        """With what an earlier piece measured and this one did not."""
        return Record(self.facts, [*{**earlier.rows, **self.rows}.values()])

    def row(self, case, form, mode):
        row = Row(case.name, list(case.size), form.name, form.kind, mode, bytes=case.bytes[MODES.index(mode)] if case.bytes else None,
                  same_values=form.same_values, date=self.facts["date"])
        return self.rows.setdefault(row.key, row)

    def add(self, case, done):
        """Takes in what a worker found of a case in one process."""
        forms = {(form.name, form.kind): form for form in case.forms}
        ours = next((found for found in done["forms"] if found["kind"] == UNROLL), {})
        for found in done["forms"]:
            form = forms[found["form"], found["kind"]]
            for mode in form.modes:
                row = self.row(case, form, mode)
                row.problem = row.problem or found.get("problem")
                row.error = row.error if row.error is not None else found.get("error")
                row.compile_s = row.compile_s or found.get("compile_s")
                if mode in found:
                    timed = found[mode]
                    row.seconds.append(timed["seconds"])
                    row.copy.append(timed["copy"])
                    row.others.append(timed["others"])
                    row.samples += timed["samples"]
                    row.ours += [ours[mode]["seconds"]] if mode in ours else []

    def add_problem(self, case, form, problem):
        for mode in form.modes:
            row = self.row(case, form, mode)
            row.problem = row.problem or problem

    def of(self, name, size, mode):
        return [row for row in self.rows.values() if (row.case, tuple(row.size), row.mode) == (name, tuple(size), mode)]
