# SPDX-License-Identifier: GPL-3.0-or-later
"""unroll-cli as functions: what it says as JSON, and one training as a process."""

import json
import os
import pathlib
import signal
import subprocess
import time

from refused import Refused

REFUSED, USAGE, DIVERGED, BROKE_OFF, INTERRUPTED = 1, 2, 3, 4, 130


def said(error):
    """The last line of a program's stderr, without its "error: "."""
    lines = [line for line in error.strip().splitlines() if not line.startswith("See unroll-cli")]
    return lines[-1].removeprefix("error: ") if lines else "no reason was given"


class Engine:
    def __init__(self, program, folder):
        self.program, self.folder = str(program), folder
        self._params = {}

    def ask(self, *words):
        """(exit code, the JSON lines, stderr)."""
        asked = subprocess.run([self.program, *map(str, words)], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        lines = [json.loads(line) for line in asked.stdout.splitlines() if line.startswith("{")]
        return asked.returncode, lines, asked.stderr

    def show(self, race, ended, options):
        """Has the files of a race written and its table printed; the exit code."""
        words = ["race", "--out", race, "--show", "--ended", ended, "--format", options.format, *(["--json"] if options.json else [])]
        return subprocess.run([self.program, *map(str, words)], stdin=subprocess.DEVNULL, check=False).returncode

    def params(self, block):
        """{name: what `help BLOCK --json` says of it}; "training" is a block here. None: there is no such block."""
        if block not in self._params:
            code, lines, _ = self.ask("help", block, "--json")
            self._params[block] = {each["name"]: each for each in lines[0]["params"]} if code == 0 else None
        return self._params[block]

    def check(self, experiment, assignments=()):
        """The lines of `check`; a mistake is told in its words."""
        code, lines, error = self.ask("check", experiment, "--json", *(word for each in assignments for word in ("--set", each)))
        if code not in (0, REFUSED) or not lines:
            raise Refused(said(error))
        return lines

    def blocks(self, experiment):
        """{node: block}, nodes of groups as "body.lstm"."""
        return {line["node"]: line["block"] for line in self.check(experiment) if line["kind"] == "node"}


class Training:
    """One `train --json` in a process group of its own: a Ctrl-C in the terminal is passed on by us, once. `log`: an open file for its stderr;
    a lock on it is the training's from then on, until that has ended."""

    def __init__(self, engine, words, log):
        self.started = time.monotonic()
        self.log = pathlib.Path(log.name)
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            [engine.program, "train", *map(str, words), "--json", "--quiet", "--parent", str(os.getpid())], cwd=engine.folder,
            stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, text=True, start_new_session=True)
        self.end, self.peak = {}, 0
        self._stopped = False

    def rows(self):
        """Each row of metrics as it comes; then `end` is the last line, and `wait` has the exit code."""
        for line in self.process.stdout:
            try:
                row = json.loads(line)
            except ValueError:
                continue  # a line cut off by a kill
            if row.get("kind") == "end":
                self.end = row
            elif row.get("kind") == "metrics":
                yield row

    def stop(self):
        """Saves a checkpoint and ends; a second wish would end it without."""
        if not self._stopped and self.process.returncode is None:
            self._stopped = True
            self._signal(signal.SIGINT)

    def kill(self):
        if self.process.returncode is None:
            self._signal(signal.SIGKILL)

    def _signal(self, number):
        try:
            self.process.send_signal(number)
        except ProcessLookupError:
            pass

    def wait(self):
        """The exit code; minus the signal's number where one ended it. Sets `peak`, bytes of memory."""
        if self.process.returncode is None:
            _, status, usage = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.peak = usage.ru_maxrss * 1024
        self.process.stdout.close()
        return self.process.returncode

    def failure(self):
        """Why it ended, in one sentence."""
        if self.end.get("failure"):
            return self.end["failure"]
        if self.process.returncode is not None and self.process.returncode < 0:
            return f"ended by signal {-self.process.returncode} ({signal.Signals(-self.process.returncode).name})"
        try:
            return said(self.log.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            return f"exit {self.process.returncode}"


def number(value):
    """A figure of a JSON line: not finite ones are words there."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
