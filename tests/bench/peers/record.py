# SPDX-License-Identifier: GPL-3.0-or-later
"""What was measured: rows, one for each case, form and mode, kept as JSON so that a run can be made in pieces.

A peer's row holds our figures out of the same processes, so that every ratio is one of a single run. Pieces of one build of our kernels add up,
process by process; what another build measured gives way to what this one does.
"""

import contextlib
import dataclasses
import datetime
import fcntl
import importlib.metadata
import json
import os
import pathlib
import platform
import statistics

from kinds import COMPILED, CPU, CUDA, MODES, QUIET, UNROLL
from processes import MEMORY
from reporting import processor

PACKAGES = {CPU: ("torch", "numpy", "sru", "minGRU-pytorch", "mambapy", "flash-linear-attention", "xlstm", "ncps")}
PACKAGES[CUDA] = (*PACKAGES[CPU], "triton", "accelerated-scan")


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
    build: str = ""  # of our kernels
    copy: list = dataclasses.field(default_factory=list)  # bytes a second of copying there
    others: list = dataclasses.field(default_factory=list)  # the share of the processors that other programs had there
    samples: int = 0
    bytes: int | None = None  # of an ideal pass
    same_values: bool = True
    error: float | None = None  # relative RMS to the fp64 loop, the largest of output and gradients
    compile_s: float | None = None
    problem: str | None = None  # why there are no figures
    date: str = ""  # of the last process

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


def machine(device):
    facts = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "system": f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}",
    }
    if device == CUDA:
        import torch  # which --docs does not need

        facts["gpu"] = torch.cuda.get_device_name()
    return facts


def versions(device):
    found = {"python": platform.python_version()}
    for package in PACKAGES[device]:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return found


def rounded(value):
    """To the digits that mean something."""
    if isinstance(value, dict):
        return {name: rounded(held) for name, held in value.items()}
    if isinstance(value, list):
        return [rounded(held) for held in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def without_empty(row):
    return {name: held for name, held in row.items() if held not in (None, [], "")}


def differ(earlier, here, named_by_both):
    """Whether facts are of another machine; versions of packages that one of them does not know say nothing."""
    if not (named_by_both and earlier):
        return earlier != here
    return any(earlier[name] != here[name] for name in earlier.keys() & here.keys())


class OfAnotherMachine(Exception):
    """Figures that cannot stand in one table."""


class Record:
    def __init__(self, facts, rows=()):
        self.facts = facts
        self.rows = {row.key: row for row in rows}
        self.places = {}  # of the cases in the file, in whatever order the pieces come
        self.wanted = []  # case, size, form and kind of all that a whole run would measure

    @classmethod
    def here(cls, settings):
        """An empty one, of this machine and build."""
        return cls({"machine": machine(settings.device), "versions": versions(settings.device), "memory": MEMORY, "threads": settings.threads,
                    "build": settings.build})

    @classmethod
    def read(cls, path):
        held = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        rows, unmeasured = [Row(**row) for row in held.pop("rows")], held.pop("unmeasured", [])
        record = cls(held, rows)
        record.wanted = unmeasured
        return record

    def expect(self, cases):
        """What a whole run would measure, in its order."""
        self.places = {(case.name, tuple(case.size)): place for place, case in enumerate(cases)}
        self.wanted = [[case.name, list(case.size), form.name, form.kind] for case in cases for form in case.forms]

    def unmeasured(self):
        known = [[row.case, row.size, row.form, row.kind] for row in self.rows.values() if row.seconds or row.problem]
        return [wanted for wanted in self.wanted if wanted not in known]

    @contextlib.contextmanager
    def newest(self, path):
        """To be changed meanwhile, with what other pieces that are in progress have written; written again at the end."""
        with open(f"{path}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.path.exists(path):
                self.rows = Record.read(path).rows
            yield
            self.write(path)

    def write(self, path):
        """Whole or not at all: a piece that is interrupted leaves the earlier ones."""
        self.rows = dict(sorted(self.rows.items(), key=lambda item: self.places.get(item[0][:2], len(self.places))))
        facts = json.dumps(self.facts, indent=1).removesuffix("\n}")
        unmeasured = ",\n".join(json.dumps(wanted) for wanted in self.unmeasured())
        rows = ",\n".join(json.dumps(without_empty(dataclasses.asdict(row))) for row in self.rows.values())
        beside = pathlib.Path(f"{path}.new")
        beside.write_text(f'{facts},\n "unmeasured": [\n{unmeasured}\n],\n "rows": [\n{rows}\n]}}\n', encoding="utf-8")
        beside.replace(path)

    def after(self, earlier):
        """With what earlier pieces measured."""
        for fact in ("machine", "versions", "memory", "threads"):
            if differ(earlier.facts.get(fact), self.facts[fact], named_by_both=fact == "versions"):
                raise OfAnotherMachine(f"its {fact}: {earlier.facts.get(fact)}, here: {self.facts[fact]}")
        return Record(self.facts, earlier.rows.values())

    def row(self, case, form, mode):
        fresh = Row(case.name, list(case.size), form.name, form.kind, mode, bytes=case.bytes[MODES.index(mode)] if case.bytes else None,
                    same_values=form.same_values, build=self.facts["build"])
        row = self.rows.get(fresh.key)
        if row is None or row.build != fresh.build:
            if row and row.kind == COMPILED:  # of the peer alone, whatever our kernels are
                fresh.compile_s, fresh.error, fresh.problem = row.compile_s, row.error, row.problem
            row = self.rows[fresh.key] = fresh
        row.date = datetime.date.today().isoformat()
        return row

    def found(self, case, form):
        """Rows of this build."""
        rows = [self.rows.get((case.name, tuple(case.size), form.name, form.kind, mode)) for mode in form.modes]
        return [row for row in rows if row and row.build == self.facts["build"]]

    def processes(self, case, form):
        return min((len(row.seconds) for row in self.found(case, form)), default=0)

    def settled(self, case, form, rounds):
        """Whether there is nothing left to measure."""
        return any(row.problem for row in self.told(case, form)) or self.processes(case, form) >= rounds

    def told(self, case, form):
        """Rows of this build; of torch.compile's forms those of another too: what it makes, or fails at, knows nothing of ours."""
        rows = self.of(case.name, case.size) if form.kind == COMPILED else self.found(case, form)
        return [row for row in rows if (row.form, row.kind) == (form.name, form.kind)]

    def is_compiled(self, case, form):
        return any(row.error is not None for row in self.told(case, form))

    def lacking(self, pairs, rounds):
        """Those of the (case, forms) that need another process. Ours, the first of the forms, stands beside every peer."""
        lacking = [(case, forms[0], [form for form in forms if not self.settled(case, form, rounds)]) for case, forms in pairs]
        return [(case, [ours, *(form for form in some if form is not ours)]) for case, ours, some in lacking if some]

    def without_uncompiled(self, pairs):
        return [(case, [form for form in forms if form.kind != COMPILED or self.is_compiled(case, form)]) for case, forms in pairs]

    def forget(self, forms):
        """All that was found of these (case, form)."""
        for row in [row for case, form in forms for row in self.told(case, form)]:
            del self.rows[row.key]

    def add(self, case, done):
        """Takes in what a worker found of a case in one process."""
        done = rounded(done)
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

    def only(self, titles):
        """Of the cases with these names and sizes."""
        return Record(self.facts, [row for row in self.rows.values() if (row.case, tuple(row.size)) in titles])

    def of(self, name, size, mode=None):
        return [row for row in self.rows.values() if (row.case, tuple(row.size)) == (name, tuple(size)) and mode in (None, row.mode)]
