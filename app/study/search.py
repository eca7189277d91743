# SPDX-License-Identifier: GPL-3.0-or-later
"""`study FILE`: reads the file, makes the storage, lets workers work, says what came of it."""

import os
import signal
import subprocess
import sys
import time

from lines import write_json, write_line
from refused import Refused
from study_file import read_study
from tables import as_text

RESTARTS = 3  # of a worker that a signal ended


def need_optuna():
    try:
        import optuna
    except ImportError as error:
        raise Refused(f"{sys.executable} has no {error.name}: a study needs Optuna. `./dev study` installs it into .venv; elsewhere make a Python for it "
                      "(python3 -m venv DIR; DIR/bin/pip install optuna cmaes) and name it: UNROLL_PYTHON=DIR/bin/python") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    import warnings
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    warnings.filterwarnings("ignore", module="optuna")


def describe(file, settings_of):
    """What --dry-run prints."""
    rows = []
    for axis in file.space.axes:
        setting = axis.setting or {}
        bounds = setting.get("range", "")
        hint = "steps by a factor (log) are usual" if setting.get("log") and not axis.log and not axis.choices and axis.high >= 100 * axis.low else ""
        rows.append([axis.key, setting.get("type", "as the group says"), axis.text(), bounds, axis.when_text(), hint])
    print(as_text(["setting", "type", "values", "allowed", "where", ""], rows))
    budget = [f"{file.trials} trials" if file.trials else "trials without end", f"{file.steps} steps each" if file.steps else "the experiment's steps",
              *([f"{file.seconds:g} seconds"] if file.seconds else [])]
    figure = "" if file.word == file.metric else f" ({file.metric} of the run's end)"
    print(f"\nobjective: {file.word}{figure}, {'maximize' if file.maximize else 'minimize'}; on the way {file.report}")
    print(f"sampler: {file.sampler['kind']}{f', {len(file.points)} points' if file.points is not None else ''}; pruner: {file.pruner['kind']}")
    print(f"budget: {', '.join(budget)}; runs: {file.runs}; storage: {settings_of}")


def cores_for(workers, threads):
    return threads or max(1, (os.cpu_count() or 1) // workers)


def search(options, make_engine):
    """The exit code."""
    file, engine = read_study(options.file, make_engine)
    if options.trials is not None and file.points is None:
        file.trials = options.trials
    need_optuna()
    from found_file import FoundFile, write_now
    from results import closing, show, summary
    from storage import make_study, shown_url
    from worker import Worker, telling
    say = telling(options.json, options.quiet)
    if options.dry_run:
        describe(file, shown_url(file.storage))
        return 0
    if options.show:
        write_now(file, say)
        show(file, "json" if options.json else options.format)
        return 0
    threads = cores_for(options.workers, options.threads)
    if options.worker is not None:
        return Worker(file, engine, threads, say).work()
    study = make_study(file)
    with FoundFile(file, say):
        code = Worker(file, engine, threads, say).work() if options.workers == 1 else Crew(options, threads).work()
    if options.json:
        write_json({**summary(study, file), "kind": "end"})
    elif not options.quiet:
        print("\n".join(closing(study, file)))
    return code


class Crew:
    """Workers in processes of their own."""

    def __init__(self, options, threads):
        self.options, self.threads = options, threads
        self.stopping = False
        self.workers = {}

    def _start(self, index):
        words = [sys.executable, sys.argv[0], "study", str(self.options.file), "--cli", self.options.cli, "--worker", str(index), "--threads", str(self.threads)]
        words += ["--json"] if self.options.json else []
        words += ["--quiet"] if self.options.quiet else []
        words += ["--trials", str(self.options.trials)] if self.options.trials is not None else []
        # pylint: disable-next=consider-using-with
        self.workers[index] = subprocess.Popen(words, start_new_session=True)

    def _stop(self, *_):
        self.stopping = True
        for worker in self.workers.values():
            if worker.poll() is None:
                worker.send_signal(signal.SIGINT)

    def work(self):
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, self._stop)
        restarts, codes = 0, {}
        for index in range(self.options.workers):
            self._start(index)
        while self.workers:
            for index, worker in list(self.workers.items()):
                code = worker.poll()
                if code is None:
                    continue
                del self.workers[index]
                codes[index] = code
                if code < 0 and not self.stopping and restarts < RESTARTS:
                    restarts += 1
                    write_line(f"worker {index} was ended by signal {-code}; another one takes its place", sys.stderr)
                    self._start(index)
            time.sleep(0.2)
        if self.stopping:
            return 130
        return max((code if code >= 0 else 4 for code in codes.values()), default=0)
