# SPDX-License-Identifier: GPL-3.0-or-later
"""`race DIR`: trains what is left of a race's runs, one after another or side by side, and prints its table."""

import queue
import signal
import sys
import threading

import engine as program
from engine import Training, number
from lines import write_json, write_line
from race_runs import RaceFolder, is_done


class Racing:
    def __init__(self, folder, engine, options):
        self.folder, self.engine, self.options = folder, engine, options
        self.stopping, self.refused = False, 0
        self.trainings = set()
        self.lock = threading.Lock()
        self.left = queue.SimpleQueue()
        todo = [each for each in folder.runs() if not is_done(folder, each[2])]
        self.count = len(todo)
        for each in todo:
            self.left.put(each)

    def stop(self, *_):
        self.stopping = True
        for training in list(self.trainings):
            training.stop()

    def work(self):
        """The exit code."""
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, self.stop)
        hands = [threading.Thread(target=self._train_all) for _ in range(min(self.options.parallel, self.count))]
        for hand in hands:
            hand.start()
        for hand in hands:
            while hand.is_alive():
                hand.join(0.2)  # so that signals are answered
        return program.INTERRUPTED if self.stopping else 1 if self.refused else 0

    def _train_all(self):
        while not self.stopping:
            try:
                self._train(*self.left.get_nowait())
            except queue.Empty:
                return

    def _train(self, lane, seed, run):
        run.parent.mkdir(parents=True, exist_ok=True)
        words = [lane["file"], "--run", run, "--resume=auto", "--seed", seed, "--threads", self.folder.race["threads"], "--tag", "race"]
        with open(run.with_suffix(".log"), "ab") as log:
            training = Training(self.engine, words, log)
        self.trainings.add(training)
        if self.stopping:
            training.stop()
        in_time = False
        for row in training.rows():
            self._say({"kind": "metrics", "lane": lane["name"], "seed": seed, **row}) if self.options.json else None
            seconds = number(row.get("seconds")) or 0
            if self.folder.race["seconds"] and seconds >= self.folder.race["seconds"] and not in_time:
                in_time = True
                training.stop()
        code = training.wait()
        self.trainings.discard(training)
        with self.lock:
            self.folder.measure(run, {"memory": training.peak})
            self._ended(lane, seed, run, training, code, in_time)

    def _ended(self, lane, seed, run, training, code, in_time):
        good = code == 0 or (in_time and code == program.INTERRUPTED)
        line = {"kind": "run", "lane": lane["name"], "seed": seed, "run": str(run), "exit": code,
                "state": "finished" if good else "diverged" if code == program.DIVERGED else "stopped" if code == program.INTERRUPTED else "failed"}
        line |= {name: training.end[name] for name in ("step", "best", "best_step", "seconds") if name in training.end}
        if line["state"] in ("failed", "diverged"):
            line["failure"] = training.failure()
        if line["state"] == "failed":
            self.refused += 1
        self._say(line)

    def _say(self, line):
        if self.options.json:
            write_json(line)
        elif not self.options.quiet or line["state"] == "failed":
            best = f", best {line['best']:.4f} at step {line['best_step']}" if number(line.get("best")) is not None else ""
            write_line(f"{line['lane']} seed {line['seed']}: {line['state']}{best}{': ' + line['failure'] if 'failure' in line else ''}", sys.stderr)


def race(options, make_engine):
    folder = RaceFolder(options.folder)
    racing = Racing(folder, make_engine(folder.folder), options)
    code = racing.work()
    state = "stopped" if code == program.INTERRUPTED else "failed" if code else "finished"
    shown = racing.engine.show(folder.folder, state, options)
    return code or shown or (1 if folder.refused else 0)
