# SPDX-License-Identifier: GPL-3.0-or-later
"""NAME.study.json beside NAME.toml: space, trials and importances as plain JSON, for programs without Optuna and its storage.
It is written while the study runs, whole or not at all; docs/study.md describes its keys."""

import contextlib
import json
import math
import os
import pathlib
import socket
import threading
import time

from results import importances, last_report, state_word, trials_of
from storage import alone, load_study, shown_url

FORMAT, VERSION = "unroll-study", 1
LOOK = 1.0      # seconds between two looks at the storage, at least
BEAT = 10.0     # seconds after which it is written again although nothing is new: somebody is at work
MOST_SHARE = 20  # a look may take 1/20 of the time


def found_path(path):
    """Of the study in that file."""
    return pathlib.Path(path).with_suffix(".study.json")


def _finite(value):
    """JSON has no NaN and no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _axis(axis):
    described = {"key": axis.key}
    if axis.choices:
        described |= {"kind": "choice", "choices": list(axis.choices)}
    else:
        described |= {"kind": "int" if axis.whole else "real", "min": axis.low, "max": axis.high, "log": axis.log}
        described |= {"step": axis.step} if axis.step else {}
    return described | ({"when": axis.when_text()} if axis.when else {})


def _run_text(run, folder):
    """Relative where it lies below the file, so that the folder can be moved."""
    try:
        return pathlib.Path(run).relative_to(folder).as_posix()
    except ValueError:
        return str(run)


def _trial(number, trial, folder):
    kept = trial.user_attrs
    reports = trial.intermediate_values
    line = {"trial": number, "state": state_word(trial), "value": _finite(trial.value) if trial.state.name == "COMPLETE" else None,
            "report": _finite(last_report(trial)), "report_step": max(reports) if reports else None}
    line |= {name: _finite(kept[name]) for name in ("step", "seconds", "parameters", "memory") if name in kept}
    line |= {"params": trial.params}
    line |= {"run": _run_text(kept["run"], folder)} if "run" in kept else {}
    return line | ({"failure": kept["failure"]} if kept.get("failure") else {})


class Importances:
    """Computed again only when another trial has finished."""

    def __init__(self):
        self._finished, self._found = -1, {}

    def of(self, study, trials):
        finished = sum(trial.state.name == "COMPLETE" for trial in trials.values())
        if finished != self._finished:
            self._finished, self._found = finished, importances(study) if finished > 1 else {}
        return {key: _finite(share) for key, share in self._found.items()}


def found(study, file, running, known=None):
    """The document. `running`: whether this process works on the study."""
    trials = trials_of(study)
    folder = found_path(file.path).parent.absolute()
    return {"format": FORMAT, "version": VERSION, "study": file.name, "file": file.path.name, "experiment": file.experiment,
            "metric": file.word, "figure": file.metric, "direction": "maximize" if file.maximize else "minimize", "report": file.report,
            "sampler": file.sampler["kind"], "pruner": file.pruner["kind"],
            "budget": {"trials": file.trials, "steps": file.steps, "seconds": file.seconds}, "storage": shown_url(file.storage),
            "running": {"host": socket.gethostname(), "process": os.getpid()} if running else None,
            "space": [_axis(axis) for axis in file.space.axes], "importances": (known or Importances()).of(study, trials),
            "trials": [_trial(number, trials[number], folder) for number in sorted(trials)]}


def write(path, document):
    """The whole file or nothing; a reader never sees half of one."""
    part = path.with_name(f"{path.name}.{socket.gethostname()}.{os.getpid()}.part")
    try:
        with open(part, "w", encoding="utf-8") as out:
            json.dump({**document, "written": round(time.time(), 3)}, out, allow_nan=False, indent=None)
            out.write("\n")
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def write_now(file, say):
    """For a study that nobody works on here; one that is being written elsewhere is left alone."""
    path = found_path(file.path)
    with contextlib.suppress(OSError, ValueError):
        there = json.loads(path.read_text(encoding="utf-8"))
        if there.get("running") and time.time() - there.get("written", 0) < 3 * BEAT:
            return
    study = load_study(file)
    if study is None:
        return
    try:
        with alone(file.storage):
            write(path, found(study, file, running=False))
    except OSError as error:
        say({"kind": "note", "text": f"{path}: cannot be written ({error.strerror})"})


class FoundFile:
    """Keeps the file up to date on a thread of its own, as long as the `with` lasts; then the last state is written."""

    def __init__(self, file, say):
        self.file, self.say = file, say
        self.path = found_path(file.path)
        self._known, self._before, self._at = Importances(), None, 0.0
        self._ended, self._has_told = threading.Event(), False
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()
        self._look(running=False)

    def _keep(self):
        study = None
        while True:
            begun = time.monotonic()
            study = self._look(running=True, study=study)
            if self._ended.wait(max(LOOK, MOST_SHARE * (time.monotonic() - begun))):
                return

    def _look(self, running, study=None):
        """One look, and a file if there is news; the study, to be used again. Whatever goes wrong here stops no training."""
        try:
            study = study or load_study(self.file)
            document = found(study, self.file, running, self._known)
            if document != self._before or time.monotonic() - self._at > BEAT:
                with alone(self.file.storage):  # read again: what another has written meanwhile is newer
                    self._before = found(study, self.file, running, self._known)
                    write(self.path, self._before)
                self._at = time.monotonic()
            return study
        except Exception as error:  # pylint: disable=broad-exception-caught
            if not self._has_told:
                self._has_told = True
                why = getattr(error, "strerror", None) or (str(error).splitlines() or [type(error).__name__])[0]
                self.say({"kind": "note", "text": f"{self.path} is not up to date: {why}"})
            return None
