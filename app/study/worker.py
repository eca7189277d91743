# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker: takes a waiting trial, trains it, takes the next, until the study has come to its end."""

import os
import signal
import sys
import threading
import time

from optuna.trial import TrialState

from attempt import BrokeOff, Interrupted, Refusal, Running, attempt
from lines import write_json, write_line
from samplers import make_pruner, make_sampler
from space import value_text
from storage import SLOT, Again, fail_silent, first_number, is_surplus, load_study, was_taken

REFUSED_IN_A_ROW = 5


class Surplus(Exception):
    """Somebody else has this trial."""


class Worker:
    def __init__(self, file, engine, threads, say):
        self.file, self.engine, self.threads, self.say = file, engine, threads, say
        self.running = Running()
        self.refused_in_a_row, self.last_refusal = 0, ""
        self.study = load_study(file)
        self.study.sampler = make_sampler(file)
        self.study.pruner = make_pruner(file)
        self.ends = time.monotonic() + file.seconds if file.seconds else None

    def work(self):
        """The exit code."""
        self._watch_signals()
        while not self.running.stopping:
            fail_silent(self.study, self.file.storage)
            if self.ends and time.monotonic() > self.ends:
                break
            if self.refused_in_a_row >= REFUSED_IN_A_ROW:
                self.say({"kind": "error", "failure": f"{REFUSED_IN_A_ROW} trials in a row were refused: {self.last_refusal}"})
                return 1
            if self.file.trials is not None and not self._waiting():
                if not self._others():
                    break
                self._pause()
                continue
            self._one()
        return 130 if self.running.stopping and not self._timed_out() else 0

    def _timed_out(self):
        return self.ends is not None and time.monotonic() >= self.ends

    def _waiting(self):
        return self.study.get_trials(deepcopy=False, states=(TrialState.WAITING,))

    def _others(self):
        """Trials in progress elsewhere: should their workers die, they are ours to take up."""
        return self.study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))

    def _pause(self):
        until = time.monotonic() + min(10, max(0.5, self.file.storage["heartbeat"] / 2))
        while time.monotonic() < until and not self.running.stopping and self._others() and not self._waiting():
            time.sleep(0.25)

    def _watch_signals(self):
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, lambda *_: self.running.stop())
        parent = os.getppid()

        def follow_parent():
            while os.getppid() == parent:
                if self._timed_out():
                    self.running.stop()
                time.sleep(0.5)
            self.running.stop()
        threading.Thread(target=follow_parent, daemon=True).start()

    def _one(self):
        try:
            self.study.optimize(self._objective, n_trials=1, catch=(Refusal, BrokeOff, Surplus), callbacks=[self._ended])
        except Interrupted:
            pass
        except Exception as error:
            if not was_taken(error):
                raise
            self.say({"kind": "note", "text": "a trial of this worker was taken for dead and given to another"})

    def _objective(self, trial):
        frozen = self.study.trials[trial.number]
        if self.file.trials is not None and (SLOT not in frozen.user_attrs or is_surplus(self.study, frozen)):
            trial.set_user_attr("outcome", "surplus")
            raise Surplus()
        self.say({"kind": "begin", "trial": first_number(frozen), **({"again": True} if "failed_trial" in frozen.system_attrs else {})})
        try:
            return attempt(trial, first_number(frozen), self.file, self.engine, self.running, self.threads)
        except Interrupted:
            now = self.study.trials[trial.number]
            if not now.state.is_finished():  # else another worker has it by now
                Again(self.file.storage["retries"])(self.study, now, counted=False)
                self._tell(now)
            raise

    def _ended(self, study, trial):
        outcome = trial.user_attrs.get("outcome")
        if outcome == "surplus":
            return
        self.refused_in_a_row = self.refused_in_a_row + 1 if outcome == "refused" else 0
        self.last_refusal = trial.user_attrs.get("failure", "")
        queued = outcome == "broke off" and Again(self.file.storage["retries"])(study, trial)
        self._tell(trial, **({"queued": True} if queued else {}))

    def _tell(self, trial, **more):
        kept = {name: trial.user_attrs[name] for name in ("outcome", "step", "seconds", "run", "failure") if name in trial.user_attrs}
        value = {"value": trial.value} if trial.state == TrialState.COMPLETE else {}
        self.say({"kind": "trial", "trial": first_number(trial), **value, "params": trial.params, **kept, **more})


def as_text(line):
    """A line of a worker for people."""
    if line["kind"] == "begin":
        return f"trial {line['trial']} {'goes on' if line.get('again') else 'begins'}"
    if line["kind"] == "trial":
        words = [f"trial {line['trial']}", line.get("outcome", "failed")]
        words += [f"at step {line['step']}"] if line.get("outcome") in ("pruned", "interrupted", "diverged") and "step" in line else []
        words += [f"{line['value']:.6g}"] if "value" in line else []
        words += [f"{key}={value_text(value)}" for key, value in line["params"].items()]
        words += [f"({line['failure']})"] if line.get("failure") else []
        words += ["it is tried again"] if line.get("queued") else []
        return "  ".join(words)
    return line.get("text") or f"error: {line['failure']}"


def telling(as_json, quiet):
    def say(line):
        if as_json:
            write_json(line)
        elif not quiet or line["kind"] == "error":
            write_line(as_text(line), sys.stderr)
    return say
