# SPDX-License-Identifier: GPL-3.0-or-later
"""What a word of the command line stands for: a run; the runs of a race (its folder, or race.json); those of a search (study.toml); the runs in a
folder. Runs of a race or a search are a group, with a name."""

import contextlib
import dataclasses
import json
import os
import pathlib

from ..folder import NotARun, RunFolder
from .ledger import FILE, Ledger

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None


@dataclasses.dataclass
class Group:
    """Runs that belong together. `waiting`: how many are planned and have no folder yet; None: nobody knows."""

    path: pathlib.Path  # of the folder that is the race's, or has the study's runs
    name: str
    kind: str  # race, study
    runs: list = dataclasses.field(default_factory=list)
    waiting: int | None = None

    @contextlib.contextmanager
    def entry(self, place):
        """What the group's own synced.json keeps of a place, alone while it is changed."""
        path = self.path / FILE
        try:
            file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+", encoding="utf-8")
        except OSError as error:
            raise NotARun(f"{path}: {error.strerror}. The group's place in the tracker is noted there.") from None
        with file:
            try:
                ledger = Ledger(file, place)
            except ValueError as error:
                raise NotARun(f"{path}: {error}. Without the file the group is made again.") from None
            with ledger.alone():
                entries = ledger.read()
                yield entries.setdefault(place, {})
                file.seek(0)
                file.write(json.dumps(entries, indent=1) + "\n")
                file.truncate()


def is_run(path):
    return (path / "experiment.unroll").exists()


def runs_in(folder):
    return [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".") and is_run(path)] if folder.is_dir() else []


def member(path, group, lane=""):
    run = RunFolder(path)
    run.group, run.lane = group, lane
    group.runs.append(run)


def race_of(folder):
    try:
        lanes = json.loads((folder / "race.json").read_text(encoding="utf-8"))["lanes"]
        planned = [(lane["name"], folder / run) for lane in lanes for run in lane["runs"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotARun(f"{folder / 'race.json'}: this is not the file of a race: {error}") from None
    group = Group(folder, folder.resolve().name, "race", waiting=sum(not is_run(path) for _, path in planned))
    for lane, path in planned:
        if is_run(path):
            member(path, group, lane)
    return group


def study_of(file):
    if tomllib is None:
        raise NotARun(f"{file}: Python 3.11 reads it; name the folder of the study's runs instead")
    try:
        said = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotARun(f"{file}: this is not the file of a study: {error}") from None
    folder = file.parent / str(said.get("runs", f"{file.stem}-runs"))
    group = Group(folder, str(said.get("name", file.stem)), "study")
    for path in runs_in(folder):
        member(path, group)
    if not group.runs:
        raise NotARun(f"{file}: no trial of the study has begun: there is no run in {folder}")
    return group


def found(word):
    """A Group, or a list of runs that are none."""
    path = pathlib.Path(word).expanduser()
    if path.name == "race.json" and path.is_file():
        path = path.parent
    if path.is_file() and path.suffix == ".toml":
        return study_of(path)
    if path.is_dir() and not is_run(path):
        if (path / "race.json").exists():
            return race_of(path)
        inside = [RunFolder(each) for each in runs_in(path)]
        trials = {run.environment.get("trial", {}).get("study") for run in inside}
        if inside and len(trials) == 1 and None not in trials:
            group = Group(path, str(trials.pop()), "study")
            for run in inside:
                member(run.path, group)
            return group
        if inside:
            return inside
    return [RunFolder(path)]
