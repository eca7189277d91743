# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is taken for dead: no worker whose process is there, however late its heartbeat; and what becomes of one that was all the same."""

import fcntl
import os
import subprocess
import sys
import threading
import time
import types

import optuna
import pytest

import attempt as trying
import storage as storages
import worker as workers
from running import program
from engine import Engine
from study_file import read_study

RUNNING, WAITING, FAIL, COMPLETE = (getattr(optuna.trial.TrialState, name) for name in ("RUNNING", "WAITING", "FAIL", "COMPLETE"))


@pytest.fixture(params=["sqlite", "journal"])
def file(study, request):
    path = study(budget={"trials": 1, "steps": 2}, storage={"heartbeat": 1, **({"journal": "log.journal"} if request.param == "journal" else {})})
    found = read_study(path, lambda folder: Engine(program(), folder))[0]
    storages.make_study(found)
    return found


def age(study):
    """The last heartbeats of all trials were years ago."""
    import sqlalchemy
    with study._storage._backend.engine.begin() as connection:
        connection.execute(sqlalchemy.text("UPDATE trial_heartbeats SET heartbeat = :then"), {"then": "2020-01-01 00:00:00.000000"})


def long_ago(study, trial, file):
    """The last heartbeat of the trial was long ago."""
    if "journal" in file.storage:
        return trial.set_user_attr(storages.ALIVE, 0)
    study._storage.record_heartbeat(trial._trial_id)
    age(study)


def ended_process():
    """The mark that a process had which has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        mark = storages.mark_of(process.pid)
        process.stdin.close()
    return mark


def test_a_storage_is_locked_beside_the_lock_of_a_journal(file, tmp_path):
    """A journal waits half a minute for one that nobody of its own lets go."""
    with storages.alone(file.storage):
        assert not list(tmp_path.glob("*.journal.lock"))
        study = storages.load_study(file)
        study.set_user_attr("a", 1)
    assert study.user_attrs["a"] == 1


def test_a_process_has_a_mark_as_long_as_it_is_there():
    mark = storages.mark_of(os.getpid())
    assert mark == storages.mark_of(os.getpid()) and mark[1] == os.getpid()
    ended = ended_process()
    assert ended is not None and storages.mark_of(ended[1]) != ended
    with subprocess.Popen(["true"]) as process:  # one that nobody has waited for is not at work
        end = time.monotonic() + 120
        while storages.mark_of(process.pid) is not None:
            assert time.monotonic() < end


def test_a_late_heartbeat_makes_nobody_dead_whose_process_is_there(file):
    study = storages.load_study(file)
    trial = study.ask()
    long_ago(study, trial, file)
    trial.set_user_attr(storages.WORKER, storages.mark_of(os.getpid()))
    storages.fail_silent(study, file.storage)
    assert [each.state for each in study.get_trials()] == [RUNNING]
    trial.set_user_attr(storages.WORKER, ended_process())
    storages.fail_silent(study, file.storage)
    assert [each.state for each in study.get_trials()] == [FAIL, WAITING]
    assert study.get_trials()[1].user_attrs == {storages.SLOT: 0}, "who has it next is not known yet"


def test_a_worker_that_is_slow_to_leave_its_mark_keeps_its_trial(file, monkeypatch):
    """On a machine that takes 10 s to write the mark; meanwhile another worker looks for trials of the dead."""
    journal = "journal" in file.storage
    kind = optuna.storages.JournalStorage if journal else storages.Storage
    worker, write, looks = workers.Worker(file, None, 1, lambda _: None), kind.set_trial_user_attr, []
    monkeypatch.setattr(worker, "_watch_signals", lambda: None)

    def slow(storage, trial_id, key, value):
        if key == storages.WORKER:
            looks.append(trial_id)
            other, end = storages.load_study(file), time.monotonic() + 1
            while not journal and time.monotonic() < end and other._storage._backend._without_heartbeat(other._study_id):
                time.sleep(0.02)  # before the mark none comes, however long one waits
            monkeypatch.setattr(time, "time", lambda now=time.time() + 10: now)
            if not journal:
                age(other)
            storages.fail_silent(other, file.storage)
        write(storage, trial_id, key, value)
    monkeypatch.setattr(kind, "set_trial_user_attr", slow)
    monkeypatch.setattr(workers, "attempt", lambda trial, *_: journal and trying.keep_alive(trial, 1)() or 1.0)
    assert worker.work() == 0
    assert len(looks) == 1 and [each.state for each in worker.study.get_trials()] == [COMPLETE]


def test_a_worker_that_died_before_its_first_sign_is_found(file, monkeypatch):
    study = storages.load_study(file)
    study.ask()
    storages.fail_silent(study, file.storage)
    assert [each.state for each in study.get_trials()] == [RUNNING], "it may be about to give one"
    for clock in ("time", "monotonic"):
        monkeypatch.setattr(time, clock, lambda now=getattr(time, clock)() + storages.FIRST_SIGN + 1: now)
    storages.fail_silent(study, file.storage)
    assert [each.state for each in study.get_trials()] == [FAIL, WAITING]


@pytest.mark.parametrize("state", ["taken", "taken for dead"])
def test_a_trial_changes_its_state_once(study, monkeypatch, state):
    """Of two workers that take it, or take its worker for dead, at the same moment one does: SQLite locks no row between reading and writing."""
    path = study(budget={"trials": 1, "steps": 2})
    found = read_study(path, lambda folder: Engine(program(), folder))[0]
    storages.make_study(found)
    one, other = (storages.load_study(found) for _ in range(2))
    if state == "taken":
        number, new = one.get_trials()[0]._trial_id, RUNNING
    else:
        number, new = one.ask()._trial_id, FAIL
    done, check = {}, optuna.storages.RDBStorage.check_trial_is_updatable

    def change(name, which):
        try:
            done[name] = which._storage.set_trial_state_values(number, new)
        except optuna.exceptions.UpdateFinishedTrialError:
            done[name] = False
    second = threading.Thread(target=change, args=("second", other))

    def checked(storage, *arguments):
        """The first has read and not yet written."""
        if second.ident is None:
            second.start()
            second.join(1)
        check(storage, *arguments)
    monkeypatch.setattr(optuna.storages.RDBStorage, "check_trial_is_updatable", checked)
    change("first", one)
    second.join()
    assert done == {"first": True, "second": False}


@pytest.mark.parametrize("end", ["value", "report", "refused", "interrupted"])
def test_a_worker_whose_trial_was_taken_goes_on(file, monkeypatch, end):
    """Another machine took it for dead: what it has to say of the trial is not heard, and it takes the next."""
    said, tries = [], []
    worker = workers.Worker(file, None, 1, said.append)
    monkeypatch.setattr(worker, "_watch_signals", lambda: None)

    def tried(trial, first, *_):
        tries.append(first)
        if len(tries) > 1:
            return 2.0
        other = storages.load_study(file)
        other.tell(trial.number, state=FAIL)
        storages.Again(3)(other, other.get_trials()[trial.number])
        if end == "report":
            trial.report(1.0, 1)
        if end == "refused":
            raise trying.Refusal()
        if end == "interrupted":
            raise trying.Interrupted()
        return 1.0
    monkeypatch.setattr(workers, "attempt", tried)
    assert worker.work() == 0
    assert tries == [0, 0] and [line["text"] for line in said if line["kind"] == "note"] == ["a trial of this worker was taken for dead and given to another"]
    assert [each.state for each in worker.study.get_trials()] == [FAIL, COMPLETE], "queued once"


def test_another_fault_of_a_trial_is_not_hidden(file, monkeypatch):
    worker = workers.Worker(file, None, 1, lambda _: None)
    monkeypatch.setattr(worker, "_watch_signals", lambda: None)
    monkeypatch.setattr(workers, "attempt", lambda *_: {}["none"])
    with pytest.raises(KeyError):
        worker.work()


def test_a_training_that_a_dead_worker_left_is_waited_for(tmp_path):
    """Also one that has not come to its folder yet."""
    script = tmp_path / "program"
    script.write_text("#!/bin/sh\nexec sleep 600\n")
    script.chmod(0o755)
    running, begun = types.SimpleNamespace(stopping=False), []
    first = trying.begin(Engine(script, tmp_path), [], tmp_path / "0000", running)
    waiting = threading.Thread(target=lambda: begun.append(trying.begin(Engine(script, tmp_path), [], tmp_path / "0000", running)))
    waiting.start()
    waiting.join(0.5)
    assert waiting.is_alive() and not begun
    first.kill()
    first.wait()
    waiting.join(240)
    assert len(begun) == 1
    running.stopping = True
    with open(tmp_path / "0000.log", "ab") as log:
        trying.await_lock(log, fcntl.LOCK_EX, running)  # who is to stop does not wait
    begun[0].kill()
    assert begun[0].wait() == -9 and "signal 9" in begun[0].failure()


def test_a_run_that_is_still_written_is_waited_for(tmp_path):
    running = types.SimpleNamespace(stopping=False)
    trying.await_folder(tmp_path / "new", running)
    trying.await_folder(tmp_path, running)
    held = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(held, fcntl.LOCK_EX)
    waiting = threading.Thread(target=trying.await_folder, args=(tmp_path, running))
    waiting.start()
    waiting.join(0.5)
    assert waiting.is_alive()
    os.close(held)
    waiting.join(240)
    assert not waiting.is_alive()
    held = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(held, fcntl.LOCK_EX)
    running.stopping = True
    trying.await_folder(tmp_path, running)  # who is to stop does not wait
    os.close(held)
