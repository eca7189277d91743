# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a study is kept: Optuna's storage, made once before anybody works on it, and its queue of trials."""

import contextlib
import fcntl
import json
import os
import pathlib
import socket
import time

import optuna
import sqlalchemy

from refused import Refused

SLOT = "slot"          # user attribute: which of the study's trials it is
ALIVE = "alive"        # the same: when its worker was last seen, where the storage has no heartbeat
WORKER = "worker"      # the same: host, process and its start of the worker that has it
BEGUN_WITH = "unroll"  # of the study: its file's description, which may not change
FIRST_SIGN = 60        # seconds that a worker on a busy machine may take to its mark and its first heartbeat


class Again:
    """Queues a trial that its worker did not end, with its values and its run, at most `retries` times."""

    def __init__(self, retries):
        self.retries = retries

    def __call__(self, study, trial, counted=True):
        attributes = {"failed_trial": trial.number, **trial.system_attrs}
        history = [*attributes.get("retry_history", []), *([trial.number] if counted else [])]
        if len(history) > self.retries:
            return False
        attributes["retry_history"] = history
        kept = {name: value for name, value in trial.user_attrs.items() if name in (SLOT, "run")}
        study.add_trial(optuna.create_trial(state=optuna.trial.TrialState.WAITING, params=trial.params, distributions=trial.distributions,
                                            user_attrs=kept, system_attrs=attributes))
        return True


def mark_of(process):
    """Host, id and start of a process of this machine, which no other one shares; None: it has ended, or the system does not say."""
    try:
        state, *rest = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else [socket.gethostname(), process, rest[18]]


def is_at_work(trial):
    """Whether the process that has the trial is there, as far as this machine can tell. On a busy one its heartbeat may be late for long."""
    mark = trial.user_attrs.get(WORKER)
    return mark is not None and mark == mark_of(mark[1])


class Storage(optuna.storages.RDBStorage):
    """Optuna's, which takes a worker for dead by its heartbeat; here also its process must be gone, where this machine can tell."""

    _marked = None  # the trial that has this worker's mark

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self._unheard = {}  # {trial in progress without a heartbeat: when it was first seen so}

    def set_trial_state_values(self, trial_id, state, values=None):
        """Optuna reads the state before it writes it, under a lock of the row that SQLite does not have: two workers could take one trial, or
        queue it twice. There the whole database is locked before it is read."""
        if self.engine.dialect.name == "sqlite":
            self.scoped_session().execute(sqlalchemy.text("BEGIN IMMEDIATE"))
        return super().set_trial_state_values(trial_id, state, values)

    def record_heartbeat(self, trial_id):
        """No trial has a heartbeat before the mark of its worker: until then the next heartbeat may be late for long, too."""
        if self._marked != trial_id:
            with contextlib.suppress(optuna.exceptions.UpdateFinishedTrialError):  # another worker was faster
                self.set_trial_user_attr(trial_id, WORKER, mark_of(os.getpid()))
            self._marked = trial_id
        super().record_heartbeat(trial_id)

    def _get_stale_trial_ids(self, study_id):
        """Also those whose worker has died before the first heartbeat, by this process's clock."""
        now = time.monotonic()
        self._unheard = {each: self._unheard.get(each, now) for each in self._without_heartbeat(study_id)}
        never = [each for each, since in self._unheard.items() if now - since > FIRST_SIGN]
        return [each for each in super()._get_stale_trial_ids(study_id) + never if not is_at_work(self.get_trial(each))]

    def _without_heartbeat(self, study_id):
        query = "SELECT trial_id FROM trials WHERE study_id = :study AND state = 'RUNNING' AND trial_id NOT IN (SELECT trial_id FROM trial_heartbeats)"
        with self.engine.connect() as connection:
            return connection.execute(sqlalchemy.text(query), {"study": study_id}).scalars().all()


def was_taken(error):
    """Whether Optuna refuses what a worker has to say of a trial, since the trial has its end already: another worker took this one for dead."""
    while error is not None:
        if isinstance(error, optuna.exceptions.UpdateFinishedTrialError) or \
                (isinstance(error, ValueError) and str(error).startswith("Cannot tell a ")):  # of study.tell()
            return True
        error = error.__context__
    return False


def first_number(trial):
    """The number of the trial that this one repeats, or its own."""
    return trial.system_attrs.get("failed_trial", trial.number)


def _file_of(storage):
    if "journal" in storage:
        return pathlib.Path(storage["journal"])
    return pathlib.Path(storage["url"].removeprefix("sqlite:///")) if storage["url"].startswith("sqlite:///") else None


@contextlib.contextmanager
def alone(storage):
    """One process at a time makes the storage and its queue: two that create the same SQLite file collide."""
    file = _file_of(storage)
    if file is None:
        yield
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # NAME.lock is the journal's own: it would wait half a minute for it.
        with open(file.with_name(file.name + ".queue.lock"), "a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise Refused(f"{file}: cannot be written ({error.strerror})") from None


def open_storage(storage):
    if "journal" in storage:
        return optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(storage["journal"]))
    beat = max(1, round(storage["heartbeat"]))
    arguments = {"connect_args": {"timeout": 120}} if storage["url"].startswith("sqlite:") else {"pool_pre_ping": True}
    try:
        return Storage(storage["url"], engine_kwargs=arguments, heartbeat_interval=beat, grace_period=2 * beat,
                       heartbeat_stale_trial_callback=Again(storage["retries"]))
    except Exception as error:  # a driver that is missing, a server that is not there: each library has its own
        raise Refused(f"the storage {shown_url(storage)} cannot be opened: {str(error).splitlines()[0]}") from None


def shown_url(storage):
    """Without the password."""
    if "journal" in storage:
        return storage["journal"]
    scheme, _, rest = storage["url"].partition("://")
    user, at, host = rest.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{at}{host}"


def exists(file):
    """Whether there may be a study; a server is asked by opening it."""
    place = _file_of(file.storage)
    return place is None or place.exists()


def make_study(file):
    """The study and its queue, ready for workers; refuses one that was started with another file."""
    with alone(file.storage):
        study = _made(file)
        _fill(study, file)
    return study


def _made(file):
    for attempt in range(3):  # on a server another creator may be faster
        try:
            study = optuna.create_study(study_name=file.name, storage=open_storage(file.storage), load_if_exists=True,
                                        direction="maximize" if file.maximize else "minimize")
            break
        except Refused:
            raise
        except Exception:
            if attempt == 2:
                raise
            time.sleep(0.5)
    begun = study.user_attrs.get(BEGUN_WITH)
    now = json.loads(json.dumps(file.described()))
    if begun is None:
        study.set_user_attr(BEGUN_WITH, now)
    elif begun != now:
        others = ", ".join(difference(begun, now))
        raise Refused(f"{file.path}: the study {file.name} in {shown_url(file.storage)} was started with another file ({others}); "
                      "give the new one another name")
    return study


def difference(before, after):
    names = []
    for key in after:
        if before.get(key) != after[key]:
            inner = [name for name in {**(before.get(key) or {}), **after[key]} if (before.get(key) or {}).get(name) != after[key].get(name)] \
                if isinstance(after[key], dict) else []
            names += inner or [key]
    return names


def _fill(study, file):
    """One waiting trial a slot: who takes one has it alone, so that any number of workers does no trial too many."""
    if file.trials is None:
        return
    have = {trial.user_attrs.get(SLOT) for trial in study.get_trials(deepcopy=False)}
    for slot in range(file.trials):
        if slot not in have:
            study.enqueue_trial(file.points[slot] if file.points is not None else {}, user_attrs={SLOT: slot})


def load_study(file):
    """The study as it is; None: there is none yet."""
    if not exists(file):
        return None
    try:
        return optuna.load_study(study_name=file.name, storage=open_storage(file.storage))
    except KeyError:
        return None


def is_surplus(study, trial):
    """Two that filled a server's queue at once gave a slot twice: the earlier trial has it."""
    slot = trial.user_attrs.get(SLOT)
    others = [other for other in study.get_trials(deepcopy=False) if other.user_attrs.get(SLOT) == slot]
    return slot is not None and min(map(first_number, others), default=trial.number) < first_number(trial)


def fail_silent(study, storage):
    """Retries trials of workers that have died: by the storage's heartbeat, or by the time they last wrote; see is_at_work()."""
    if "journal" not in storage:
        optuna.storages.fail_stale_trials(study)
        return
    for trial in study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.RUNNING,)):
        silent = time.time() - trial.user_attrs.get(ALIVE, trial.datetime_start.timestamp())
        if silent > max(2, 2 * storage["heartbeat"], 0 if ALIVE in trial.user_attrs else FIRST_SIGN) and not is_at_work(trial):
            with contextlib.suppress(Exception):  # another worker was faster
                study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
                Again(storage["retries"])(study, trial)
