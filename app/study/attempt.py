# SPDX-License-Identifier: GPL-3.0-or-later
"""One trial: a training, followed row by row, stopped where it promises little, and what its end says."""

import contextlib
import fcntl
import json
import math
import os
import threading
import time

import optuna

import engine as program
from engine import Training, number
from space import value_text
from storage import ALIVE, WORKER, mark_of


class Refusal(Exception):
    """Never began: its settings do not fit. It is not tried again."""


class BrokeOff(Exception):
    """Failed on the way, or was killed: it is tried again from its checkpoint."""


class Interrupted(Exception):
    """The worker was asked to stop; the trial goes on another time."""


class Running:
    """The training that a signal has to stop."""

    def __init__(self):
        self.training, self.stopping = None, False

    def stop(self):
        self.stopping = True
        if self.training is not None:
            self.training.stop()


def words_of(file, number_, run, chosen, threads):
    """The arguments of `train`."""
    words = [file.experiment, "--run", run, "--resume=auto", "--tag", file.tag, "--trial",
             json.dumps({"study": file.name, "number": number_, "params": chosen})]
    words += ["--data", file.data] if file.data else []
    words += ["--steps", file.steps] if file.steps else []
    words += ["--seed", file.seed] if file.seed is not None else []
    words += ["--threads", threads] if threads else []
    for key, value in {**file.fixed, **chosen}.items():
        words += ["--set", f"{key}={value_text(value)}"]
    return words


def keep_alive(trial, every):
    """Says every so often that its worker lives, where the storage has no heartbeat; gives what ends it."""
    done = threading.Event()

    def beat():
        with contextlib.suppress(optuna.exceptions.UpdateFinishedTrialError):  # the objective hears of it too
            trial.set_user_attr(WORKER, mark_of(os.getpid()))  # as in Storage.record_heartbeat()
            while not done.is_set():
                trial.set_user_attr(ALIVE, time.time())
                done.wait(every)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()

    def end():
        done.set()
        thread.join()
    return end


def await_lock(file, kind, running):
    """Until the lock is ours, or nobody needs it any more."""
    with contextlib.suppress(OSError):  # a file system without locks
        while not running.stopping:
            try:
                return fcntl.flock(file, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.1)


def await_folder(run, running):
    """Until nobody writes the run's folder, on which a training holds a lock (core/runs/folder_lock.h): `train` would refuse it."""
    try:
        folder = os.open(run, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return  # a new run
    try:
        await_lock(folder, fcntl.LOCK_SH, running)
    finally:
        os.close(folder)  # lets go of the lock


def begin(engine, words, run, running):
    """The training, when that of a worker that has died is over: it saves a checkpoint before it ends, or has not come to its folder yet, and
    takes its time on a busy machine. It holds a lock on its log."""
    with open(run.with_suffix(".log"), "ab") as log:
        await_lock(log, fcntl.LOCK_EX, running)
        await_folder(run, running)
        return Training(engine, words, log)


def attempt(trial, first, file, engine, running, threads):
    """The objective of the trial; its other ends are exceptions. What is known of the run is kept with the trial.
    `first`: the number of the trial that it repeats, or its own."""
    chosen = file.space.suggest(trial)
    run = file.runs / f"{first:04d}"
    trial.set_user_attr("run", str(run))
    file.runs.mkdir(parents=True, exist_ok=True)
    end_beats = keep_alive(trial, max(1, file.storage["heartbeat"])) if "journal" in file.storage else lambda: None
    try:
        return _follow(trial, file, engine, running, words_of(file, first, run, chosen, threads), run)
    finally:
        end_beats()


def _follow(trial, file, engine, running, words, run):
    training = running.training = begin(engine, words, run, running)
    if running.stopping:
        training.stop()
    pruned = False
    try:
        for row in training.rows():
            value = number(row.get(file.report))
            if value is None or math.isnan(value) or pruned:
                continue
            trial.report(value, row["step"])
            if trial.should_prune() and not running.stopping:
                pruned = True
                training.stop()
        code = training.wait()
    except BaseException:
        training.stop()
        training.wait()
        raise
    finally:
        running.training = None
    _keep(trial, training, code)
    return _outcome(trial, file, running, training, code, pruned)


def _keep(trial, training, code):
    trial.set_user_attr("exit", code)
    for name in ("step", "seconds", "parameters", "checkpointed"):
        if name in training.end:
            trial.set_user_attr(name, training.end[name])
    if training.peak:
        trial.set_user_attr("memory", training.peak)


def _outcome(trial, file, running, training, code, pruned):
    def told(word, failure=""):
        trial.set_user_attr("outcome", word)
        if failure:
            trial.set_user_attr("failure", failure)
        return failure
    if code == 0:
        value = number(training.end.get(file.metric))
        if value is None or not math.isfinite(value):
            known = ", ".join(sorted(name for name, each in training.end.items() if number(each) is not None))
            raise Refusal(told("refused", f"the end of the run has no figure {file.metric}; it has {known}"))
        told("finished")
        return value
    if code == program.DIVERGED:
        told("diverged", training.failure())
        raise optuna.TrialPruned()
    if pruned and code == program.INTERRUPTED:
        told("pruned")
        raise optuna.TrialPruned()
    if running.stopping and code in (program.INTERRUPTED, program.REFUSED, -2, -15):  # no step was refused
        told("interrupted")
        raise Interrupted()
    if code in (program.REFUSED, program.USAGE):
        raise Refusal(told("refused", training.failure()))
    raise BrokeOff(told("broke off", training.failure()))
